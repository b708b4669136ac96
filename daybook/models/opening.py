"""
Open a model of Pydantic AI with keys and addresses that are passed to it; sends nothing.

The libraries would read them from `os.environ`, where a key from keys.env never is. What a provider's class does
not take as an argument stays as the library has it: the address of OpenRouter, for one, is fixed.
"""

from __future__ import annotations

import inspect
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from daybook.guard.secrets import remember
from daybook.models import choice
from daybook.models.outcomes import Trouble

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

LEGACY_GEMINI = "google-generativeai"
GATEWAY = "gateway/"
SECRETS = ("api_key", "token")
# Which variables hold an argument of a provider's class; the first one that is set counts. Those are the libraries'
# own names. An `api_key` that is not listed is in the variables that `choice` knows.
ARGUMENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "alibaba": {"api_key": ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY")},
    "anthropic": {"base_url": ("ANTHROPIC_BASE_URL",)},
    "azure": {"azure_endpoint": ("AZURE_OPENAI_ENDPOINT",), "api_version": ("OPENAI_API_VERSION",)},
    "bedrock": {"api_key": ("AWS_BEARER_TOKEN_BEDROCK",), "region_name": ("AWS_DEFAULT_REGION",)},
    "bedrock-mantle": {"api_key": ("AWS_BEARER_TOKEN_BEDROCK",), "region_name": ("AWS_DEFAULT_REGION", "AWS_REGION")},
    "gateway": {
        "api_key": ("PYDANTIC_AI_GATEWAY_API_KEY", "PAIG_API_KEY"),
        "base_url": ("PYDANTIC_AI_GATEWAY_BASE_URL", "PAIG_BASE_URL"),
    },
    "github-copilot": {
        "api_key": ("GITHUB_COPILOT_API_KEY", "GITHUB_COPILOT_API_TOKEN", "COPILOT_GITHUB_TOKEN"),
        "base_url": ("GITHUB_COPILOT_BASE_URL", "COPILOT_API_URL", "GITHUB_COPILOT_API_BASE"),
    },
    "google": {"base_url": ("GOOGLE_GEMINI_BASE_URL",)},
    # A key would win over the credentials that it finds by itself.
    "google-cloud": {"api_key": (), "project": ("GOOGLE_CLOUD_PROJECT",), "location": ("GOOGLE_CLOUD_LOCATION",)},
    "groq": {"base_url": ("GROQ_BASE_URL",)},
    "heroku": {"api_key": ("HEROKU_INFERENCE_KEY",), "base_url": ("HEROKU_INFERENCE_URL",)},
    "moonshotai": {"base_url": ("MOONSHOTAI_BASE_URL",)},
    "ollama": {"base_url": ("OLLAMA_BASE_URL",)},
    "openai": {"base_url": ("OPENAI_BASE_URL",)},
    "sambanova": {"base_url": ("SAMBANOVA_BASE_URL",)},
    "snowflake": {"account": ("SNOWFLAKE_ACCOUNT",), "token": ("SNOWFLAKE_TOKEN",)},
    "system-one": {"api_key": ("SYSTEM_ONE_API_KEY",), "base_url": ("SYSTEM_ONE_BASE_URL",)},
    "typesafe": {"base_url": ("TYPESAFE_BASE_URL",)},
    "vercel": {"api_key": ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN")},
    "vllm": {"base_url": ("VLLM_BASE_URL",)},
}
# Names under which the class of one provider serves several of its protocols.
FLAVOURS = {
    "azure-responses": "azure",
    "google-decisions": "google",
    "openai-chat": "openai",
    "openai-decisions": "openai",
    "openai-responses": "openai",
}


def open_model(model: str, environ: Mapping[str, str]) -> Model | Trouble:
    """
    Find provider, key and address for `provider:name`.

    Args:
        model: As Pydantic AI spells it, or `google-generativeai:name`; never a name alone, which the library would
            complete, or take for its test model.
        environ: Keys and addresses by the names of their variables.
    """
    from pydantic_ai.models import infer_model  # noqa: PLC0415 - slow to load

    provider, colon, name = model.partition(":")
    if not (provider and colon and name):
        return Trouble("unknown-model")
    if provider == LEGACY_GEMINI:
        return _legacy_gemini(name, environ)
    try:
        return infer_model(model, lambda provider: _provider(provider, environ))
    except Exception as error:  # noqa: BLE001 - a missing key, or package, or whatever a library makes of a name
        missing = re.findall(r"`([A-Z][A-Z0-9_]+)`", str(error))
        if not missing:
            return Trouble("unknown-model", detail=str(error))
        ours = choice.key_variables(model, {}).split(" or ")
        return Trouble("no-key", variable="" if set(missing) & set(ours) else " or ".join(missing))


def _provider(name: str, environ: Mapping[str, str]) -> Provider[Any]:
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - slow to load
    from pydantic_ai.providers.gateway import gateway_provider  # noqa: PLC0415 - likewise

    made: Any
    if name.startswith(GATEWAY):
        made = partial(gateway_provider, name.removeprefix(GATEWAY))
        name = "gateway"
    else:
        made = infer_provider_class(name)
    given = _arguments(FLAVOURS.get(name, name), environ)
    taken = inspect.signature(made).parameters
    provider: Provider[Any] = made(**{argument: value for argument, value in given.items() if argument in taken})
    return provider


def _arguments(provider: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Pick what a provider's class is to be given; an empty variable counts as none."""
    found = {"api_key": choice.key_of(provider, environ)}
    for argument, names in ARGUMENTS.get(provider, {}).items():
        found[argument] = next((environ[name] for name in names if environ.get(name)), "")
    remember(found[argument] for argument in SECRETS if argument in found)
    return {argument: value for argument, value in found.items() if value}


def _legacy_gemini(name: str, environ: Mapping[str, str]) -> Model | Trouble:
    from daybook.models.legacy_gemini import LegacyGemini  # noqa: PLC0415 - slow to load

    given = _arguments("google", environ)
    if "api_key" not in given:
        return Trouble("no-key")
    try:
        return LegacyGemini(name, api_key=given["api_key"], base_url=given.get("base_url"))
    except ImportError:
        return Trouble("unknown-model", detail="it needs the extra daybook[google-generativeai]")

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
from daybook.settings.providers import GATEWAY, provider_named

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic_ai.models import Model
    from pydantic_ai.providers import Provider

LEGACY_GEMINI = "google-generativeai"
# Which variables hold another argument of a provider's class than its key, whose variables `choice` knows; the first
# one that is set counts. They are the libraries' own names.
ARGUMENTS: dict[str, dict[str, tuple[str, ...]]] = {
    "anthropic": {"base_url": ("ANTHROPIC_BASE_URL",)},
    "azure": {"azure_endpoint": ("AZURE_OPENAI_ENDPOINT",), "api_version": ("OPENAI_API_VERSION",)},
    "bedrock": {"region_name": ("AWS_DEFAULT_REGION",)},
    "bedrock-mantle": {"region_name": ("AWS_DEFAULT_REGION", "AWS_REGION")},
    "gateway": {"base_url": ("PYDANTIC_AI_GATEWAY_BASE_URL", "PAIG_BASE_URL")},
    "github-copilot": {"base_url": ("GITHUB_COPILOT_BASE_URL", "COPILOT_API_URL", "GITHUB_COPILOT_API_BASE")},
    "google": {"base_url": ("GOOGLE_GEMINI_BASE_URL",)},
    "google-cloud": {"project": ("GOOGLE_CLOUD_PROJECT",), "location": ("GOOGLE_CLOUD_LOCATION",)},
    "groq": {"base_url": ("GROQ_BASE_URL",)},
    "heroku": {"base_url": ("HEROKU_INFERENCE_URL",)},
    "moonshotai": {"base_url": ("MOONSHOTAI_BASE_URL",)},
    "ollama": {"base_url": ("OLLAMA_BASE_URL",)},
    "openai": {"base_url": ("OPENAI_BASE_URL",)},
    "sambanova": {"base_url": ("SAMBANOVA_BASE_URL",)},
    "snowflake": {"account": ("SNOWFLAKE_ACCOUNT",)},
    "system-one": {"base_url": ("SYSTEM_ONE_BASE_URL",)},
    "typesafe": {"base_url": ("TYPESAFE_BASE_URL",)},
    "vllm": {"base_url": ("VLLM_BASE_URL",)},
}
# What a provider's class calls its key, where that is not `api_key`.
KEY_ARGUMENTS = {"snowflake": "token"}


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
        ours, _ = choice.provider_of(model)
        if set(missing) & set(choice.variables_of(ours)):
            return Trouble("no-key")
        given = {name for names in ARGUMENTS.get(ours, {}).values() for name in names}
        return Trouble("no-key", variable=" or ".join([name for name in missing if name in given] or missing))


def _provider(name: str, environ: Mapping[str, str]) -> Provider[Any]:
    from pydantic_ai.providers import infer_provider_class  # noqa: PLC0415 - slow to load
    from pydantic_ai.providers.gateway import gateway_provider  # noqa: PLC0415 - likewise

    behind = name.removeprefix(f"{GATEWAY}/")
    made: Any = infer_provider_class(name) if behind == name else partial(gateway_provider, behind)
    given = _arguments(provider_named(name), environ)
    taken = inspect.signature(made).parameters
    provider: Provider[Any] = made(**{argument: value for argument, value in given.items() if argument in taken})
    return provider


def _arguments(provider: str, environ: Mapping[str, str]) -> dict[str, str]:
    """Pick what a provider's class is to be given; an empty variable counts as none."""
    found = {}
    if provider not in choice.FOUND_BY_PLACE:
        key = choice.key_of(f"{provider}:", environ)
        remember([key])
        found[KEY_ARGUMENTS.get(provider, "api_key")] = key
    for argument, names in ARGUMENTS.get(provider, {}).items():
        found[argument] = next((environ[name] for name in names if environ.get(name)), "")
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

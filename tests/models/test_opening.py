"""Keys and addresses reach a provider by value, and what is missing has a name."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import Any

import pydantic_ai.providers
import pytest

from daybook.guard.secrets import redact
from daybook.models import choice
from daybook.models.opening import ARGUMENTS, _arguments, open_model
from daybook.models.outcomes import Trouble, sentence
from daybook.settings.providers import PROVIDERS

KEY = "fakekeyoftests"
ADDRESS = "http://127.0.0.1:9/base"
READ = re.compile(r"getenv\(\s*'([A-Z0-9_]+)'")
SOURCES = Path(pydantic_ai.providers.__file__).parent
# Read by a provider, and not given to it: what is no key and no address of a model's API (headers, timeouts, voices,
# other products), and what its class takes no argument for.
LEFT = {
    "AWS_CONNECT_TIMEOUT",
    "AWS_READ_TIMEOUT",
    "AZURE_VOICELIVE_API_KEY",
    "AZURE_VOICELIVE_API_VERSION",
    "AZURE_VOICELIVE_ENDPOINT",
    "CO_BASE_URL",
    "GITHUB_COPILOT_INTEGRATION_ID",
    "OPENROUTER_APP_TITLE",
    "OPENROUTER_APP_URL",
}
# No variable's key opens a chat model of theirs: they have a login, credentials of a machine, embeddings or voices.
NOT_BY_KEY = {
    *choice.FOUND_BY_PLACE,
    "elevenlabs",
    "github",
    "openai-chatgpt",
    "sentence-transformers",
    "voyageai",
}
KEYS = [(one, name) for one in PROVIDERS if one not in NOT_BY_KEY for name in choice.variables_of(one)]
# Servers of one's own, the SDK of OpenAI that takes any address, and what has credentials of another kind besides.
WITHOUT_A_KEY = {"bedrock-mantle", "litellm", "ollama", "openai", "system-one", "vllm"}
MODELS = {
    "gateway": "gateway/openai:m",
    "bedrock-mantle": "bedrock-mantle:openai.gpt-oss-20b",
    "openrouter": "openrouter:maker/m",
}
NAMES = {one: [names[0] for names in arguments.values()] for one, arguments in ARGUMENTS.items()}


def opened(model: str, **environ: str) -> Any:
    found = open_model(model, environ)
    assert not isinstance(found, Trouble), found
    return found


def key_given_to(found: Any) -> str:
    inner = getattr(found.client, "_api_client", found.client)
    return str(getattr(inner, "api_key", "") or found._provider._api_key)


def trouble(model: str, **environ: str) -> Trouble:
    found = open_model(model, environ)
    assert isinstance(found, Trouble)
    return found


@pytest.mark.parametrize(
    ("model", "environ", "address"),
    [
        ("openai-chat:m", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ADDRESS}, ADDRESS),
        ("openai:m", {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": ADDRESS}, ADDRESS),
        ("openai-responses:m", {"OPENAI_API_KEY": KEY}, "https://api.openai.com/v1"),
        ("anthropic:m", {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": ADDRESS}, ADDRESS),
        ("ollama:m", {"OLLAMA_API_KEY": KEY, "OLLAMA_BASE_URL": ADDRESS}, ADDRESS),
        ("vllm:m", {"VLLM_API_KEY": KEY, "VLLM_BASE_URL": ADDRESS}, ADDRESS),
        ("moonshotai:m", {"MOONSHOTAI_API_KEY": KEY, "MOONSHOTAI_BASE_URL": ADDRESS}, ADDRESS),
        ("openrouter:maker/m", {"OPENROUTER_API_KEY": KEY}, "https://openrouter.ai/api/v1"),
        ("deepseek:m", {"DEEPSEEK_API_KEY": KEY}, "https://api.deepseek.com"),
        ("alibaba:m", {"DASHSCOPE_API_KEY": KEY}, "https://dashscope-intl.aliyuncs.com/compatible-mode/v1"),
        ("heroku:m", {"HEROKU_INFERENCE_KEY": KEY, "HEROKU_INFERENCE_URL": ADDRESS}, f"{ADDRESS}/v1"),
        ("vercel:maker/m", {"VERCEL_OIDC_TOKEN": KEY}, "https://ai-gateway.vercel.sh/v1"),
    ],
)
def test_a_key_and_an_address_reach_the_client(model: str, environ: dict[str, str], address: str) -> None:
    client = opened(model, **environ).client
    assert (client.api_key, str(client.base_url).rstrip("/")) == (KEY, address)


def test_the_google_client_gets_them_too() -> None:
    client = opened("google:m", GEMINI_API_KEY=KEY, GOOGLE_GEMINI_BASE_URL=ADDRESS).client._api_client
    assert (client.api_key, client._http_options.base_url.rstrip("/")) == (KEY, ADDRESS)


def test_of_two_variables_for_one_key_the_first_one_counts() -> None:
    client = opened("google:m", GEMINI_API_KEY="the-second-one", GOOGLE_API_KEY=KEY).client._api_client
    assert client.api_key == KEY


def test_the_gateway_gets_its_own_key() -> None:
    found = opened("gateway/openai:m", PYDANTIC_AI_GATEWAY_API_KEY=KEY, PYDANTIC_AI_GATEWAY_BASE_URL=ADDRESS)
    assert (found.client.api_key, str(found.client.base_url).startswith(ADDRESS)) == (KEY, True)


def test_a_server_of_ones_own_needs_no_key() -> None:
    for model, variable in (("openai-chat:m", "OPENAI_BASE_URL"), ("ollama:m", "OLLAMA_BASE_URL")):
        assert opened(model, **{variable: ADDRESS}).client.api_key == "api-key-not-set"


def test_a_key_that_is_used_is_redacted_from_then_on() -> None:
    assert redact(f"say {KEY}") == f"say {KEY}"
    opened("anthropic:m", ANTHROPIC_API_KEY=KEY)
    assert redact(f"say {KEY}") == "say [redacted:known]"


@pytest.mark.parametrize(
    ("model", "environ", "variable"),
    [
        ("google:m", {}, ""),
        ("google:m", {"GOOGLE_API_KEY": ""}, ""),
        ("openai-chat:m", {}, ""),
        ("openai:m", {}, ""),
        ("anthropic:m", {}, ""),
        ("openrouter:maker/m", {}, ""),
        ("moonshotai:m", {}, ""),
        ("gateway/openai:m", {}, ""),
        ("google-generativeai:m", {}, ""),
        ("ollama:m", {}, "OLLAMA_BASE_URL"),
        ("vllm:m", {}, "VLLM_BASE_URL"),
        ("heroku:m", {}, ""),
    ],
)
def test_what_is_missing_is_named(model: str, environ: dict[str, str], variable: str) -> None:
    assert trouble(model, **environ) == Trouble("no-key", variable=variable)


def test_an_empty_key_of_the_process_is_a_missing_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    assert trouble("openai-chat:m", OPENAI_API_KEY="") == Trouble("no-key")


@pytest.mark.parametrize(
    ("model", "detail"),
    [
        ("nosuch:m", "Unknown provider: nosuch"),
        ("extractive", ""),
        ("test", ""),
        ("gpt-5", ""),
        (":m", ""),
        ("openai:", ""),
        ("", ""),
    ],
)
def test_what_is_no_model_is_not_opened(model: str, detail: str) -> None:
    assert trouble(model, OPENAI_API_KEY=KEY) == Trouble("unknown-model", detail=detail)


def test_a_provider_whose_package_is_missing_says_which() -> None:
    if importlib.util.find_spec("groq") is not None:
        pytest.skip("the package groq is installed")
    found = trouble("groq:m", GROQ_API_KEY=KEY)
    assert found.outcome == "unknown-model"
    assert "install" in found.detail
    assert "groq" in found.detail


def test_the_former_sdk_of_gemini_says_which_extra_it_needs() -> None:
    if importlib.util.find_spec("google.generativeai") is not None:
        pytest.skip("the extra is installed")
    expected = Trouble("unknown-model", detail="it needs the extra daybook[google-generativeai]")
    assert trouble("google-generativeai:m", GEMINI_API_KEY=KEY) == expected


def test_every_variable_that_a_provider_reads_is_given_to_it() -> None:
    """A new version of the library may read a new one, which would then not work from keys.env."""
    read = {name for path in SOURCES.glob("*.py") for name in READ.findall(path.read_text(encoding="utf-8"))}
    listed = {name for arguments in ARGUMENTS.values() for names in arguments.values() for name in names}
    keys = {name for provider in PROVIDERS for name in choice.variables_of(provider)}
    assert read - listed - keys - LEFT == set()
    assert read >= LEFT


@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_variables_of_a_key_are_those_that_its_provider_reads(provider: str) -> None:
    """Also where its package is not installed, by what stands in the library."""
    path = SOURCES / f"{provider.replace('-', '_')}.py"
    read = [name for name in dict.fromkeys(READ.findall(path.read_text(encoding="utf-8"))) if name not in LEFT]
    ours = choice.variables_of(provider)
    if provider in choice.FOUND_BY_PLACE:
        assert set(ours) <= set(read)
        return
    secret = tuple(name for name in read if re.search("KEY|TOKEN", name))
    # Who reads none has it read by an SDK, or has no key at all.
    assert ours == (secret or (f"{provider.upper().replace('-', '_')}_API_KEY",))


@pytest.mark.parametrize(("provider", "variable"), KEYS)
def test_the_variable_of_a_key_is_the_same_for_opening_cooldown_and_what_is_said(provider: str, variable: str) -> None:
    model = MODELS.get(provider, f"{provider}:m")
    others = {name: ADDRESS if "URL" in name or "ENDPOINT" in name else "us-east-1" for name in NAMES.get(provider, ())}
    missing = open_model(model, others)
    if isinstance(missing, Trouble) and missing.outcome == "unknown-model" and "install" in missing.detail:
        pytest.skip(f"the package of {provider} is not installed")
    assert choice.key_of(model, others) == ""
    if provider not in WITHOUT_A_KEY:
        assert missing == Trouble("no-key")
        told = sentence(model, Trouble("no-key"), variable=choice.key_variables(model, others), secrets=())
        assert set(re.findall(r"[A-Z][A-Z0-9_]{4,}", told)) == set(choice.variables_of(provider))
    environ = others | {variable: KEY}
    assert (choice.key_of(model, environ), choice.key_variables(model, environ)) == (KEY, variable)
    assert key_given_to(opened(model, **environ)) == KEY


def test_a_provider_that_finds_its_credentials_itself_is_given_no_key() -> None:
    for provider in sorted(choice.FOUND_BY_PLACE):
        given = _arguments(provider, dict.fromkeys([*choice.variables_of(provider), "GOOGLE_API_KEY"], "/a/place"))
        assert given == {}


def test_what_else_an_azure_needs_is_named_without_what_it_is_not_given() -> None:
    assert trouble("azure:m", AZURE_OPENAI_API_KEY=KEY) == Trouble("no-key", variable="AZURE_OPENAI_ENDPOINT")

"""Which models are tried for a purpose, and which environment variables hold their keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.settings import Models

Purpose = Literal["review", "second_opinion", "mail_triage", "news_rank", "capture"]
# Their share of the budget is theirs alone, and they run in quiet hours too.
REVIEWING: frozenset[Purpose] = frozenset({"review", "second_opinion"})
EXTRACTIVE = "extractive"
DEFAULT_MODEL = "google:gemini-flash-lite-latest"
GEMINI_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
# By provider, as Pydantic AI names it, where it is not `<PROVIDER>_API_KEY` alone; the first one that is set counts.
KEY_VARIABLES: dict[str, tuple[str, ...]] = {
    "alibaba": ("ALIBABA_API_KEY", "DASHSCOPE_API_KEY"),
    "azure": ("AZURE_OPENAI_API_KEY",),
    "bedrock": ("AWS_BEARER_TOKEN_BEDROCK",),
    "bedrock-mantle": ("AWS_BEARER_TOKEN_BEDROCK",),
    "cohere": ("CO_API_KEY",),
    "gateway": ("PYDANTIC_AI_GATEWAY_API_KEY", "PAIG_API_KEY"),
    "github-copilot": ("GITHUB_COPILOT_API_KEY", "GITHUB_COPILOT_API_TOKEN", "COPILOT_GITHUB_TOKEN"),
    "google": GEMINI_KEYS,
    "google-cloud": ("GOOGLE_APPLICATION_CREDENTIALS",),
    "heroku": ("HEROKU_INFERENCE_KEY",),
    "huggingface": ("HF_TOKEN",),
    "openai-codex": ("CODEX_HOME",),
    "snowflake": ("SNOWFLAKE_TOKEN",),
    "vercel": ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
    "voyageai": ("VOYAGE_API_KEY",),
}
# Theirs hold no key but the place of one, which the library finds by itself; a key would win over it.
FOUND_BY_PLACE = frozenset({"google-cloud", "openai-codex"})
SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|TOKEN_BEDROCK|SECRET|PASSWORD|PASSWD|AUTH_STRING)$", re.IGNORECASE)
SECRET_VALUE = re.compile(r"(?!/)(?=.*[^\W\d_])(?:.*\d.*|.{16,})", re.DOTALL)


def choose(models: Models, purpose: Purpose, environ: Mapping[str, str]) -> tuple[str, ...]:
    """
    List the models that are tried for a purpose, in order.

    `extractive` is no model: it is the caller's own rules, and nothing after it is reached.

    Args:
        models: The `[models]` part of the settings. Where it names none, a review's models are chosen by the
            keys, a second opinion's are the review's, and everything else goes by rules.
        purpose: What they are for.
        environ: Keys by the names of their variables.
    """
    named: tuple[str, ...] = getattr(models, purpose)
    if not named and purpose == "second_opinion":
        return choose(models, "review", environ)
    if not named and purpose == "review" and any(environ.get(name) for name in GEMINI_KEYS):
        return (DEFAULT_MODEL, EXTRACTIVE)
    if EXTRACTIVE in named:
        return named[: named.index(EXTRACTIVE) + 1]
    return named or (EXTRACTIVE,)


def configured(models: Models, environ: Mapping[str, str]) -> frozenset[str]:
    """Name every model that is asked for some purpose."""
    chosen = {model for purpose in get_args(Purpose) for model in choose(models, purpose, environ)}
    return frozenset(chosen - {EXTRACTIVE})


def provider_of(model: str) -> tuple[str, str]:
    """Split `provider:name` as Pydantic AI does, with flavours such as `openai-chat` under their provider."""
    from daybook.settings.providers import provider_named  # noqa: PLC0415 - loads Pydantic, and every beat reads keys

    provider, _, name = model.partition(":")
    return provider_named(provider), name


def key_variables(model: str, environ: Mapping[str, str]) -> str:
    """Name the environment variable that holds the key of *model*, or those that may hold it."""
    known = variables_of(provider_of(model)[0])
    return next((name for name in known if environ.get(name)), " or ".join(reversed(known)))


def key_of(model: str, environ: Mapping[str, str]) -> str:
    """Give the key of *model*; empty if there is none."""
    known = variables_of(provider_of(model)[0])
    return next((environ[name] for name in known if environ.get(name)), "")


def variables_of(provider: str) -> tuple[str, ...]:
    """Give the environment variables that may hold a provider's key; the first one that is set counts."""
    return KEY_VARIABLES.get(provider, (f"{provider.upper().replace('-', '_')}_API_KEY",))


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Values of the environment that are secrets by their name; a path, a number or a plain word is none."""
    named = (value for name, value in environ.items() if SECRET_NAME.search(name))
    return [value for value in named if SECRET_VALUE.fullmatch(value)]

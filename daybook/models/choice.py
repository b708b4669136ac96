"""Which models are tried for a purpose, and which environment variables hold their keys."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from daybook.settings import Models

EXTRACTIVE = "extractive"
DEFAULT_MODEL = "google:gemini-flash-lite-latest"
GEMINI_KEYS = ("GOOGLE_API_KEY", "GEMINI_API_KEY")
# Providers whose variable is not `<PROVIDER>_API_KEY`; the first one that is set counts.
KEY_VARIABLES: dict[str, tuple[str, ...]] = {
    "google": GEMINI_KEYS,
    "azure": ("AZURE_OPENAI_API_KEY",),
    "cohere": ("CO_API_KEY",),
    "huggingface": ("HF_TOKEN",),
    "gateway": ("PYDANTIC_AI_GATEWAY_API_KEY",),
}
SECRET_NAME = re.compile(r"(?:^|_)(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|AUTH_STRING)$", re.IGNORECASE)
SECRET_VALUE = re.compile(r"(?!/)(?=.*[^\W\d_])(?:.*\d.*|.{16,})", re.DOTALL)


def choose(models: Models, environ: Mapping[str, str]) -> tuple[str, ...]:
    """
    List the models that a review tries, in order.

    `extractive` is no model: it is the caller's own rule-based reading, and nothing after it is reached.

    Args:
        models: The `[models]` part of the settings; an empty list leaves the choice to the keys.
        environ: The environment, for the keys.
    """
    if EXTRACTIVE in models.review:
        return models.review[: models.review.index(EXTRACTIVE) + 1]
    if models.review:
        return models.review
    if any(environ.get(name) for name in GEMINI_KEYS):
        return (DEFAULT_MODEL, EXTRACTIVE)
    return (EXTRACTIVE,)


def provider_of(model: str) -> tuple[str, str]:
    """Split `provider:name` as Pydantic AI does, with flavours such as `openai-chat` under their provider."""
    provider, _, name = model.partition(":")
    return provider.partition("/")[0].partition("-")[0], name


def key_variables(model: str, environ: Mapping[str, str]) -> str:
    """Name the environment variable that holds the key of *model*, or those that may hold it."""
    provider, _ = provider_of(model)
    known = KEY_VARIABLES.get(provider, (f"{provider.upper()}_API_KEY",))
    return next((name for name in known if environ.get(name)), " or ".join(reversed(known)))


def secret_values(environ: Mapping[str, str]) -> list[str]:
    """Values of the environment that are secrets by their name; a path, a number or a plain word is none."""
    named = (value for name, value in environ.items() if SECRET_NAME.search(name))
    return [value for value in named if SECRET_VALUE.fullmatch(value)]

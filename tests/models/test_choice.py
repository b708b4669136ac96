"""Which models are tried, and which variables hold their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from daybook.models.choice import choose, key_variables, provider_of, secret_values
from daybook.settings import Models

if TYPE_CHECKING:
    from daybook.models.choice import Purpose


@pytest.mark.parametrize("name", ["GEMINI_API_KEY", "GOOGLE_API_KEY"])
def test_with_a_gemini_key_the_default_is_gemini_and_then_extractive(name: str) -> None:
    assert choose(Models(), "review", {name: "k"}) == ("google:gemini-flash-lite-latest", "extractive")


@pytest.mark.parametrize("environ", [{}, {"GEMINI_API_KEY": ""}, {"OPENAI_API_KEY": "k"}])
def test_without_a_gemini_key_the_default_is_extractive(environ: dict[str, str]) -> None:
    assert choose(Models(), "review", environ) == ("extractive",)


def test_the_configured_list_wins_over_the_keys() -> None:
    assert choose(Models(review=("ollama:llama3",)), "review", {"GEMINI_API_KEY": "k"}) == ("ollama:llama3",)


def test_a_second_opinion_is_the_reviews_unless_it_has_models_of_its_own() -> None:
    assert choose(Models(review=("a:b", "extractive", "c:d")), "second_opinion", {}) == ("a:b", "extractive")
    assert choose(Models(review=("a:b",), second_opinion=("e:f",)), "second_opinion", {}) == ("e:f",)


@pytest.mark.parametrize("purpose", ["mail_triage", "news_rank", "capture"])
def test_what_is_no_review_goes_by_rules_until_a_model_is_named(purpose: Purpose) -> None:
    assert choose(Models(), purpose, {"GEMINI_API_KEY": "k"}) == ("extractive",)
    assert choose(Models.model_validate({purpose: ["a:b"]}), purpose, {}) == ("a:b",)


@pytest.mark.parametrize(
    ("model", "environ", "expected"),
    [
        ("google:gemini-flash-lite-latest", {}, "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("google:gemini-flash-lite-latest", {"GEMINI_API_KEY": "a"}, "GEMINI_API_KEY"),
        ("google:gemini-flash-lite-latest", {"GEMINI_API_KEY": "a", "GOOGLE_API_KEY": "b"}, "GOOGLE_API_KEY"),
        ("openai-chat:gpt-5-mini", {}, "OPENAI_API_KEY"),
        ("anthropic:claude-haiku-4-5", {}, "ANTHROPIC_API_KEY"),
        ("google-generativeai:gemini-2.5-pro", {"GEMINI_API_KEY": "a"}, "GEMINI_API_KEY"),
        ("github-copilot:m", {"COPILOT_GITHUB_TOKEN": "a"}, "COPILOT_GITHUB_TOKEN"),
        ("system-one:m", {}, "SYSTEM_ONE_API_KEY"),
        ("gateway/openai:m", {"PAIG_API_KEY": "a"}, "PAIG_API_KEY"),
        ("bedrock-mantle:m", {}, "AWS_BEARER_TOKEN_BEDROCK"),
        ("google-cloud:m", {"GOOGLE_API_KEY": "a"}, "GOOGLE_APPLICATION_CREDENTIALS"),
    ],
)
def test_the_variable_that_counts_is_named(model: str, environ: dict[str, str], expected: str) -> None:
    assert key_variables(model, environ) == expected


def test_flavours_of_a_provider_belong_to_it() -> None:
    named = ("openai-responses:gpt-5", "google-generativeai:m", "gateway/openai:gpt-5", "ollama:llama3:8b")
    assert [provider_of(model) for model in named] == [
        ("openai", "gpt-5"),
        ("google", "m"),
        ("gateway", "gpt-5"),
        ("ollama", "llama3:8b"),
    ]


def test_a_provider_whose_name_begins_like_another_ones_is_itself() -> None:
    named = ("github-copilot:m", "google-cloud:m", "bedrock-mantle:m", "openai-codex:m", "system-one:m")
    assert [provider_of(model)[0] for model in named] == [model.removesuffix(":m") for model in named]


def test_secrets_of_the_environment_are_found_by_name() -> None:
    environ = {
        "GEMINI_API_KEY": "s3cret-one",
        "hf_token": "another-long-secret",
        "TOKENIZERS_PARALLELISM": "false-value",
        "SSH_KEY_FILE": "/home/me/.ssh/id",
        "KEYBOARD": "german",
        "DEFAULT_KEY": "development",
        "TOKEN_LIMIT": "128000-tokens",
        "RELEASE_KEY": "2026-02-07",
    }
    assert secret_values(environ) == ["s3cret-one", "another-long-secret"]

"""The providers that settings know are those of the library, and a limit can be written for each under one name."""

from __future__ import annotations

import ast
import inspect

import pytest
from pydantic_ai.providers import infer_provider_class

from daybook import settings
from daybook.errors import SettingsError
from daybook.models.choice import provider_of
from daybook.settings.providers import FLAVOURS, GATEWAY, PROVIDERS, provider_named

OF_OURS = "google-generativeai"


def in_the_library() -> set[str]:
    """Every name that the library has a provider for."""
    tree = ast.parse(inspect.getsource(infer_provider_class))
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.MatchValue)]
    return {value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def test_the_table_names_what_the_library_has_and_nothing_else() -> None:
    assert {*PROVIDERS, *FLAVOURS} - {GATEWAY, OF_OURS} == in_the_library()
    assert list(PROVIDERS) == sorted(set(PROVIDERS))


@pytest.mark.parametrize("name", sorted(set(FLAVOURS) - {OF_OURS}))
def test_a_flavour_is_served_by_the_class_of_its_provider(name: str) -> None:
    assert infer_provider_class(name) is infer_provider_class(provider_named(name))


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_limit_may_be_set_for_each_provider_as_models_are_counted(name: str) -> None:
    assert provider_of(f"{name}:m")[0] == name
    found = settings.validate({"models": {"requests_per_minute": {name: 10}}}, "daybook.toml")
    assert found.models.requests_per_minute == {name: 10}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("openai-chat", "'openai-chat' is counted as its provider; write 'openai'"),
        ("google-generativeai", "'google-generativeai' is counted as its provider; write 'google'"),
        ("gateway/openai", "'gateway/openai' is counted as its provider; write 'gateway'"),
        ("gogle", "'gogle' is no provider; did you mean 'google'"),
        ("Google", "'Google' is no provider; did you mean 'google'"),
        ("", f"'' is no provider; known are {', '.join(PROVIDERS)}"),
    ],
)
def test_a_limit_for_another_name_says_which_one_counts(name: str, reason: str) -> None:
    with pytest.raises(SettingsError) as caught:
        settings.validate({"models": {"requests_per_minute": {"anthropic": 5, name: 10}}}, "daybook.toml")
    assert str(caught.value) == f"daybook.toml: models.requests_per_minute: {reason}."

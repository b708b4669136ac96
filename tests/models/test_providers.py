"""One request, one outcome: the same situations in three protocols over real HTTP."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from pydantic_ai.providers.openrouter import OpenRouterProvider

from daybook.models import call
from daybook.models.outcomes import Trouble
from daybook.review.operations import Answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Expected, FakeProvider, Situation
    from werkzeug import Request

    Start = Callable[[str], FakeProvider]

KEY = "fakekeyoftests"
MODELS = {
    "gemini": "google:gemini-flash-lite-latest",
    "openai": "openai-chat:gpt-5-mini",
    "anthropic": "anthropic:claude-haiku-4-5",
}
KEY_HEADERS = {"gemini": "X-Goog-Api-Key", "openai": "Authorization", "anthropic": "Authorization"}


def told(result: Answer | Trouble) -> tuple[str, float | None]:
    return (result.outcome, result.retry_after_s) if isinstance(result, Trouble) else ("answered", None)


@pytest.mark.parametrize("protocol", MODELS)
def test_each_situation_has_its_outcome_after_one_request(protocol: str, provider: Start, situation: Situation) -> None:
    fake = provider(protocol)
    fake.will_meet(situation.response)
    reply = fake.ask(MODELS[protocol])
    assert (*told(reply.result), reply.used.tokens_in, reply.used.tokens_out) == situation.expected
    assert (len(fake.seen), reply.used.calls) == (1, 1)


def test_every_situation_of_the_data_is_expected(
    situations: dict[str, dict[str, Any]], expected: dict[str, Expected]
) -> None:
    assert sorted(situations) == sorted(expected)


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ('```json\n{"operations": []}\n```', "answered"),
        ('```\n{"operations": []}\n```', "answered"),
        ('```json\n{"operations": []}', "answered"),
        ('Here it is:\n```json\n{"operations": []}\n```\nAnything else?', "answered"),
        ('Here it is: {"operations": []}', "malformed"),
        ('{"operations": []} Anything else?', "malformed"),
        ('```json\n{"operations": [\n```', "malformed"),
        ('{"operations": 3}', "malformed"),
        ("null", "malformed"),
        (" \n", "empty"),
    ],
)
def test_fences_are_taken_off_and_words_around_bare_json_are_not(
    text: str, outcome: str, protocol: str, provider: Start
) -> None:
    fake = provider(protocol)
    fake.will_write(text)
    assert told(fake.ask(MODELS[protocol]).result) == (outcome, None)


@pytest.mark.parametrize("protocol", MODELS)
def test_a_dropped_connection_is_not_tried_again(protocol: str, provider: Start) -> None:
    fake = provider(protocol)
    fake.will_drop()
    reply = fake.ask(MODELS[protocol])
    assert (told(reply.result), len(fake.seen)) == (("unreachable", None), 1)


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_no_status_is_tried_again_even_if_the_provider_says_so(status: int, protocol: str, provider: Start) -> None:
    fake = provider(protocol)
    fake.script.append({"status": status, "headers": {"x-should-retry": "true", "Retry-After": "0"}, "body": {}})
    assert isinstance(fake.ask(MODELS[protocol]).result, Trouble)
    assert len(fake.seen) == 1


@pytest.mark.parametrize("protocol", MODELS)
def test_the_request_carries_schema_and_limit_and_no_tools(protocol: str, provider: Start) -> None:
    fake = provider(protocol)
    fake.will_answer({"operations": []})
    reply = fake.ask(MODELS[protocol])
    assert isinstance(reply.result, Answer)
    (request,) = fake.seen
    body = request.get_json()
    text = json.dumps(body)
    for field in Answer.model_json_schema()["properties"]:
        assert f'"{field}"' in text
    assert "What did we learn?" in text
    assert limit_of(body) == 321
    assert not {"tools", "tool_choice", "functions", "toolConfig"} & set(body)


def limit_of(body: dict[str, Any]) -> int:
    inner = body.get("generationConfig", body)
    return int(inner.get("maxOutputTokens") or inner.get("max_completion_tokens") or inner["max_tokens"])


@pytest.mark.parametrize("protocol", MODELS)
def test_the_key_is_in_its_header_and_nowhere_else(protocol: str, provider: Start) -> None:
    fake = provider(protocol)
    fake.will_answer({"operations": []})
    fake.ask(MODELS[protocol])
    (request,) = fake.seen
    assert headers_with_the_key(request) == [KEY_HEADERS[protocol]]
    assert KEY not in request.url
    assert KEY not in request.get_data(as_text=True)


def headers_with_the_key(request: Request) -> list[str]:
    return [name for name, value in request.headers if KEY in value]


@pytest.mark.parametrize("protocol", MODELS)
@pytest.mark.parametrize("name", ["429-per-minute", "400-bad-key", "200-prose-instead-of-json", "503-overloaded"])
def test_no_library_logs_the_key(
    name: str,
    protocol: str,
    provider: Start,
    situations: dict[str, dict[str, Any]],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Records are looked at as the libraries make them, before any redaction of ours."""
    caplog.set_level(logging.DEBUG)
    fake = provider(protocol)
    fake.will_meet(situations[name])
    fake.ask(MODELS[protocol])
    assert caplog.records
    assert [record.name for record in caplog.records if KEY in str(vars(record))] == []


@pytest.mark.parametrize(
    ("model", "environ", "header"),
    [
        ("ollama:llama3", {"OLLAMA_BASE_URL": "{}/v1", "OLLAMA_API_KEY": KEY}, f"Bearer {KEY}"),
        ("vllm:llama3", {"VLLM_BASE_URL": "{}/v1", "VLLM_API_KEY": KEY}, f"Bearer {KEY}"),
        ("moonshotai:kimi-k2", {"MOONSHOTAI_BASE_URL": "{}/v1", "MOONSHOTAI_API_KEY": KEY}, f"Bearer {KEY}"),
        ("openai-chat:any", {"OPENAI_BASE_URL": "{}/v1", "OPENAI_API_KEY": KEY}, f"Bearer {KEY}"),
        ("openai-chat:any", {"OPENAI_BASE_URL": "{}/v1"}, "Bearer api-key-not-set"),
        ("ollama:llama3", {"OLLAMA_BASE_URL": "{}/v1"}, "Bearer api-key-not-set"),
    ],
)
def test_a_compatible_server_is_reached_by_its_own_variables(
    model: str, environ: dict[str, str], header: str, provider: Start
) -> None:
    fake = provider("openai")
    fake.will_answer({"operations": []})
    reply = fake.ask(model, {name: value.format(fake.address) for name, value in environ.items()})
    assert reply.result == Answer(operations=())
    assert (reply.used.calls, reply.used.tokens_in, reply.used.tokens_out) == (1, 1100, 70)
    assert [request.headers["Authorization"] for request in fake.seen] == [header]
    body = fake.seen[0].get_json()
    assert (body["model"], limit_of(body)) == (model.partition(":")[2], 321)


def test_openrouter_speaks_the_same_protocol_at_the_one_address_its_provider_has(
    provider: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library has no variable for that address; here it is turned to a local server for the test alone."""
    fake = provider("openai")
    fake.will_answer({"operations": []})
    # It says which maker's server answered, and the library insists on that.
    fake.script[0]["body"]["provider"] = "maker"
    monkeypatch.setattr(OpenRouterProvider, "base_url", f"{fake.address}/v1")
    reply = fake.ask("openrouter:maker/m", {"OPENROUTER_API_KEY": KEY})
    assert reply.result == Answer(operations=())
    (request,) = fake.seen
    assert headers_with_the_key(request) == ["Authorization"]
    assert limit_of(request.get_json()) == 321


def test_an_answer_that_lacks_what_the_provider_promises_is_malformed(
    provider: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = provider("openai")
    fake.will_answer({"operations": []})
    monkeypatch.setattr(OpenRouterProvider, "base_url", f"{fake.address}/v1")
    assert told(fake.ask("openrouter:maker/m", {"OPENROUTER_API_KEY": KEY}).result) == ("malformed", None)


@pytest.mark.parametrize("name", ["429-per-minute", "503-overloaded", "400-bad-key"])
def test_the_short_name_of_openai_is_its_newer_protocol_and_fails_as_well(
    name: str, provider: Start, situations: dict[str, dict[str, Any]], expected: dict[str, Expected], httpserver: Any
) -> None:
    """`openai:` posts to /responses, which a compatible server need not have; for those the name is `openai-chat:`."""
    fake = provider("openai")
    fake.will_meet(situations[name])
    httpserver.expect_request("/v1/responses", method="POST").respond_with_handler(fake.answer)
    reply = fake.ask("openai:gpt-5-mini")
    assert (*told(reply.result), 0, 0) == expected[name]
    assert [(request.path, headers_with_the_key(request)) for request in fake.seen] == [
        ("/v1/responses", ["Authorization"])
    ]


@pytest.mark.parametrize("protocol", MODELS)
def test_a_server_that_drips_is_given_up_in_time(
    protocol: str, provider: Start, dripping: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each byte comes in time; only a limit on the whole request ends it."""
    monkeypatch.setattr(call, "REQUEST_TIMEOUT_S", 0.3)
    fake = provider(protocol)
    environ = {name: value.replace(fake.address, dripping) for name, value in fake.environ.items()}
    assert told(fake.ask(MODELS[protocol], environ).result) == ("timeout", None)


@pytest.mark.parametrize("protocol", MODELS)
def test_a_text_that_is_too_long_is_said_to_be(protocol: str, provider: Start) -> None:
    said = {
        "gemini": "The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).",
        "openai": "This model's maximum context length is 4096 tokens.",
        "anthropic": "prompt is too long: 210000 tokens > 200000 maximum",
    }
    fake = provider(protocol)
    error = {"code": 400, "status": "INVALID_ARGUMENT", "message": said[protocol]}
    fake.will_meet({"status": 400, "headers": {}, "body": {"error": error}})
    assert told(fake.ask(MODELS[protocol]).result) == ("too-long", None)

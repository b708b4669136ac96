"""Every way in which asking a model can end, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import socket
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from daybook import prompts
from daybook.models import call, spend
from daybook.models.ask import ask
from daybook.models.outcomes import Answered, Unavailable, Used
from daybook.review.operations import Answer, Operation
from daybook.settings import Budget, Settings

if TYPE_CHECKING:
    from conftest import FakeGemini, Waits

    from daybook.workspace import Workspace

MODEL = "google:gemini-flash-lite-latest"
KEY = "AIzaFakeKeyForTests0123456789"
NOW = datetime(2026, 2, 7, 3, 30, tzinfo=UTC)
ADD = {"kind": "add", "text": "Backups run at 04:30", "section": "Decisions", "entry": "", "sources": [2]}

# outcome, calls, seconds waited; with the jitter at half its range
EXPECTED: dict[str, tuple[str, int, list[float]]] = {
    "200-empty-candidates": ("empty", 1, []),
    "200-json-in-fences": ("answered", 1, []),
    "200-malformed-http-json": ("malformed", 1, []),
    "200-max-tokens-half-json": ("truncated", 1, []),
    "200-max-tokens-no-parts": ("truncated", 1, []),
    "200-prompt-blocked": ("blocked", 1, []),
    "200-prose-instead-of-json": ("malformed", 1, []),
    "200-recitation": ("blocked", 1, []),
    "200-safety": ("blocked", 1, []),
    "400-bad-key": ("bad-key", 1, []),
    "404-retired-model": ("retired-model", 1, []),
    "429-header-only": ("rate-limited", 3, [2.5, 2.5]),
    "429-per-day": ("daily-quota", 1, []),
    "429-per-minute": ("rate-limited", 3, [3.0, 3.0]),
    "500-internal": ("server-error", 3, [2.0, 4.0]),
    "502-html": ("server-error", 3, [2.0, 4.0]),
    "503-overloaded": ("overloaded", 3, [2.0, 4.0]),
}


def asked(workspace: Workspace, waits: Waits, **changes: Any) -> Answered[Answer] | Unavailable:
    settings = changes.pop("settings", Settings(timezone="UTC"))
    model = changes.pop("model", MODEL)
    prompt = changes.pop("prompt", "What did we learn?")
    return asyncio.run(
        ask(
            workspace,
            settings,
            model,
            prompt,
            Answer,
            purpose="review",
            now=NOW,
            sleep=waits.sleep,
            clock=waits.clock,
            chance=lambda: 0.5,
            **changes,
        )
    )


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_each_known_situation_has_its_outcome(
    name: str, situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations[name])
    found = asked(workspace, waits)
    assert (found.outcome, found.used.calls, waits.seconds) == EXPECTED[name]
    assert len(gemini.bodies) == EXPECTED[name][1]


def test_every_situation_in_the_data_is_expected(situations: dict[str, dict[str, Any]]) -> None:
    assert sorted(situations) == sorted(EXPECTED)


def test_a_good_answer_gives_operations_and_what_they_cost(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say({"operations": [ADD]})
    found = asked(workspace, waits)
    assert isinstance(found, Answered)
    assert found.answer.operations == (
        Operation(kind="add", text="Backups run at 04:30", section="Decisions", sources=(2,)),
    )
    assert (found.used.calls, found.used.tokens_in, found.used.tokens_out) == (1, 1100, 70)
    assert found.used.usd is not None
    assert 0 < found.used.usd < 0.01


def test_the_request_carries_schema_limit_and_key_and_no_tools(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say({"operations": []})
    asked(workspace, waits)
    body = gemini.bodies[0]
    assert gemini.prompts == ["What did we learn?"]
    assert body["generationConfig"]["maxOutputTokens"] == call.MAX_OUTPUT_TOKENS
    assert body["generationConfig"]["responseJsonSchema"]["title"] == "Answer"
    assert "tools" not in body
    assert gemini.headers[0]["X-Goog-Api-Key"] == KEY


def test_a_refusal_that_passes_is_tried_again(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["429-per-minute"], situations["503-overloaded"])
    gemini.will_say({"operations": []})
    found = asked(workspace, waits)
    assert (found.outcome, found.used.calls, found.used.tokens_in) == ("answered", 3, 1100)
    assert waits.seconds == [3.0, 4.0]


def test_a_wait_of_more_than_a_minute_is_handed_back(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    gemini.will_send({"status": 429, "headers": {"Retry-After": "600"}, "body": {"error": {"code": 429}}})
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert (found.outcome, found.retry_after_s, found.used.calls, waits.seconds) == ("rate-limited", 600.0, 1, [])
    assert found.sentence == f"{MODEL} allows no more calls at the moment; try again later (it asks to wait 600 s)."


def test_waits_end_after_a_minute_in_all(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    gemini.will_send({"status": 429, "headers": {"Retry-After": "40"}, "body": {"error": {"code": 429}}})
    found = asked(workspace, waits)
    assert (found.used.calls, waits.seconds) == (2, [40.5])


def test_a_bad_key_names_its_variable_and_not_its_value(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["400-bad-key"])
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert found.sentence == f"{MODEL} refuses the key in GEMINI_API_KEY; set GEMINI_API_KEY to a valid key."


def test_a_key_is_never_told_even_if_the_provider_repeats_it(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "plainlookingword")
    said = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "odd request of plainlookingword\n# x"}}
    gemini.will_send({"status": 400, "headers": {}, "body": said})
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert found.sentence == f"{MODEL} rejected the request (odd request of [redacted:known] # x)."


def test_secrets_leave_the_prompt_before_it_is_sent(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    gemini.will_say({"operations": []})
    asked(workspace, waits, prompt=f"1 | key {KEY}\n2 | mail pass hunter2hunter2", secrets=["hunter2hunter2"])
    assert gemini.prompts == ["1 | key [redacted:known]\n2 | mail pass [redacted:known]"]


def test_without_a_key_nothing_is_sent(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert (found.outcome, found.used, gemini.bodies) == ("no-key", Used(), [])
    assert found.sentence == (
        f"{MODEL} needs GEMINI_API_KEY or GOOGLE_API_KEY, which is not set; set it in the environment."
    )


@pytest.mark.parametrize("model", ["gemini-flash-lite", "nosuch:model", "extractive", "groq:any", ""])
def test_a_name_that_is_no_model_is_said_to_be_none(model: str, workspace: Workspace, waits: Waits) -> None:
    found = asked(workspace, waits, model=model)
    assert (found.outcome, found.used) == ("unknown-model", Used())
    assert not (workspace.private / "spend.jsonl").exists()


def test_a_closed_port_is_unreachable(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{reserved.getsockname()[1]}")
        found = asked(workspace, waits)
    assert (found.outcome, found.used.calls, waits.seconds, gemini.bodies) == ("unreachable", 1, [], [])


def test_a_server_that_never_answers_is_a_timeout(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "REQUEST_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        found = asked(workspace, waits)
    assert (found.outcome, found.used.calls, waits.seconds, gemini.bodies) == ("timeout", 1, [], [])


def test_a_cancelled_call_passes_on_and_is_counted(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cancel_while_it_waits() -> None:
        task = asyncio.create_task(
            ask(workspace, Settings(), MODEL, "x", Answer, purpose="review", now=NOW, sleep=waits.sleep)
        )
        connection, _ = await asyncio.get_running_loop().sock_accept(silent)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(0)
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        asyncio.run(cancel_while_it_waits())
    assert spend.today(workspace, UTC, NOW).calls == 1
    assert gemini.bodies == []


def test_each_call_is_kept_with_what_it_used(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["429-per-minute"])
    gemini.will_say({"operations": []})
    asked(workspace, waits)
    rows = [json.loads(line) for line in (workspace.private / "spend.jsonl").read_text().splitlines()]
    assert [(row["at"], row["calls"], row["tokens_in"], row["tokens_out"]) for row in rows] == [
        ("2026-02-07T03:30:00Z", 1, 0, 0),
        ("2026-02-07T03:30:03Z", 1, 1100, 70),
    ]
    assert rows[0]["usd"] == 0
    assert rows[1]["usd"] > 0


def test_an_answer_that_cannot_be_used_still_costs(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["200-prose-instead-of-json"])
    found = asked(workspace, waits)
    assert (found.used.tokens_in, found.used.tokens_out) == (1100, 70)


def test_over_the_budget_nothing_is_sent(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    tight = Settings(timezone="UTC", budget=Budget(tokens_per_day=1200))
    gemini.will_say({"operations": []})
    first = asked(workspace, waits, settings=tight, prompt="x" * 400)
    second = asked(workspace, waits, settings=tight, prompt="x" * 400)
    assert (first.outcome, second.outcome, second.used.calls) == ("answered", "over-budget", 0)
    assert len(gemini.bodies) == 1


def test_the_budget_is_looked_at_before_each_try(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["429-per-minute"])

    async def spend_meanwhile(seconds: float) -> None:
        await waits.sleep(seconds)
        spend.record(workspace, purpose="review", model=MODEL, used=Used(1, 500_000, 0, 0.0), at=NOW)

    found = asyncio.run(
        ask(workspace, Settings(), MODEL, "x", Answer, purpose="review", now=NOW, sleep=spend_meanwhile)
    )
    assert (found.outcome, found.used.calls) == ("over-budget", 1)


def test_an_edited_prompt_changes_what_the_model_is_sent(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say({"operations": []})
    asked(workspace, waits, prompt=prompts.show(workspace, "review").text)
    workspace.prompts_dir.mkdir()
    (workspace.prompts_dir / "review.md.j2").write_text("My own words on {{ date }}.\n")
    asked(workspace, waits, prompt=prompts.show(workspace, "review").text)
    assert gemini.prompts[0].startswith("You keep the long-term memory")
    assert gemini.prompts[1] == "My own words on 2026-02-07.\n"


def test_a_compatible_server_is_reached_by_its_own_address(
    workspace: Workspace, httpserver: Any, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ollama speaks OpenAI's protocol at an address from the environment; its model has no known price."""
    monkeypatch.setenv("OLLAMA_BASE_URL", httpserver.url_for("/v1"))
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_json(
        {
            "id": "c1",
            "object": "chat.completion",
            "created": 1770000000,
            "model": "llama3",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": '{"operations": []}'},
                }
            ],
            "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
        }
    )
    found = asked(workspace, waits, model="ollama:llama3", settings=Settings(budget=Budget(usd_per_day=0)))
    assert (found.outcome, found.used) == ("answered", Used(1, 9, 4, None))


def test_an_sdk_that_breaks_is_a_malformed_answer(
    workspace: Workspace, httpserver: Any, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty list of choices makes the SDK raise what no library should."""
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key-0123456789")
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_json(
        {"id": "c1", "object": "chat.completion", "created": 1770000000, "model": "gpt-5-mini", "choices": []}
    )
    found = asked(workspace, waits, model="openai-chat:gpt-5-mini")
    assert (found.outcome, found.used.calls, waits.seconds) == ("malformed", 1, [])


def test_an_sdk_does_not_retry_by_itself(
    workspace: Workspace, httpserver: Any, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", httpserver.url_for("/v1"))
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key-0123456789")
    httpserver.expect_request("/v1/chat/completions", method="POST").respond_with_json(
        {"error": {"message": "wrong key not-a-real-key-0123456789", "code": "invalid_api_key"}}, status=401
    )
    found = asked(workspace, waits, model="openai-chat:gpt-5-mini")
    assert isinstance(found, Unavailable)
    assert (found.outcome, len(httpserver.log)) == ("bad-key", 1)
    assert (
        found.sentence == "openai-chat:gpt-5-mini refuses the key in OPENAI_API_KEY; set OPENAI_API_KEY to a valid key."
    )

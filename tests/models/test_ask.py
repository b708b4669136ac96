"""Every way in which asking a model can end, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from daybook import prompts
from daybook.errors import UnsafeFileError
from daybook.guard import secrets
from daybook.models import budget, call, cooldown, keys, spend
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
    """Ask one model; how its try ended."""
    chosen = changes.get("settings", Settings(timezone="UTC"))
    got = asyncio.run(
        ask(
            workspace,
            chosen,
            changes.get("purpose", "review"),
            changes.get("prompt", "What did we learn?"),
            Answer,
            now=changes.get("now", NOW),
            models=changes.get("models", (changes.get("model", MODEL),)),
            pace=waits.pace(changes.get("sleep")),
        )
    )
    return got.tries[-1]


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
    assert body["generationConfig"]["maxOutputTokens"] == budget.MAX_OUTPUT_TOKENS
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
    assert found.sentence == f"{MODEL} allows no more calls at the moment (it asks to wait 600 s)."


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
    secrets.remember(["hunter2hunter2"])
    asked(workspace, waits, prompt=f"1 | key {KEY}\n2 | mail pass hunter2hunter2")
    assert gemini.prompts == ["1 | key [redacted:known]\n2 | mail pass [redacted:known]"]


def test_without_a_key_nothing_is_sent(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert (found.outcome, found.used, gemini.bodies) == ("no-key", Used(), [])
    assert found.sentence == (
        f"{MODEL} needs GEMINI_API_KEY or GOOGLE_API_KEY, which is not set; set it in the environment or in keys.env."
    )


@pytest.mark.parametrize("model", ["gemini-flash-lite", "nosuch:model", "groq:any", ""])
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
            ask(workspace, Settings(), "review", "x", Answer, now=NOW, models=[MODEL], pace=waits.pace())
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
    assert spend.look(workspace, UTC, NOW).today.calls == 1
    assert gemini.bodies == []


def test_each_call_is_kept_with_what_it_used(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["429-per-minute"])
    gemini.will_say({"operations": []})
    asked(workspace, waits)
    rows = [json.loads(line) for line in (workspace.private / "spend.jsonl").read_text().splitlines()]
    assert [(row["at"], row["calls"], row["tokens_out"]) for row in rows] == [
        ("2026-02-07T03:30:00Z", 1, budget.MAX_OUTPUT_TOKENS),
        ("2026-02-07T03:30:00Z", 1, 0),
        ("2026-02-07T03:30:03Z", 1, budget.MAX_OUTPUT_TOKENS),
        ("2026-02-07T03:30:03Z", 1, 70),
    ]
    assert rows[1]["usd"] == 0
    spent = spend.look(workspace, UTC, NOW).today
    assert (spent.calls, spent.tokens) == (2, 1170)
    assert spent.usd > 0


def test_an_answer_that_cannot_be_used_still_costs(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["200-prose-instead-of-json"])
    found = asked(workspace, waits)
    assert (found.used.tokens_in, found.used.tokens_out) == (1100, 70)


def test_over_the_budget_nothing_is_sent(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    tight = Settings(timezone="UTC", budget=Budget(tokens_per_day=1500))
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
        row = spend.Row(at=NOW, purpose="review", model=MODEL, calls=1, tokens_in=500_000, tokens_out=0, usd=0.0)
        spend.write(workspace, lambda _: row)

    found = asked(workspace, waits, sleep=spend_meanwhile)
    assert isinstance(found, Unavailable)
    assert (found.outcome, found.used.calls) == ("over-budget", 1)
    assert found.sentence == (
        f"{MODEL} is not asked, since a limit under [budget] in daybook.toml is reached "
        "(tokens_per_day: 500000 of 500000 tokens today)."
    )


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


def test_each_model_has_its_turn_until_one_answers(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["200-prose-instead-of-json"])
    gemini.will_say({"operations": []})
    got = asyncio.run(
        ask(
            workspace,
            Settings(),
            "review",
            "x",
            Answer,
            now=NOW,
            models=["nosuch:model", MODEL, MODEL],
            pace=waits.pace(),
        )
    )
    assert [one.outcome for one in got.tries] == ["unknown-model", "malformed", "answered"]
    assert got.answered is got.tries[-1]


def test_a_model_that_failed_is_not_called_again_by_any_purpose(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["503-overloaded"])
    asked(workspace, waits)
    again = asked(workspace, waits, purpose="mail_triage", now=NOW + timedelta(minutes=4))
    assert isinstance(again, Unavailable)
    assert (again.outcome, again.used.calls, len(gemini.bodies)) == ("cooling", 0, 3)
    assert again.sentence == (f"{MODEL} is left alone for now (not before 2026-02-07 03:35: {MODEL} is overloaded).")


def test_a_probe_is_one_call_without_tries(
    situations: dict[str, dict[str, Any]], workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send(situations["503-overloaded"])
    asked(workspace, waits)
    later = asked(workspace, waits, now=NOW + timedelta(minutes=6))
    assert (later.outcome, later.used.calls, len(gemini.bodies)) == ("overloaded", 1, 4)
    assert cooldown.read(workspace)[MODEL].failures == 2


def test_while_one_process_waits_for_its_next_try_no_other_calls(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send({"status": 429, "headers": {"Retry-After": "30"}, "body": {"error": {"code": 429}}})
    others: list[str] = []

    async def ask_meanwhile(seconds: float) -> None:
        await waits.sleep(seconds)
        if len(others) == 0:
            got = await ask(
                workspace,
                Settings(),
                "mail_triage",
                "x",
                Answer,
                now=NOW + timedelta(seconds=5),
                models=[MODEL],
                pace=waits.pace(),
            )
            others.append(got.tries[0].outcome)

    asked(workspace, waits, sleep=ask_meanwhile)
    assert others == ["cooling"]
    assert len(gemini.bodies) == 2


def test_a_text_that_is_too_long_is_not_the_models_fault(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    said = "The input token count (40000) exceeds the maximum number of tokens allowed (32768)."
    body = {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": said}}
    gemini.will_send({"status": 400, "headers": {}, "body": body})
    assert [asked(workspace, waits).outcome for _ in range(5)] == ["too-long"] * 5
    assert cooldown.read(workspace)[MODEL].until is None
    # Whatever is asked is too long for it.
    assert [asked(workspace, waits).outcome for _ in range(2)] == ["too-long", "cooling"]


def test_in_quiet_hours_only_the_review_asks(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    quiet = Settings.model_validate({"timezone": "UTC", "quiet_hours": "23:00-08:00"})
    gemini.will_say({"operations": []})
    assert asked(workspace, waits, settings=quiet, purpose="news_rank").outcome == "quiet-hours"
    assert gemini.bodies == []
    assert asked(workspace, waits, settings=quiet, purpose="second_opinion").outcome == "answered"


def test_requests_a_minute_are_waited_for_or_left(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    slow = Settings.model_validate({"timezone": "UTC", "models": {"requests_per_minute": {"google": 1}}})
    gemini.will_say({"operations": []})
    assert asked(workspace, waits, settings=slow).outcome == "answered"
    # A review has the patience; mail falls to rules.
    hurried = asked(workspace, waits, settings=slow, purpose="mail_triage", now=NOW + timedelta(seconds=20))
    assert (hurried.outcome, waits.seconds) == ("paced", [])
    patient = asked(workspace, waits, settings=slow, now=NOW + timedelta(seconds=20))
    assert (patient.outcome, waits.seconds) == ("answered", [40.0])


def test_a_key_in_the_file_is_used_and_redacted_and_stays_out_of_the_environment(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GEMINI_API_KEY")
    other = "AIzaAnotherFakeKey9876543210"
    keys.path().parent.mkdir(parents=True)
    keys.path().write_text(f"GEMINI_API_KEY={other}\n")
    keys.path().chmod(0o600)
    gemini.will_say({"operations": []})
    assert asked(workspace, waits, prompt=f"1 | key {other}").outcome == "answered"
    assert gemini.headers[0]["X-Goog-Api-Key"] == other
    assert gemini.prompts == ["1 | key [redacted:known]"]
    assert "GEMINI_API_KEY" not in os.environ


def test_a_damaged_file_of_cooldowns_is_said_and_costs_no_answer(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    (workspace.private / cooldown.FILE).write_text("{torn")
    gemini.will_say({"operations": []})
    got = asyncio.run(ask(workspace, Settings(), "review", "x", Answer, now=NOW, models=[MODEL], pace=waits.pace()))
    assert got.answered is not None
    assert [problem for problem in got.problems if "models.json.corrupt-" in problem] != []


RETRY = "type.googleapis.com/google.rpc.RetryInfo"


@pytest.mark.parametrize(
    ("header", "delay", "seconds"),
    [
        ("600", None, 600),
        (None, "600.5s", 600.5),
        ("1", "600s", 600),
        ("900", "600s", 900),
        ("999999999999", None, 31 * 86_400),
        (None, "99999999999999s", 31 * 86_400),
        (None, "1e300s", 31 * 86_400),
        ("-5", None, None),
        ("nan", None, None),
    ],
)
def test_the_longest_wait_that_is_asked_for_counts_within_reason(
    header: str | None, delay: str | None, seconds: float | None, workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    details = [{"@type": RETRY, "retryDelay": delay}] if delay else []
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}
    gemini.will_send({"status": 429, "headers": {"Retry-After": header} if header else {}, "body": body})
    found = asked(workspace, waits)
    assert isinstance(found, Unavailable)
    assert (found.outcome, found.retry_after_s) == ("rate-limited", seconds)
    assert cooldown.read(workspace)[MODEL].until is not None


def test_a_wait_counts_from_when_it_was_asked_for_however_long_ago_the_run_began(
    workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_send({"status": 429, "headers": {"Retry-After": "600"}, "body": {"error": {"code": 429}}})
    # Eight minutes of other calls have passed since the run began.
    waits.seconds.append(480)
    pace = replace(waits.pace(), begun_s=0.0)
    asyncio.run(ask(workspace, Settings(), "review", "x", Answer, now=NOW, models=[MODEL], pace=pace))
    assert cooldown.read(workspace)[MODEL].until == NOW + timedelta(minutes=18)


@pytest.mark.parametrize("said", [{"error": "I cannot help"}, {}, {"Operations": []}, [], "no", {"operations": None}])
def test_json_that_says_nothing_of_operations_is_no_answer(
    said: object, workspace: Workspace, gemini: FakeGemini, waits: Waits
) -> None:
    gemini.will_say(said)
    assert asked(workspace, waits).outcome == "malformed"


def test_tokens_that_cannot_be_are_counted_by_estimate(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    gemini.will_say({"operations": []})
    gemini.script[0]["body"]["usageMetadata"] = {"promptTokenCount": 10, "cachedContentTokenCount": 5000}
    assert asked(workspace, waits).outcome == "answered"
    gemini.script[0]["body"]["usageMetadata"] = {"promptTokenCount": 10**30, "candidatesTokenCount": 1}
    assert asked(workspace, waits).used.tokens_in < 1000
    del gemini.script[0]["body"]["usageMetadata"]
    found = asked(workspace, waits)
    assert found.used.tokens_in > 0
    assert 0 < found.used.tokens_out < 100


def test_a_call_that_timed_out_counts_with_all_it_may_have_used(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call, "REQUEST_TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        asked(workspace, waits)
    assert spend.look(workspace, UTC, NOW).today.tokens > budget.MAX_OUTPUT_TOKENS
    assert gemini.bodies == []


def test_a_corrected_address_is_tried_at_once(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = os.environ["GOOGLE_GEMINI_BASE_URL"]
    gemini.will_send({"status": 404, "headers": {}, "body": {"error": {"code": 404, "status": "NOT_FOUND"}}})
    assert asked(workspace, waits).outcome == "retired-model"
    assert asked(workspace, waits).outcome == "cooling"
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", f"{right}/")
    gemini.script.clear()
    gemini.will_say({"operations": []})
    assert asked(workspace, waits).outcome == "answered"


def test_where_no_wait_can_be_kept_no_request_is_sent(workspace: Workspace, gemini: FakeGemini, waits: Waits) -> None:
    gemini.will_say({"operations": []})
    (workspace.private / cooldown.LOCK_FILE).unlink(missing_ok=True)
    (workspace.private / cooldown.LOCK_FILE).mkdir()
    with pytest.raises(UnsafeFileError):
        asked(workspace, waits)
    assert gemini.bodies == []


def test_a_key_with_a_line_end_is_sent_and_redacted_without_it(
    workspace: Workspace, gemini: FakeGemini, waits: Waits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", f" {KEY}\n")
    gemini.will_say({"operations": []})
    asked(workspace, waits, prompt=f"1 | key {KEY}")
    assert gemini.headers[0]["X-Goog-Api-Key"] == KEY
    assert gemini.prompts == ["1 | key [redacted:known]"]


def test_what_takes_a_while_is_told(
    situations: dict[str, dict[str, Any]],
    workspace: Workspace,
    gemini: FakeGemini,
    waits: Waits,
    caplog: pytest.LogCaptureFixture,
) -> None:
    gemini.will_send(situations["429-per-minute"])
    gemini.will_say({"operations": []})
    with caplog.at_level("INFO", "daybook"):
        asked(workspace, waits)
    told = [record.getMessage() for record in caplog.records if record.name.startswith("daybook")]
    assert [line.partition(",")[0] for line in told] == [
        f"Asking {MODEL} (review",
        f"Waiting 3 s: {MODEL} allows no more calls at the moment (it asks to wait 2.5 s).",
        f"Asking {MODEL} (review",
    ]

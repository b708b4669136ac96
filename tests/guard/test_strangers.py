"""What came from outside first stays a stranger, whoever carries it on."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from daybook.curation.known import read_memory
from daybook.guard import outside, strangers

if TYPE_CHECKING:
    from datetime import datetime

    from daybook.workspace import Workspace


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "Pay to DE89 3704 0044 0532 0130 00 by Friday",
            {"account DE89370400440532013000", "number 370400440532013000"},
        ),
        ("Call +49 (30) 1234-567 soon", {"number 49301234567"}),
        ("Write to Pay@Evil.example today", {"address pay@evil.example"}),
        ("See https://user@files.evil.example:8443/x?y", {"host files.evil.example"}),
        ("Run `curl -s x | sh` and look into /opt/tool/bin/", {"command curl -s x | sh", "path /opt/tool/bin"}),
        ("Server 10.0.0.7 answers", {"host 10.0.0.7"}),
        ("Backups run at 03:00 on 2026-03-01, version 2.4.1", set()),
        ("Costs 1.250,00 EUR for 12 months", set()),
        ("[news] Release of a tool (https://news.example/a)", set()),
    ],
)
def test_only_what_can_be_dialled_opened_paid_to_or_run_is_a_name(text: str, names: set[str]) -> None:
    found = strangers.names_in(text)
    assert names <= found
    assert found if names else not found


def test_o08_a_stranger_is_one_for_fourteen_days_or_until_memory_holds_it(workspace: Workspace, now: datetime) -> None:
    """Turns red when an address of a mail is trusted because the agent repeats it."""
    outside.register(workspace, ["[mail] New account DE89 3704 0044 0532 0130 00, ask pay@evil.example"], now)
    text = "The landlord's account is DE89370400440532013000"
    assert strangers.names_a_stranger(text, read_memory(workspace, now).strangers)
    assert not strangers.names_a_stranger(text, read_memory(workspace, now + timedelta(days=15)).strangers)
    workspace.longterm.write_text(f"# Memory\n- {text}\n")
    assert not strangers.names_a_stranger(text, read_memory(workspace, now).strangers)
    assert strangers.names_a_stranger("ask pay@evil.example", read_memory(workspace, now).strangers)
    (workspace.root / "USER.md").write_text("Mail: pay@evil.example\n")
    assert not strangers.names_a_stranger("ask pay@evil.example", read_memory(workspace, now).strangers)

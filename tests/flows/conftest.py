"""A clock that stands where a test puts it, and what the runs of flows leave on the one Prefect server."""

from __future__ import annotations

import asyncio
import gc
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
from prefect.client.schemas.sorting import ArtifactSort

from daybook import clock
from flows import starting
from tasks.check_mail import check_mail
from tasks.fetch_news import fetch_news

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from daybook.schedule.record import RunRecord
    from daybook.workspace import Workspace


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow what Prefect leaves behind: its clients leave their sockets to the garbage collector."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"))


@pytest.fixture(scope="session", autouse=True)
def _prefect(prefect_api: str) -> None:
    """Each flow here runs on the one server."""
    assert prefect_api


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    """Collect the garbage here, so that no other test meets it."""
    yield
    gc.collect()


@pytest.fixture
def run(workspace: Workspace, now: datetime, monkeypatch: pytest.MonkeyPatch) -> Callable[..., RunRecord]:
    """
    Run a flow at an instant, by hand or for the slot that is scheduled then.

    Prefect's scheduler alone can make a scheduled run, so what it would tell is put in its place.
    """
    monkeypatch.setenv("DAYBOOK_WORKSPACE", str(workspace.root))

    def once(flow: Any, *, at: datetime = now, scheduled: bool = False, **parameters: Any) -> RunRecord:
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now_utc", lambda: at)
            if scheduled:
                patch.setattr(starting, "slot_of", lambda _now: (at, "schedule"))
            record: RunRecord = asyncio.run(flow(**parameters))
        return record

    return once


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again without a pause, as often as in earnest."""
    for task in (fetch_news, check_mail):
        monkeypatch.setattr(task, "retry_delay_seconds", [0])
        monkeypatch.setattr(task, "retry_jitter_factor", None)
    monkeypatch.setattr("daybook.models.trying.BACKOFF_S", 0)


@pytest.fixture
def artifacts(workspace: Workspace) -> Callable[[str], list[Any]]:
    """Give the data of the artifacts of a kind that this workspace's runs made, oldest first."""

    async def read(kind: str) -> list[Any]:
        wanted = ArtifactFilter(key=ArtifactFilterKey(any_=[f"{kind}-{workspace.id[:8]}"]))
        async with get_client() as client:
            found = await client.read_artifacts(artifact_filter=wanted, sort=ArtifactSort.ID_DESC)
        by_age = sorted(found, key=lambda one: str(one.created))
        return [json.loads(str(one.data)) if one.type == "table" else one.data for one in by_age]

    return lambda kind: asyncio.run(read(kind))

"""
Apply the manifest and run what is scheduled, until told to stop: `python -m deployments.serve`.

The supervisor starts it, from private state and with every setting in the environment.
"""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Any

from prefect.client.orchestration import get_client
from prefect.deployments.runner import RunnerDeployment
from prefect.runner import Runner
from pydantic import PrivateAttr

from daybook import settings
from daybook.errors import DaybookError
from daybook.schedule.manifest import plans
from daybook.workspace import open_workspace
from deployments.apply import apply
from deployments.leash import tell_ready

if TYPE_CHECKING:
    from uuid import UUID


class AppliedDeployment(RunnerDeployment):
    """
    A deployment that the server has already.

    The runner calls `aapply` on what it is given; Prefect's own would end a pause made in the UI.
    """

    _id: UUID = PrivateAttr()

    def __init__(self, name: str, deployment_id: UUID) -> None:
        """Keep the id that the server gave it."""
        super().__init__(name=name, flow_name=name)
        self._id = deployment_id

    async def aapply(self, *_args: Any, **_kwargs: Any) -> UUID:
        """Send nothing; tell the id."""
        return self._id


async def serve() -> None:
    """
    Apply the manifest and run scheduled runs, each in a process of its own, until SIGTERM.

    Raises:
        DaybookError: The workspace or its settings cannot be used.
    """
    workspace = open_workspace()
    found = settings.load(workspace).settings
    async with get_client() as client:
        ids = await apply(client, workspace, plans(found), found.zone)
    runner = Runner(name="daybook", pause_on_shutdown=False)
    for name, deployment_id in ids.items():
        await runner.aadd_deployment(AppliedDeployment(name, deployment_id))
    tell_ready()
    await runner.start()


def main() -> int:
    """Run `serve`; an expected failure is one sentence in the log."""
    try:
        asyncio.run(serve())
    except DaybookError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())

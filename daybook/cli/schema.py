"""`daybook schema`: JSON Schemas of what Daybook publishes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from daybook.schedule.published import HeartbeatState
from daybook.schedule.record import RunRecord
from daybook.sources.tracking import Tracking

if TYPE_CHECKING:
    from argparse import Namespace

    from pydantic import BaseModel

SCHEMAS: dict[str, type[BaseModel]] = {"run": RunRecord, "state": HeartbeatState, "tracking": Tracking}


def run(options: Namespace) -> int:
    """Run the command; JSON with and without `--json`."""
    schemas = {name: model.model_json_schema() for name, model in SCHEMAS.items()}
    print(json.dumps(schemas[options.name] if options.name else schemas, indent=2))
    return 0

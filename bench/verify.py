"""How many labelled examples of verify hold, per code and set; the last line is one JSON object."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

LABELLED = Path(__file__).resolve().parent.parent / "tests" / "review" / "test_labelled.py"


def labelled() -> ModuleType:
    """The test module, by path: test folders are no packages."""
    spec = importlib.util.spec_from_file_location("test_labelled", LABELLED)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(LABELLED)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # Pydantic looks a model's annotations up there
    spec.loader.exec_module(module)
    return module


def main() -> int:
    codes = labelled().figures()
    rows = [row for sets in codes.values() for row in sets.values()]
    ok = bool(rows) and all(row["found"] == row["true"] and row["kept"] == row["false"] for row in rows)
    print(json.dumps({"codes": codes, "ok": ok}))
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())

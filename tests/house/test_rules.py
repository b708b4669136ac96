"""The house rules that no linter knows, as tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("daybook", "deployments", "flows", "prompts", "tasks")
MODULES = sorted(path for top in CODE for path in (ROOT / top).rglob("*.py"))
SAY_NOTHING = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "managers", "base", "core"}
MAX_LINES, MAX_FUNCTION_LINES = 300, 50


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_every_layer_contract_is_kept() -> None:
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([script, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_has_one_job_and_a_name_that_says_it(path: Path) -> None:
    assert path.read_text(encoding="utf-8").count("\n") <= MAX_LINES
    assert path.stem not in SAY_NOTHING


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_function_fits_on_a_page(path: Path) -> None:
    functions = [n for n in ast.walk(tree(path)) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    long = {f.name: f.end_lineno - f.lineno + 1 for f in functions if f.end_lineno is not None}
    assert {k: v for k, v in long.items() if v > MAX_FUNCTION_LINES and not _is_mostly_docstring(functions, k)} == {}


def _is_mostly_docstring(functions: list[ast.FunctionDef | ast.AsyncFunctionDef], wanted: str) -> bool:
    function = next(f for f in functions if f.name == wanted)
    documented = len((ast.get_docstring(function) or "").splitlines())
    return (function.end_lineno or 0) - function.lineno + 1 - documented <= MAX_FUNCTION_LINES


@pytest.mark.parametrize("top", ["flows", "tasks"])
def test_no_flow_or_task_bears_the_name_of_a_package(top: str) -> None:
    mine = {path.stem for path in (ROOT / top).glob("*.py")} - {"__init__"}
    taken = (set(packages_distributions()) | set(sys.stdlib_module_names)) - set(CODE)
    assert mine & taken == set()


def test_a_task_file_holds_one_task_of_its_own_name_and_a_flow_file_one_flow() -> None:
    for top, decorator in (("tasks", "task"), ("flows", "flow")):
        for path in sorted((ROOT / top).glob("*.py")):
            found = [
                node.name
                for node in tree(path).body
                if isinstance(node, ast.AsyncFunctionDef)
                and any(
                    decorator in ast.dump(mark) and "Name(id='" + decorator in ast.dump(mark)
                    for mark in node.decorator_list
                )
            ]
            assert found in ([], [path.stem]), name(path)
            assert found or path.stem in {"__init__", "reporting", "starting"}, name(path)


def test_only_the_looks_at_sources_are_retried() -> None:
    retried = {path.stem for path in (ROOT / "tasks").glob("*.py") if "retries=" in path.read_text(encoding="utf-8")}
    assert retried == {"fetch_news", "check_mail"}


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_has_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"https?://|file:|--(?:extra-)?index-url", text)
    pins = re.findall(r"^[A-Za-z0-9][\w.\[\],-]*==\S+", text, flags=re.MULTILINE)
    assert len(pins) > 100
    assert text.count("--hash=sha256:") >= len(pins)


def test_the_clock_is_read_in_three_places_only() -> None:
    asks = {
        name(path) for path in MODULES if re.search(r"\bnow_utc\(\)|datetime\.now\(", path.read_text(encoding="utf-8"))
    }
    core = {where for where in asks if where.startswith("daybook/") and not where.startswith("daybook/cli/")}
    assert core <= {"daybook/clock.py", "daybook/schedule/occasion.py"}
    assert {where for where in asks if where.startswith(("flows/", "tasks/"))} == {"flows/starting.py"}

"""
OpenClaw's own heartbeat: does it work on this folder too?

Its configuration is looked for and read as its documentation has it (in openclaw/openclaw: docs/gateway/heartbeat.md,
docs/help/environment.md, src/config/paths.ts). Newer versions keep their heartbeats as jobs in a database of their own:
a configuration without a heartbeat then says nothing for sure, so the row names the command that lists them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daybook import files
from daybook.doctor import lenientjson
from daybook.doctor.examined import Examined, Site
from daybook.errors import DaybookError
from daybook.guard.cleaning import clean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NAME = "openclaw"
MAX_BYTES = 1_048_576
DIRS = (".openclaw", ".clawdbot", ".moldbot", ".moltbot")
FILES = ("openclaw.json", "clawdbot.json", "moldbot.json", "moltbot.json")
DEFAULT_EVERY = "30m"
DEFAULT_AGENT = "main"
LENGTH = re.compile(r"(?:\d++(?:\.\d++)?\s*+(?:ms|s|m|h|d)?\s*+)+", re.IGNORECASE)
NAME_CHARS = 60


@dataclass(frozen=True)
class Agent:
    """
    An agent of OpenClaw's.

    Attributes:
        name: Its id.
        folder: Its workspace, links resolved.
        every: How often its heartbeat comes; empty: never.
    """

    name: str
    folder: Path
    every: str


def examine_openclaw(site: Site) -> Iterator[Examined]:
    """Warn when OpenClaw's heartbeat runs on this folder beside ours."""
    files_there = _configurations(os.environ)
    for path in files_there:
        try:
            agents = _agents(_read(path), path, os.environ)
        except (DaybookError, OSError, ValueError) as error:
            why = f"OpenClaw's configuration {path} cannot be read ({clean(str(error), limit=200)})"
            yield Examined(
                NAME,
                "note",
                f"{why}, so it is not known whether its heartbeat runs here too.",
                "Look at `agents.defaults.workspace` and `heartbeat.every` in it.",
            )
            continue
        yield from _told(site, path, [agent for agent in agents if agent.folder == site.workspace.root])
    if not files_there:
        yield Examined(NAME, "ok", "There is no configuration of OpenClaw on this machine.")


def _told(site: Site, path: Path, here: list[Agent]) -> Iterator[Examined]:
    beating = [agent for agent in here if agent.every]
    ours = site.settings.schedule.get("heartbeat") is not False
    if not here:
        yield Examined(NAME, "ok", f"No agent in {path} works on this folder.")
    elif not beating or not ours:
        whose = "OpenClaw's heartbeat" if not beating else "Daybook's heartbeat"
        yield Examined(NAME, "ok", f"OpenClaw works on this folder, and {whose} is off.")
    for agent in beating if ours else ():
        name = clean(agent.name, limit=NAME_CHARS)
        yield Examined(
            NAME,
            "warning",
            f"OpenClaw's agent {name} has a heartbeat of its own on this folder (every {agent.every}, {path}), so two "
            "heartbeats work on it: mail and news may be looked at, noted and told twice.",
            'Set its `heartbeat.every` to "0m" there (where `openclaw cron list --all` shows it as a job: '
            "`openclaw cron disable`), or write `heartbeat = false` under [schedule] in daybook.toml.",
        )


def _configurations(environ: Mapping[str, str]) -> list[Path]:
    """The configuration that is in force, and those of named profiles, which run beside it."""
    home = _home(environ)
    if named := _first(environ, "OPENCLAW_CONFIG_PATH", "CLAWDBOT_CONFIG_PATH"):
        return [_path(named, home)]
    state = _first(environ, "OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR")
    folders = [_path(state, home)] if state else [home / name for name in DIRS]
    candidates = (folder / name for folder in folders for name in FILES)
    found = next((path for path in candidates if os.path.lexists(path)), None)
    profiles = [] if state else sorted(home.glob(f"{DIRS[0]}-*/{FILES[0]}"))
    return [*([found] if found else []), *profiles]


def _read(path: Path) -> dict[str, Any]:
    # Links are followed: it is not ours, and dotfiles are often linked.
    data = files.read_bytes(path.resolve())
    if len(data) > MAX_BYTES:
        raise ValueError("it is over a megabyte long")
    read = lenientjson.parse(data.decode("utf-8-sig"))
    if not isinstance(read, dict):
        raise ValueError("it is no object")  # noqa: TRY004 - told like every other text that is no configuration
    return read


def _agents(configuration: dict[str, Any], path: Path, environ: Mapping[str, str]) -> list[Agent]:
    agents = _table(configuration.get("agents"))
    defaults = _table(agents.get("defaults"))
    entries = [_table(entry) for entry in _list(agents.get("list"))]
    entries += [{"id": name, **_table(entry)} for name, entry in _table(agents.get("entries")).items()]
    entries = entries or [{"id": DEFAULT_AGENT}]
    default = next((entry for entry in entries if entry.get("default")), entries[0])
    # As soon as one agent has a heartbeat of its own, only those that have one beat.
    own = [entry for entry in entries if entry.get("heartbeat")]
    return [
        Agent(
            str(entry.get("id") or DEFAULT_AGENT),
            _folder(entry, defaults, path, environ, is_default=entry is default),
            _every(_table(defaults.get("heartbeat")) | _table(entry.get("heartbeat")))
            if entry in own or (not own and entry is default)
            else "",
        )
        for entry in entries
    ]


def _folder(
    entry: dict[str, Any], defaults: dict[str, Any], path: Path, environ: Mapping[str, str], *, is_default: bool
) -> Path:
    home = _home(environ)
    if own := _text(entry.get("workspace"), environ):
        return _path(own, home).resolve()
    name = str(entry.get("id") or DEFAULT_AGENT)
    if shared := _text(defaults.get("workspace"), environ):
        return (_path(shared, home) / ("" if is_default else name)).resolve()
    if is_default:
        named = environ.get("OPENCLAW_WORKSPACE_DIR", "").strip()
        return (_path(named, home) if named else path.parent / "workspace").resolve()
    return (path.parent / f"workspace-{name}").resolve()


def _every(heartbeat: dict[str, Any]) -> str:
    """How often a heartbeat comes; empty for never, which is also what OpenClaw makes of what it cannot read."""
    text = str(heartbeat.get("every", DEFAULT_EVERY)).strip()
    there = LENGTH.fullmatch(text) is not None and re.search(r"[1-9]", text) is not None
    return text if there else ""


def _home(environ: Mapping[str, str]) -> Path:
    named = environ.get("OPENCLAW_HOME", "").strip()
    return Path(named).expanduser() if named else Path.home()


def _path(text: str, home: Path) -> Path:
    text = text.strip()
    # OpenClaw's own `~` is its own home; what is relative there depends on where it was started.
    return home / text[1:].lstrip("/") if text == "~" or text.startswith("~/") else home / text


def _first(environ: Mapping[str, str], *names: str) -> str:
    return next((value for name in names if (value := environ.get(name, "").strip())), "")


def _text(value: object, environ: Mapping[str, str]) -> str:
    if not isinstance(value, str):
        return ""
    return re.sub(r"\$\{([A-Z_][A-Z0-9_]*)\}", lambda found: environ.get(found[1], found[0]), value.replace("\0", ""))


def _table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []

"""
Read daybook.toml: a key that is not known is an error that names it and the nearest known one.

The parts of the file that can act (fetch, log in, run, send, choose models) count only when their hash is
trusted on this machine.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from daybook import tomlfile, trust
from daybook.errors import SettingsError
from daybook.settings.schema import (
    Budget,
    CheckSettings,
    Feed,
    Mailbox,
    Models,
    Network,
    Notify,
    Prefect,
    Settings,
    nearest,
)

if TYPE_CHECKING:
    from daybook.tomlfile import RawSettings
    from daybook.workspace import Workspace

ACTING_PARTS = ("feeds", "mailboxes", "models", "notify", "network", "prefect")
ACTING_CHECK_KEYS = ("command", "when")


@dataclass(frozen=True)
class Loaded:
    """
    What counts of daybook.toml, and what does not.

    Attributes:
        settings: The effective settings.
        inert: Names of the parts left out because they are not trusted; `daybook trust` shows them.
    """

    settings: Settings
    inert: tuple[str, ...] = ()


def load(workspace: Workspace) -> Loaded:
    """
    Read daybook.toml as far as it is trusted; a missing file means defaults.

    Raises:
        SettingsError: It is no TOML, or a key or value is wrong; the sentence names it.
    """
    raw = tomlfile.read(workspace)
    validate(raw, str(workspace.settings))
    acting = acting_parts(raw)
    if acting and not trust.settings_trusted(workspace, fingerprint(acting)):
        return Loaded(validate(_without(raw, acting), str(workspace.settings)), tuple(sorted(_names(acting))))
    return Loaded(validate(raw, str(workspace.settings)))


def validate(raw: RawSettings, where: str) -> Settings:
    """
    Check plain values against every known key.

    Raises:
        SettingsError: The first key or value that is wrong, and the nearest known key.
    """
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise SettingsError(f"{where}: {_explain(error)}.") from None


def acting_parts(raw: RawSettings) -> RawSettings:
    """Pick the parts that can fetch, log in, run, send or choose a model."""
    acting = {name: raw[name] for name in ACTING_PARTS if raw.get(name)}
    checks = {
        name: {key: check[key] for key in ACTING_CHECK_KEYS if key in check}
        for name, check in raw.get("checks", {}).items()
        if any(key in check for key in ACTING_CHECK_KEYS)
    }
    return acting | ({"checks": checks} if checks else {})


def fingerprint(acting: RawSettings) -> str:
    """Hash of the acting parts, independent of layout and comments."""
    return hashlib.sha256(json.dumps(acting, sort_keys=True, default=str).encode()).hexdigest()


def _names(acting: RawSettings) -> list[str]:
    names = [name for name in acting if name != "checks"]
    return names + [f"checks.{name}" for name in acting.get("checks", {})]


def _without(raw: RawSettings, acting: RawSettings) -> RawSettings:
    kept = {name: value for name, value in raw.items() if name not in ACTING_PARTS}
    if "checks" in kept:
        kept["checks"] = {n: c for n, c in kept["checks"].items() if n not in acting.get("checks", {})}
    return kept


def _explain(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    path = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        return f"unknown key {path!r}{nearest(key, _known_keys(first['loc'][:-1]))}"
    message = first["msg"].removeprefix("Value error, ")
    shown = "" if first["type"] == "value_error" else f" (it is {first['input']!r})"
    return f"{path}: {message}{shown}" if path else message


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    named: dict[str, type[BaseModel]] = {"feeds": Feed, "mailboxes": Mailbox, "checks": CheckSettings, "models": Models}
    named |= {"budget": Budget, "notify": Notify, "network": Network, "prefect": Prefect}
    part = named.get(str(path[0]), Settings) if path else Settings
    return list(part.model_fields)

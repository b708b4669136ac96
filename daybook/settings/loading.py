"""
Read daybook.toml: a key that is not known is an error that names it and the nearest known one.

The parts of the file that can act (fetch, log in, run, send, choose models) count each only when its hash is
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
    from collections.abc import Iterable

    from daybook.tomlfile import RawSettings
    from daybook.workspace import Workspace

ACTING_PARTS = ("feeds", "mailboxes", "models", "notify", "network", "prefect")
CHECKS = "checks."
# What somebody may write for a password's place.
SECRETS = frozenset({"password", "passwd", "token", "secret", "key", "api_key"})
# What Pydantic says in its own words, said in those of a settings file.
WORDING = {
    "tuple_type": 'must be a list, such as ["one", "two"]',
    "table_of_several": "must be a table of several, written [[{name}]]",
    "string_pattern_mismatch": "must begin with http:// or https://",
    "string_type": "must be a text in quotes",
    "bool_type": "must be true or false",
    "model_type": "must be a table of its own",
    "mapping_type": "must be a table of its own",
    "dict_type": "must be a table of its own",
}


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
    whole = validate(raw, str(workspace.settings))
    acting = acting_parts(raw)
    allowed = trust.trusted_parts(workspace) if acting else {}
    inert = sorted(name for name, digest in fingerprint(acting).items() if allowed.get(name) != digest)
    if not inert:
        return Loaded(whole)
    return Loaded(validate(_without(raw, inert), str(workspace.settings)), tuple(inert))


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
    """
    Pick the parts that can fetch, log in, run, send, choose a model or spend more than the default.

    Args:
        raw: Plain values that `validate` accepts.

    Returns:
        Each part by its name, such as `feeds` or `checks.weather`.
    """
    acting = {name: raw[name] for name in ACTING_PARTS if raw.get(name)}
    acting |= {f"{CHECKS}{name}": check for name, check in raw.get("checks", {}).items() if "command" in check}
    budget, default = Budget.model_validate(raw.get("budget", {})), Budget()
    limits = ("usd_per_day", "tokens_per_day", "calls_per_hour")
    more = any(getattr(budget, name) > getattr(default, name) for name in limits)
    if more or budget.review_share < default.review_share:
        acting["budget"] = raw["budget"]
    return acting


def fingerprint(acting: RawSettings) -> dict[str, str]:
    """Hash of each acting part, independent of layout and comments."""
    return {
        name: hashlib.sha256(json.dumps(part, sort_keys=True, default=str).encode()).hexdigest()
        for name, part in acting.items()
    }


def _without(raw: RawSettings, names: Iterable[str]) -> RawSettings:
    left_out = set(names)
    kept = {name: value for name, value in raw.items() if name not in left_out}
    if "budget" in left_out:
        # Less than the default is a cap, which anyone may set.
        default = Budget()
        least = {"review_share": default.review_share}
        kept["budget"] = {
            key: max(value, least[key]) if key in least else min(value, getattr(default, key))
            for key, value in raw["budget"].items()
        }
    if "checks" in kept:
        kept["checks"] = {name: check for name, check in kept["checks"].items() if f"{CHECKS}{name}" not in left_out}
    return kept


def _explain(error: ValidationError) -> str:
    # A key that is not known is often the reason why another one is missing.
    found = error.errors(include_url=False)
    first = next((one for one in found if one["type"] == "extra_forbidden"), found[0])
    path = _place(first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(first["loc"][-1])
        if key in SECRETS:
            return (
                f"{path}: a password never stands in daybook.toml; use password_command, password_env or password_file"
            )
        return f"unknown key {path!r}{nearest(key, _known_keys(first['loc'][:-1]))}"
    kind = "table_of_several" if first["loc"] in {("feeds",), ("mailboxes",)} else first["type"]
    message = WORDING.get(kind, first["msg"].removeprefix("Value error, ")).format(name=path)
    shown = "" if first["type"] == "value_error" else f" (it is {first['input']!r})"
    return f"{path}: {message}{shown}" if path else message


def _place(path: tuple[int | str, ...]) -> str:
    """Name a place in the file as a person finds it: `url of [[feeds]] number 7`, `notify.urls number 1`."""
    for at, part in enumerate(path):
        if isinstance(part, int):
            whole = ".".join(map(str, path[:at]))
            within = ".".join(map(str, path[at + 1 :]))
            return f"{within} of [[{whole}]] number {part + 1}" if within else f"{whole} number {part + 1}"
    return ".".join(map(str, path))


def _known_keys(path: tuple[int | str, ...]) -> list[str]:
    named: dict[str, type[BaseModel]] = {"feeds": Feed, "mailboxes": Mailbox, "checks": CheckSettings, "models": Models}
    named |= {"budget": Budget, "notify": Notify, "network": Network, "prefect": Prefect}
    part = named.get(str(path[0]), Settings) if path else Settings
    return list(part.model_fields)

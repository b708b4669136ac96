"""
Jinja as far as prompts may use it: an immutable sandbox, declared variables only, no loader, bounded output.

This bounds what a template can reach and how much it writes. It cannot bound time and memory (nested empty
loops, `x * 10**9`, a filter on a large text), so templates of the operator's run in `daybook.prompts.limited`.
"""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jinja2 import FunctionLoader, StrictUndefined, TemplateError, TemplateSyntaxError, meta, nodes
from jinja2.sandbox import ImmutableSandboxedEnvironment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

MAX_OUTPUT_CHARS = 1_000_000
GLOBALS = ("range", "namespace")
# Statement -> the field that binds names, and the fields in which they are bound.
SCOPES: dict[type[nodes.Node], tuple[str, tuple[str, ...]]] = {
    nodes.For: ("target", ("body", "test")),
    nodes.With: ("targets", ("body",)),
    nodes.Macro: ("args", ("body",)),
    nodes.CallBlock: ("args", ("body",)),
}

REFERENCES = (nodes.Extends, nodes.FromImport, nodes.Import, nodes.Include)
# How Jinja calls the signs, and how people write them.
SIGNS = {"'end of statement block'": "'%}'", "'end of print statement'": "'}}'"}
UNCLOSED = re.compile(r"unexpected end of template, expected '([%}])}'")
OPENING = {"%": "{%", "}": "{{"}


@dataclass(frozen=True)
class Source:
    """
    One template file.

    Attributes:
        name: Plain file name, as an include names it.
        path: Where it was read, for messages.
        text: Its text.
    """

    name: str
    path: str
    text: str


@dataclass(frozen=True)
class Reference:
    """
    Another template that one includes, imports or extends.

    Attributes:
        name: As it is named; None when the name is computed.
        line: Where.
    """

    name: str | None
    line: int


@dataclass(frozen=True)
class Problem:
    """
    Why a template cannot be rendered.

    Attributes:
        path: The file.
        line: Its line; None when the trouble has no place.
        what: The trouble, as the middle of a sentence.
    """

    path: str
    line: int | None
    what: str


def referenced(source: Source) -> list[Reference] | Problem:
    """List the templates that *source* includes, imports or extends."""
    try:
        found = _environment([]).parse(source.text, source.name, source.path).find_all(REFERENCES)
        return [
            Reference(name, node.lineno)
            for node in found
            for name in meta.find_referenced_templates(nodes.Template([node]))
        ]
    except TemplateSyntaxError as error:
        return Problem(source.path, error.lineno, _words(error))
    except Exception as error:  # noqa: BLE001 - nesting and numbers beyond Python's limits raise kinds of their own
        return Problem(source.path, None, _words(error))


def mentioned(sources: Iterable[Source], declared: Collection[str]) -> frozenset[str]:
    """
    Say which declared variables templates read, in any branch.

    Only parsed, never compiled: the compiler computes constants, and a template may hold one without end.

    Args:
        sources: Parsed before by `referenced`.
        declared: Names the templates may use.
    """
    found: set[str] = set()
    left: list[nodes.Node] = [_environment([]).parse(source.text, source.name, source.path) for source in sources]
    while left:
        node = left.pop()
        if isinstance(node, nodes.Name) and node.ctx == "load":
            found.add(node.name)
        left.extend(node.iter_child_nodes())
    return frozenset(found & set(declared))


def render(sources: Sequence[Source], declared: Collection[str], variables: Mapping[str, object]) -> str | Problem:
    """
    Check and render the first of *sources*; the others are what it includes.

    An unknown variable is found also in a branch that is not rendered.

    Args:
        sources: Parsed before by `referenced`, so that their includes are known to be among them.
        declared: Names the templates may use.
        variables: A value for each of them.
    """
    environment = _environment(sources)
    for source in sources:
        problem = _unknown_variable(environment, source, declared)
        if problem is not None:
            return problem
    try:
        pieces: list[str] = []
        size = 0
        for piece in environment.get_template(sources[0].name).generate(variables):
            size += len(piece)
            if size > MAX_OUTPUT_CHARS:
                return Problem(sources[0].path, None, f"it makes more than {MAX_OUTPUT_CHARS:,} characters")
            pieces.append(piece)
    except Exception as error:  # noqa: BLE001 - whatever an edited template raises is told as its problem
        return _located(error, sources)
    return "".join(pieces)


def _environment(sources: Sequence[Source]) -> ImmutableSandboxedEnvironment:
    known = {source.name: source for source in sources}

    def load(name: str) -> tuple[str, str, None] | None:
        return (known[name].text, known[name].path, None) if name in known else None

    environment = ImmutableSandboxedEnvironment(
        loader=FunctionLoader(load),
        undefined=StrictUndefined,
        autoescape=False,  # prompts are plain text; escaped notes could not be quoted word for word
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in set(environment.globals) - set(GLOBALS):
        del environment.globals[name]
    return environment


def _unknown_variable(
    environment: ImmutableSandboxedEnvironment, source: Source, declared: Collection[str]
) -> Problem | None:
    try:
        parsed = environment.parse(source.text, source.name, source.path)
        unknown = meta.find_undeclared_variables(parsed) - set(declared)
    except TemplateSyntaxError as error:
        return Problem(source.path, error.lineno, _words(error))
    except Exception as error:  # noqa: BLE001 - the compiler computes constants, and `1/0` is one
        return Problem(source.path, None, _words(error))
    places = [(min(_loads(parsed, name), default=0), name) for name in unknown]
    if not places:
        return None
    line, name = min(places)
    return Problem(source.path, line or None, f"unknown variable {name!r} (known are {', '.join(declared)})")


def _loads(node: nodes.Node, name: str) -> Iterator[int]:
    """Lines that read *name* where no loop, macro or `with` around them binds it."""
    if isinstance(node, nodes.Name):
        if node.name == name and node.ctx == "load":
            yield node.lineno
        return
    binding, inner = SCOPES.get(type(node), ("", ()))
    hidden = inner if binding and name in _bound(getattr(node, binding)) else ()
    for child in node.iter_child_nodes(exclude=hidden):
        yield from _loads(child, name)


def _bound(part: nodes.Node | list[nodes.Node]) -> set[str]:
    targets = part if isinstance(part, list) else [part]
    inside = {name.name for target in targets for name in target.find_all(nodes.Name)}
    return inside | {target.name for target in targets if isinstance(target, nodes.Name)}


def _located(error: Exception, sources: Sequence[Source]) -> Problem:
    paths = {source.path for source in sources}
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in paths:
            return Problem(frame.filename, frame.lineno, _words(error))
    return Problem(sources[0].path, None, _words(error))


def _words(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested, or calls itself, too deeply"
    if isinstance(error, MemoryError):
        return "it needs too much memory"
    said = error.message if isinstance(error, TemplateError) else str(error)
    words = (said or "").strip().rstrip(".") or type(error).__name__
    for called, written in SIGNS.items():
        words = words.replace(called, written)
    unclosed = UNCLOSED.fullmatch(words)
    return f"a '{OPENING[unclosed[1]]}' is closed by no '{unclosed[1]}}}'" if unclosed else words

from __future__ import annotations

from typing import Any

import pytest

from daybook.doctor import lenientjson


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2.5, -3e2, true, false, null]}', {"a": [1, 2.5, -300.0, True, False, None]}),
        ("\ufeff// top\n{ /* two\nlines */ every: '30m', }", {"every": "30m"}),
        ("{a$_1: \"it's\", 'b c': 'say \"so\"', true: [1,],}", {"a$_1": "it's", "b c": 'say "so"', "true": [1]}),
        (
            r"""{a: 'x\'y\x41\u00e9\
z\n', url: "http://x//y /* no */"}""",
            {"a": "x'yA\u00e9z\n", "url": "http://x//y /* no */"},
        ),
        ("{n: [0x1F, .5, +1, Infinity]}", {"n": ["0x1F", ".5", "+1", "Infinity"]}),
    ],
)
def test_json5_is_read_as_it_is_written_by_people(text: str, value: Any) -> None:
    assert lenientjson.parse(text) == value


@pytest.mark.parametrize(
    "text",
    ["", "{", "{a: }", "{a 1}", "[1 2]", "{a: 'x}", "/* never closed", '{"a": "\n"}', "[" * 100_000, "a b"],
)
def test_what_is_no_json5_is_an_error_that_tells_nothing_of_it(text: str) -> None:
    with pytest.raises(ValueError, match=r"not understood|do not fit") as raised:
        lenientjson.parse(text)
    assert raised.value.__context__ is None or raised.value.__suppress_context__


def test_a_long_text_is_read_in_one_pass() -> None:
    assert lenientjson.parse("[" + "'a', " * 100_000 + "]") == ["a"] * 100_000

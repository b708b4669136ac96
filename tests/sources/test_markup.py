from __future__ import annotations

import pytest

from daybook.sources.markup import text_of


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Hi&nbsp;<b>you</b></p><p>there", "Hi you\nthere"),
        ("one<br>two<br/>three<hr>four", "one\ntwo\nthree\nfour"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c<td>d</table>e", "a b\nc d\ne"),
        ("<ul><li>a<li>b</ul>c", "a\nb\nc"),
        ("<pre>a\n b</pre>", "a\nb"),
        ("a\n  b\tc", "a b c"),
        ("1 < 2 &lt; 3 &amp;amp; 4 & 5", "1 < 2 < 3 &amp; 4 & 5"),
        ("<a title=\"a > b\" href='x>y'>link</a>", "link"),
        ("<P>Upper</P><bR>Case", "Upper\nCase"),
        ("<h1>One</h1><div><div>Two</div></div>", "One\nTwo"),
        ("plain text", "plain text"),
        ("", ""),
    ],
)
def test_block_elements_make_lines(markup: str, text: str) -> None:
    assert text_of(markup) == text


@pytest.mark.parametrize(
    "markup",
    [
        "<head><title>x</title><style>b{}</style></head>",
        "<script>x</script >",
        "<script>if (a < b) { '</p>' }</script>",
        "<style><!-- x --></style>",
        "<!-- x --><!-- <b>x -->",
        "<!DOCTYPE html x><?php x ?></ x><![endif]>",
        "<!--[if mso]><p>x</p><![endif]-->",
        '<div style="display:none">x<p>x</div>',
        '<div style="color:red; DISPLAY : None ! important">x</div>',
        '<span style="font-size:0">x</span><span style="font-size: 0.0px;">x</span>',
        '<span style="visibility:hidden">x</span><span style="opacity:0">x</span>',
        '<div style="max-height:0;overflow:hidden;mso-hide:all">x</div>',
        '<div style="display&#58;none">x</div>',
        "<p hidden>x</p><p hidden='hidden'>x</p><i HIDDEN>x</i>",
        "<b aria-hidden=true>x</b>",
        "<svg><title>x</title><text>x</text></svg><template>x</template>",
        "<p hidden>x<div hidden>x</div>",
        "<img alt=x src=x><input value=x>",
    ],
)
def test_what_no_reader_sees_is_left_out(markup: str) -> None:
    assert text_of(f"before{markup}<p>after") == "before\nafter"


@pytest.mark.parametrize(
    "markup",
    [
        '<span style="font-size:0.9em">x</span>',
        '<span style="font-size:10px; opacity:.5">x</span>',
        '<div title="display:none">x</div>',
        '<div data-style="display:none" class=hidden>x</div>',
        '<div aria-hidden="false">x</div>',
        '<div style="display:block" style="display:none">x</div>',
        "<p hidden><p>x",
        "<div><b hidden></div>x",
        "<![if !mso]>x<![endif]>",
    ],
)
def test_what_a_reader_sees_is_kept(markup: str) -> None:
    assert text_of(markup) == "x"


def test_quoted_lines_are_marked() -> None:
    markup = "Yes.<blockquote>Shall we?<blockquote>When?</blockquote><p>Now?</blockquote>Bye"
    assert text_of(markup) == "Yes.\n> Shall we?\n> When?\n> Now?\nBye"


@pytest.mark.parametrize("end", ["<a href='x", '<a title="', "<b", "<!-- x", "<script>x", "</p", "<p hidden>x", "<!"])
def test_a_page_that_was_cut_gives_what_is_before(end: str) -> None:
    assert text_of(f"before {end}") == "before"


def test_o15_a_number_of_thousands_of_digits_is_no_character() -> None:
    assert text_of(f"a&#{'9' * 5_000};b<i style='&#x{'f' * 5_000};'>c") == "abc"


@pytest.mark.parametrize(
    "unit", ["<", "<a ", "<!--", "<div>", "<p hidden>", "</p>", "<b><i></b>", "<a x='", "&#", "<td>"]
)
def test_o15_markup_of_nothing_but_beginnings_is_read(unit: str) -> None:
    text = text_of(unit * (65_536 // len(unit)))
    assert text.strip("<&#") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>Hi <b>you</b></p>", "Hi you"),
        ("<header>kept</header>", "kept"),
        ("<HEAD><title>t</title></HEAD>a<style type=x>b{}</style >c<script>d()</script>e", "ace"),
        ("a<!-- b -->c", "ac"),
        ("a<style>never closed", "a"),
        ("1 < 2 &amp; 3 > 2", "1 < 2 & 3 > 2"),
    ],
)
def test_tags_go_and_text_stays(text: str, expected: str) -> None:
    assert " ".join(text_of(text).split()) == expected

"""`daybook feeds`, against a real server, at a terminal of its own."""

from __future__ import annotations

import argparse
import json
import os
import pty
import sys
from typing import TYPE_CHECKING, Any, TextIO

import pytest

from daybook import adoption, settings, tomlfile, trust
from daybook.cli import feed_editing
from daybook.cli import feeds as command
from daybook.errors import ChangedFileError, SettingsError, SourceError, UsageError
from daybook.sources import opml, politeness, standing, tracking
from daybook.sources.fetching import feed_key
from daybook.sources.tracking import Failure

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pytest_httpserver import HTTPServer

    from daybook.workspace import Workspace

    Run = Callable[..., tuple[int, str]]

LOCAL = '[network]\nallow_hosts = ["localhost"]\n'
RSS = '<?xml version="1.0"?><rss version="2.0"><channel><title>Their title</title>{}</channel></rss>'
PAGE = '<link rel="alternate" type="application/rss+xml" title="{0}" href="/{0}.xml">'


@pytest.fixture
def terminals() -> list[TextIO]:
    """Where one stands: at no terminal."""
    return []


@pytest.fixture
def terminal(terminals: list[TextIO]) -> Iterator[Callable[[str], None]]:
    """Stand at a terminal; gives what is typed there."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as stdin, os.fdopen(ours, "w") as keyboard:
        terminals.append(stdin)
        yield lambda text: print(text, file=keyboard, flush=True)


@pytest.fixture
def run(
    workspace: Workspace, terminals: list[TextIO], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Run:
    """Run `daybook feeds …`; its exit code, and what it said."""

    def call(*arguments: str) -> tuple[int, str]:
        parser = argparse.ArgumentParser()
        commands = parser.add_subparsers(dest="feeds_command", required=True)

        def one(name: str, _module: str, _about: str) -> argparse.ArgumentParser:
            made = commands.add_parser(name)
            made.add_argument("--json", action="store_true")
            return made

        command.add_arguments(one)
        options = parser.parse_args(arguments)
        options.workspace = str(workspace.root)
        capsys.readouterr()
        with monkeypatch.context() as patch:
            for stdin in terminals:
                patch.setattr(sys, "stdin", stdin)
                patch.setattr(sys.stdout, "isatty", stdin.isatty)
            code = command.run(options)
        said = capsys.readouterr()
        return code, said.out + said.err

    return call


@pytest.fixture
def site(httpserver: HTTPServer, settle: Callable[[str], None]) -> HTTPServer:
    """A server with a feed, that may be asked."""
    items = "".join(f"<item><guid>{n}</guid><title>Item {n}</title></item>" for n in range(5))
    httpserver.expect_request("/feed.xml").respond_with_data(RSS.format(items), content_type="application/rss+xml")
    settle(f"# mine\r\n{LOCAL}")
    return httpserver


def followed(workspace: Workspace) -> list[str]:
    return [feed.url for feed in settings.load(workspace).settings.feeds]


def test_add_asks_the_feed_shows_it_and_keeps_every_byte(
    workspace: Workspace, site: HTTPServer, run: Run, terminal: Callable[[str], None]
) -> None:
    before, url = workspace.settings.read_bytes(), site.url_for("/feed.xml")
    terminal("y")
    code, said = run("add", url, "--name", "Mine", "--weight", "2")
    assert (code, "Their title: 5 items at localhost" in said, said.count("  Item ")) == (0, True, 3)
    assert "[news]" not in said
    block = f'\r\n[[feeds]]\r\nurl = "{url}"\r\nname = "Mine"\r\nweight = 2\r\n'
    assert workspace.settings.read_bytes() == before + block.encode()
    assert (followed(workspace), settings.load(workspace).inert) == ([url], ())
    assert run("add", url.replace("http:", "feed:http:"), "--yes") == (
        0,
        f"Mine (localhost:{site.port}/feed.xml) is followed already.\n",
    )
    assert run("remove", "mine", "--yes")[0] == 0
    assert (workspace.settings.read_bytes(), followed(workspace)) == (before, [])


def test_a_no_at_the_terminal_changes_nothing(
    workspace: Workspace, site: HTTPServer, run: Run, terminal: Callable[[str], None]
) -> None:
    before = workspace.settings.read_bytes()
    terminal("n")
    code, said = run("add", site.url_for("/feed.xml"))
    assert (code, said.endswith("Nothing was added.\n"), workspace.settings.read_bytes()) == (1, True, before)


@pytest.mark.parametrize("what", [("add", "{}"), ("add", "{}", "--yes"), ("remove", "x", "--yes"), ("import", "x")])
def test_o18_without_a_terminal_nothing_is_asked_or_changed(
    workspace: Workspace, site: HTTPServer, run: Run, what: tuple[str, ...]
) -> None:
    before = workspace.settings.read_bytes()
    with pytest.raises(UsageError, match="needs a person at a terminal"):
        run(*(part.format(site.url_for("/feed.xml")) for part in what))
    assert (workspace.settings.read_bytes(), site.log) == (before, [])


@pytest.mark.usefixtures("terminal")
def test_o19_feeds_that_are_not_trusted_do_not_become_so_along_with_another(
    workspace: Workspace, site: HTTPServer, run: Run
) -> None:
    before = workspace.settings.read_bytes() + b'[[feeds]]\nurl = "https://stranger.example/f"\n'
    workspace.settings.write_bytes(before)
    for what in (("add", site.url_for("/feed.xml")), ("remove", "https://stranger.example/f")):
        with pytest.raises(SettingsError, match="look at them with `daybook trust` first"):
            run(*what, "--yes")
    assert (workspace.settings.read_bytes(), site.log, settings.load(workspace).inert) == (before, [], ("feeds",))
    with pytest.raises(SettingsError, match="not trusted"):
        run("test")
    code, said = run("list")
    assert (code, "stranger.example/f" in said, "not trusted" in said, site.log) == (0, True, True, [])


@pytest.mark.usefixtures("terminal", "site")
def test_o19_no_other_part_becomes_trusted(workspace: Workspace, run: Run) -> None:
    workspace.settings.write_bytes(workspace.settings.read_bytes() + b'[notify]\nurls = ["json://stranger.example"]\n')
    assert run("add", "https://e.org/f", "--no-check", "--yes")[0] == 0
    loaded = settings.load(workspace)
    assert (followed(workspace), loaded.inert, loaded.settings.notify.urls) == (["https://e.org/f"], ("notify",), ())
    assert loaded.settings.network.allow_hosts == ("localhost",)
    assert run("remove", "e.org/f", "--yes")[0] == 0
    assert sorted(trust.trusted_parts(workspace)) == ["network"]


@pytest.mark.usefixtures("terminal")
def test_a_page_that_names_one_feed_leads_to_it(workspace: Workspace, site: HTTPServer, run: Run) -> None:
    site.expect_request("/page").respond_with_data(PAGE.format("feed"), content_type="text/html")
    code, said = run("add", site.url_for("/page"), "--yes")
    assert (code, "Their title" in said, followed(workspace)) == (0, True, [site.url_for("/feed.xml")])


@pytest.mark.usefixtures("terminal")
def test_a_page_that_names_several_lists_them_and_takes_the_first_when_told(
    workspace: Workspace, site: HTTPServer, run: Run
) -> None:
    site.expect_request("/page").respond_with_data(PAGE.format("feed") + PAGE.format("other"), content_type="text/html")
    code, said = run("add", site.url_for("/page"), "--yes")
    assert (code, f"  {site.url_for('/other.xml')}  other" in said, followed(workspace)) == (1, True, [])
    assert run("add", site.url_for("/page"), "--first", "--yes")[0] == 0
    assert followed(workspace) == [site.url_for("/feed.xml")]


@pytest.mark.usefixtures("terminal")
def test_a_page_that_names_none_or_a_page_or_is_private_is_not_added(
    workspace: Workspace, site: HTTPServer, run: Run
) -> None:
    site.expect_request("/none").respond_with_data("<p>hello", content_type="text/html")
    site.expect_request("/loop").respond_with_data(PAGE.format("loop"), content_type="text/html")
    site.expect_request("/loop.xml").respond_with_data(PAGE.format("loop"), content_type="text/html")
    for path, why in (("/none", "names none"), ("/loop", "loop.xml, which .*/loop names, is no RSS")):
        with pytest.raises(SourceError, match=why):
            run("add", site.url_for(path), "--yes")
    with pytest.raises(SourceError, match=r"private address.*network\.allow_hosts"):
        run("add", f"http://127.0.0.1:{site.port}/feed.xml", "--yes")
    assert followed(workspace) == []


@pytest.mark.parametrize(
    "url",
    [
        *("ftp://e.org/f", "https://", "https://[x", "http://e.org:x/", "http://e.org:70000/", "http://ex ample/f"),
        *("https://e.org/\x1b[31m", "https://e.org/\u202ef", f"https://e.org/{'a' * 90_000}", ""),
    ],
)
@pytest.mark.usefixtures("terminal")
def test_what_is_no_web_address_is_wrong_usage(run: Run, url: str) -> None:
    with pytest.raises(UsageError, match="no web address"):
        run("add", url, "--no-check", "--yes")
    with pytest.raises(UsageError, match="weight from 0 to 10"):
        run("add", "e.org/f", "--weight", "11", "--no-check", "--yes")


@pytest.mark.usefixtures("terminal")
def test_a_file_that_is_not_there_yet_is_made(workspace: Workspace, run: Run) -> None:
    workspace.settings.unlink()
    assert run("add", "e.org/f", "--no-check", "--yes")[0] == 0
    assert tomlfile.read(workspace) == {"feeds": [{"url": "https://e.org/f"}]}
    assert followed(workspace) == ["https://e.org/f"]


@pytest.mark.usefixtures("terminal")
def test_test_asks_a_feed_that_is_gone_and_a_success_clears_it(
    workspace: Workspace, site: HTTPServer, run: Run, now: Any
) -> None:
    gone = site.url_for("/gone")
    run("add", gone, "--no-check", "--yes", "--name", "Gone one")
    key = feed_key(gone)
    standing.commit(workspace, {key: ("x", standing.Standing(gone_at=now))}, now)
    assert "gone for good since 2026-02-07" in run("list")[1]
    site.expect_ordered_request("/gone").respond_with_data(status=410)
    code, said = run("test", "Gone one")
    assert (code, said, key in standing.load(workspace)) == (1, "! Gone one is gone for good (410).\n", True)
    site.expect_request("/gone").respond_with_data(RSS.format(""))
    code, said = run("test", "Gone one", "--json")
    assert (code, json.loads(said)["feeds"][0]["title"], standing.load(workspace)) == (0, "Their title", {})


@pytest.mark.usefixtures("terminal")
def test_test_asks_all_and_one_that_fails_hides_no_other(site: HTTPServer, run: Run) -> None:
    for path in ("/feed.xml", "/bad"):
        run("add", site.url_for(path), "--no-check", "--yes")
    site.expect_request("/bad").respond_with_data(status=500)
    code, said = run("test")
    assert (code, "Their title: 5 items" in said, f"! localhost:{site.port}/bad answered 500" in said) == (
        1,
        True,
        True,
    )
    assert run("test", site.url_for("/feed.xml"))[0] == 0
    with pytest.raises(UsageError, match="No feed is called 'nobody'"):
        run("test", "nobody")


@pytest.mark.usefixtures("terminal")
def test_list_names_no_secret(run: Run) -> None:
    run("add", "https://me:pass-word-1@e.org/f?token=abcdef123456", "--no-check", "--yes")
    for arguments in (("list",), ("list", "--json"), ("export",), ("export", "--json")):
        code, said = run(*arguments)
        assert (code, "e.org/f" in said, "pass-word-1" in said, "abcdef123456" in said) == (0, True, False, False)
    assert "pass-word-1" in run("export", "--secrets")[1]
    assert json.loads(run("list", "--json")[1])["feeds"][0]["last_ok"] is None


@pytest.mark.usefixtures("terminal")
def test_import_adds_what_is_new_counts_what_is_known_and_names_what_is_unfit(
    workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    run("add", "https://e.org/1", "--no-check", "--yes")
    rows = ["https://e.org/1/", "https://e.org/2", "http://www.e.org/2", "https://e.org/2", "ftp://e.org/3", "https://"]
    file = tmp_path / "feeds.opml"
    outlines = "".join(f'<outline text="A b" xmlUrl="{url}"/>' for url in rows)
    file.write_text(f"<opml><body>{outlines}</body></opml>")
    code, said = run("import", str(file), "--yes", "--json")
    assert (code, json.loads(said.splitlines()[0])["known"], said.count("no web address")) == (0, 2, 4)
    assert followed(workspace) == ["https://e.org/1", "https://e.org/2", "http://www.e.org/2"]
    assert [feed.name for feed in settings.load(workspace).settings.feeds] == [None, "A b", "A b"]
    assert run("import", str(file), "--yes")[1].startswith("0 new feeds, 4 known already, 2 unfit.")
    with pytest.raises(UsageError, match="is not there"):
        run("import", str(tmp_path / "nothing"))


@pytest.mark.usefixtures("terminal")
def test_what_is_exported_can_be_imported_elsewhere(workspace: Workspace, run: Run, tmp_path: Path, now: Any) -> None:
    for url in ("https://e.org/1?a=1&b=2", "https://e.org/abcdef123456abcdef123456/feed"):
        run("add", url, "--no-check", "--yes")
    file = tmp_path / "out.opml"
    code, said = run("export", str(file))
    assert (code, "Wrote 1 feed to" in said, "1 feed left out" in said) == (0, True, True)
    with pytest.raises(UsageError, match="is there already"):
        run("export", str(file))
    other = adoption.adopt(tmp_path / "other", now).workspace
    workspace.settings.write_bytes(other.settings.read_bytes())
    assert run("import", str(file), "--yes")[0] == 0
    assert followed(workspace) == ["https://e.org/1?a=1&b=2"]


@pytest.mark.usefixtures("terminal")
def test_o02_a_name_that_acts_on_a_terminal_is_stored_as_one_harmless_line(
    workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    assert run("add", "e.org/1", "--no-check", "--yes", "--name", "a\n\x1b[31mb")[0] == 0
    assert [feed.name for feed in settings.load(workspace).settings.feeds] == ["a [31mb"]
    file = tmp_path / "out.opml"
    assert run("export", str(file))[0] == 0
    assert run("import", str(file), "--yes")[1].startswith("0 new feeds, 1 known already, 0 unfit.")


@pytest.mark.usefixtures("terminal")
def test_an_export_says_what_it_left_away(run: Run) -> None:
    for url in ("https://e.org/1?k=9f8e7d6c5b4a3f2e1d0c", "https://e.org/2?format=atom", "https://e.org/8F3KQ2ZP7L/"):
        run("add", url, "--no-check", "--yes")
    code, said = run("export")
    assert (code, "9f8e7d6c5b4a3f2e1d0c" in said, "8F3KQ2ZP7L" in said) == (0, False, False)
    assert ('xmlUrl="https://e.org/1"' in said, 'xmlUrl="https://e.org/2?format=atom"' in said) == (True, True)
    assert "1 feed left out, whose address is a secret itself; see --secrets." in said
    assert "1 feed written without what may be secret in the address; see --secrets." in said
    told = json.loads(run("export", "--json")[1].splitlines()[0])
    assert (told["feeds"], told["left_out"], told["shortened"]) == (2, 1, 1)


@pytest.mark.usefixtures("terminal")
def test_import_counts_those_beyond_the_most_that_are_read(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "feeds.opml"
    outlines = "".join(f'<outline xmlUrl="https://e.org/{number}"/>' for number in range(opml.MOST + 3))
    file.write_text(f"<opml>{outlines}</opml>")
    monkeypatch.setattr(feed_editing, "confirmed", lambda *_, **__: False)
    code, said = run("import", str(file))
    assert (code, f"names 3 feeds more than the {opml.MOST} that are read at once; split it." in said) == (1, True)


def test_o18_an_address_that_is_not_followed_is_asked_for_a_person_alone(run: Run, site: HTTPServer) -> None:
    with pytest.raises(UsageError, match="needs a person at a terminal"):
        run("test", site.url_for("/feed.xml"))
    assert site.log == []


@pytest.mark.usefixtures("terminal")
def test_an_address_can_be_tried_before_it_is_followed(run: Run, site: HTTPServer) -> None:
    site.expect_request("/page").respond_with_data(PAGE.format("feed"), content_type="text/html")
    assert run("test", site.url_for("/feed.xml"))[0] == 0
    code, said = run("test", site.url_for("/page"))
    assert (code, f"its page names localhost:{site.port}/feed.xml" in said) == (1, True)


@pytest.mark.usefixtures("terminal")
def test_add_calls_a_feed_as_it_calls_itself_unless_it_is_told_a_name(
    workspace: Workspace, site: HTTPServer, run: Run
) -> None:
    where = f"localhost:{site.port}/feed.xml"
    run("add", site.url_for("/feed.xml"), "--yes")
    assert [feed.name for feed in settings.load(workspace).settings.feeds] == ["Their title"]
    assert run("add", where, "--yes") == (0, f"Their title ({where}) is followed already.\n")
    site.expect_request("/long").respond_with_data(RSS.replace("Their title", "Long" * 20).format(""))
    run("add", site.url_for("/long"), "--yes")
    run("add", "e.org/f", "--no-check", "--yes")
    names = [feed.name for feed in settings.load(workspace).settings.feeds]
    assert (len(names[1] or ""), (names[1] or "")[:8], names[2]) == (60, "LongLong", None)
    assert "e.org/f: not read yet\n" in run("list")[1].splitlines(keepends=True)


def test_a_feed_without_items_is_asked_about_as_such(
    workspace: Workspace, site: HTTPServer, run: Run, terminal: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(feed_editing, "confirmed", lambda question, **_: asked.append(question) or False)
    terminal("")
    site.expect_request("/empty").respond_with_data(RSS.format(""))
    for path in ("/empty", "/feed.xml"):
        assert run("add", site.url_for(path))[0] == 1
    assert asked == [
        f"It holds no item that can be read; follow Their title (localhost:{site.port}/empty) all the same?",
        f"Follow Their title (localhost:{site.port}/feed.xml)?",
    ]
    assert followed(workspace) == []


@pytest.mark.usefixtures("terminal")
def test_add_says_what_is_wrong_as_of_a_feed_that_is_not_followed(site: HTTPServer, run: Run) -> None:
    unasked = "; check the address, or add it unasked with --no-check."
    site.expect_request("/503").respond_with_data(status=503)
    site.expect_request("/404").respond_with_data(status=404)
    expected = {
        site.url_for("/404"): f"localhost:{site.port}/404 answered 404; check the address.",
        site.url_for("/503"): f"localhost:{site.port}/503 answered 503{unasked}",
        "http://localhost:1/f": f"Nothing answers at localhost:1{unasked}",
        "notaurl.invalid": "The host notaurl.invalid is not known; check the address or the network.",
    }
    for url, sentence in expected.items():
        with pytest.raises(SourceError) as caught:
            run("add", url, "--yes")
        assert str(caught.value) == sentence


@pytest.mark.usefixtures("terminal")
def test_what_somebody_wrote_while_the_question_stood_is_not_written_over(
    workspace: Workspace, site: HTTPServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = workspace.settings.read_bytes() + b"# meanwhile\n"

    def confirmed(*_: object, **__: object) -> bool:
        workspace.settings.write_bytes(other)
        return True

    monkeypatch.setattr(feed_editing, "confirmed", confirmed)
    with pytest.raises(ChangedFileError):
        run("add", site.url_for("/feed.xml"))
    assert workspace.settings.read_bytes() == other


@pytest.mark.usefixtures("terminal")
def test_a_feed_that_answers_when_it_is_tested_waits_no_longer(
    workspace: Workspace, site: HTTPServer, run: Run, now: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(politeness, "TELL_AFTER_S", 0)
    url = site.url_for("/feed.xml")
    run("add", url, "--yes")
    key = feed_key(url)
    tracking.commit(workspace, [Failure("feed", key, "x", "It failed.", retry_after_s=3600)] * 2, now)
    assert "failed 2 times in a row" in run("list")[1]
    code, said = run("test")
    assert (code, said.splitlines()[-1]) == (0, "Asking 1 feed …")
    state = tracking.load(workspace, now).feeds[key]
    assert (state.failures, state.next_allowed, state.retry_after) == (0, None, None)


@pytest.mark.usefixtures("terminal")
def test_a_feed_that_was_exported_without_its_token_is_known_when_it_is_imported(
    workspace: Workspace, run: Run, tmp_path: Path
) -> None:
    for url in ("https://e.org/1?token=9f8e7d6c5b4a3f2e1d0c", "https://me:pass-word-1@e.org/2"):
        run("add", url, "--no-check", "--yes")
    before, file = workspace.settings.read_bytes(), tmp_path / "out.opml"
    assert "2 feeds written without what may be secret" in run("export", str(file))[1]
    assert run("import", str(file), "--yes")[1].startswith("0 new feeds, 2 known already, 0 unfit.")
    assert workspace.settings.read_bytes() == before


@pytest.mark.usefixtures("terminal")
def test_of_two_feeds_of_one_name_each_is_named_by_its_line(workspace: Workspace, run: Run) -> None:
    for token in ("9f8e7d6c5b4a3f2e1d0c", "0c9f8e7d6c5b4a3f2e1d"):
        run("add", f"https://e.org/f?token={token}", "--no-check", "--yes", "--name", "Twin")
    lines = [at for at, line in enumerate(workspace.settings.read_text().splitlines(), 1) if line == "[[feeds]]"]
    told = f"e.org/f (line {lines[0]}), e.org/f (line {lines[1]}); name one by its line in daybook.toml, such as `:"
    for what in ("twin", "e.org/f"):
        with pytest.raises(UsageError) as caught:
            run("remove", what, "--yes")
        assert str(caught.value) == f"2 feeds are called {what!r}: {told}{lines[0]}`."
    with pytest.raises(UsageError, match="2 feeds are called"):
        run("test", "e.org/f")
    assert run("remove", f":{lines[1]}", "--yes")[0] == 0
    assert followed(workspace) == ["https://e.org/f?token=9f8e7d6c5b4a3f2e1d0c"]
    with pytest.raises(UsageError, match="No feed is called ':9999'"):
        run("remove", ":9999", "--yes")

from __future__ import annotations

import subprocess
import sys

from daybook.guard.cleaning import clean


def test_o03_an_invisible_character_does_not_hide_a_secret() -> None:
    assert "hunter" not in clean("it is hun\u200bter-2-x", secrets=("hunter-2-x",))


def test_a_placeholder_does_not_become_a_link() -> None:
    assert "](" not in clean("hunter-2-x(https://evil.example)", secrets=("hunter-2-x",))


def test_a_secret_is_found_before_the_text_is_cut() -> None:
    assert "hunter" not in clean("x" * 290 + " hunter-2-x", secrets=("hunter-2-x",))


def test_c01_nothing_heavy_is_loaded_before_it_is_used() -> None:
    heavy = ("httpx", "feedparser", "imap_tools", "apprise")
    code = (
        "import sys, daybook.notify, daybook.sources.feeds, daybook.sources.triage, daybook.sources.command;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"

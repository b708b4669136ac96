from __future__ import annotations

import pytest

from daybook.network.tokens import is_harmless, is_token


@pytest.mark.parametrize(
    "text",
    [
        "a1b2c3d4e5f6a7b8c9",
        "abcdef123456abcdef123456",
        "8F3KQ2ZP7L",
        "8F3KQ2ZP7L.xml",
        "3f9a1c7b2e40",
        "AbCdEfGhIjKlMnOpQrStUv",
        "aB3-xY_9kQ2mNpL7",
        "Qz-RtYuI_pLkJhGfDsAq",
        "private-0123456789abcdef0123456789abcdef",
        "12345678-1234-4123-8123-123456789012",
    ],
)
def test_what_words_never_look_like_is_a_token(text: str) -> None:
    assert is_token(text) is True


@pytest.mark.parametrize(
    "text",
    [
        "",
        "feed.xml",
        "podcast-2024-season-12.xml",
        "web3-news-24h-daily",
        "e2e-testing-2024-best-practices",
        "iOS18-and-macOS15-news-2024",
        "h264-vs-h265-2024",
        "top10_stories_of_2023",
        "TheDailyShowPodcastFeed",
        "ABCNewsBreakfastNSW",
        "E3expo2024live",
        "decade2020",
        "20240101120000",
        "weltgeschehennachrichten",
        "@fediverse_user2024",
        "日本語のニュース2024年01月",
    ],
)
def test_words_are_no_token_also_with_numbers_among_them(text: str) -> None:
    assert is_token(text) is False


@pytest.mark.parametrize(
    ("name", "value", "harmless"),
    [
        ("format", "atom", True),
        ("a", "1", True),
        ("q", "heat pumps", True),
        ("who", "anybody", False),
        ("q", "9f8e7d6c5b4a3f2e1d0c", False),
        ("rss_key", "1", False),
        ("keyword", "climate", True),
        ("rss", "", True),
        ("myownfeed", "", False),
    ],
)
def test_a_parameter_is_harmless_where_it_is_known_to_be_or_short(name: str, value: str, harmless: bool) -> None:
    assert is_harmless(name, value) is harmless

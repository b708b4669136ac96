from __future__ import annotations

import pytest

from daybook.network import hiding
from daybook.settings import Settings


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("ntfy://user:Sommer77haus@ntfy.example.org/house-9f3k", {"Sommer77haus", "house-9f3k"}),
        ("https://hc.example.org/3f2a9c1e-77aa-4b1e-9d1c-1f2e3d4c5b6a", {"3f2a9c1e-77aa-4b1e-9d1c-1f2e3d4c5b6a"}),
        ("tgram://123456789:AAxyz-0123/-1001", {"AAxyz-0123", "123456789"}),
        ("mailto://me:p%40ss-1@mail.example.org", {"p%40ss-1", "p@ss-1"}),
        ("json://localhost/notifications?+X-Token=abcd1234", {"abcd1234"}),
        ("ntfy://kitchen-lights", set()),
        ("json://[broken", set()),
    ],
)
def test_o16_what_is_secret_in_an_address_is_known_by_itself(url: str, expected: set[str]) -> None:
    """Turns red when a password is hidden only where its whole address stands, or an ordinary word is."""
    assert set(hiding.of_address(url)) == expected


def test_the_addresses_of_the_settings_are_known_whole_too() -> None:
    settings = Settings.model_validate(
        {"notify": {"urls": ["ntfy://kitchen-lights"], "ping_url": "https://e.org/a1b2c3d4"}}
    )
    assert set(hiding.of_settings(settings)) == {"ntfy://kitchen-lights", "https://e.org/a1b2c3d4", "a1b2c3d4"}

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import TYPE_CHECKING

import pytest

from daybook.network.decoding import decoded

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from daybook.errors import SourceError

TEXT = b"hello world " * 10
WHOLE = gzip.compress(TEXT, mtime=0)
EMPTY = gzip.compress(b"", mtime=0)


def decode(body: bytes, encoding: str, size: int = 100_000, most: int = 10_000) -> bytes | SourceError:
    async def chunks() -> AsyncIterator[bytes]:
        for at in range(0, len(body), size):
            yield body[at : at + size]

    return asyncio.run(decoded(chunks(), encoding, "It", most))


def raw_deflate(text: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(text) + packer.flush()


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        pytest.param("gzip", WHOLE, id="gzip"),
        pytest.param(" X-GZIP ", WHOLE, id="its old name"),
        pytest.param("gzip", gzip.compress(TEXT[:50]) + EMPTY + gzip.compress(TEXT[50:]), id="three members"),
        pytest.param("gzip", WHOLE + b"whatever" * 99, id="something behind"),
        pytest.param("gzip", WHOLE + b"\0", id="a byte behind"),
        pytest.param("deflate", zlib.compress(TEXT), id="deflate"),
        pytest.param("deflate", raw_deflate(TEXT), id="deflate without its header"),
        pytest.param("deflate", WHOLE, id="gzip by another name"),
        pytest.param("", TEXT, id="as it is"),
    ],
)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_a_body_is_read_whole_in_every_encoding(encoding: str, body: bytes, size: int) -> None:
    assert decode(body, encoding, size) == TEXT


@pytest.mark.parametrize("encoding", ["gzip", "deflate", ""])
def test_nothing_is_nothing_in_every_encoding(encoding: str) -> None:
    assert decode(b"", encoding) == b""


@pytest.mark.parametrize(
    ("encoding", "body", "why"),
    [
        pytest.param("gzip", WHOLE[:-1], "ends in the middle", id="cut"),
        pytest.param("gzip", WHOLE + WHOLE[:-1], "ends in the middle", id="a cut member"),
        pytest.param("gzip", b"\x1f", "ends in the middle", id="a byte"),
        pytest.param("gzip", TEXT, "compressed wrongly", id="no gzip"),
        pytest.param("deflate", b"\xff" * 9, "compressed wrongly", id="no deflate"),
        pytest.param("gzip, gzip", gzip.compress(WHOLE), "not asked for", id="nested"),
        pytest.param("gzip", gzip.compress(b"x" * 1_001), "longer than 1 kB", id="long"),
        pytest.param("gzip", gzip.compress(b"x" * 600) * 2, "longer than 1 kB", id="long together"),
        pytest.param("gzip", EMPTY * 1_000, "longer than 1 kB", id="members that hold nothing"),
        pytest.param("gzip", EMPTY[:10] + b"\0\0\0\xff\xff" * 1_000, "longer than 1 kB", id="blocks that hold nothing"),
    ],
)
def test_a_body_that_is_broken_or_too_long_is_told(encoding: str, body: bytes, why: str) -> None:
    assert why in str(decode(body, encoding, most=1_000))

"""
The content encodings that a GET asks for: gzip, also of several members, and deflate, also without its header.

Done here and not by httpx, which decodes a chunk whole, and nested encodings too, before it can be counted: 64 kB can
become gigabytes.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from daybook.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})
DEFLATE = frozenset({"deflate"})
GZIP_MAGIC = b"\x1f\x8b"
HEADER_BYTES = 2
# As zlib numbers them: the header tells which of gzip and zlib it is, or there is none.
WITH_HEADER = 47
RAW = -15
# A body that is so much longer than what may come of it is made of members that hold nothing.
TIMES_COMPRESSED = 2


async def decoded(chunks: AsyncIterator[bytes], encoding: str, name: str, most: int) -> bytes | SourceError:
    """
    Read a body up to a cap.

    Args:
        chunks: As they come.
        encoding: As the header names it.
        name: Begins the sentence of an error.
        most: Longest decoded body.
    """
    encoding = encoding.strip().lower()
    if encoding not in PLAIN | GZIP | DEFLATE:
        return SourceError(f"{name} is sent in an encoding that was not asked for.", transient=False)
    inflater = None if encoding in PLAIN else _Inflater(gzip=encoding in GZIP)
    size = f"{most // 1_000_000} MB" if most >= 1_000_000 else f"{most // 1_000} kB"  # noqa: PLR2004 - a million
    body, sent = bytearray(), 0
    try:
        async for chunk in chunks:
            sent += len(chunk)
            body += chunk if inflater is None else inflater.inflate(chunk, most + 1 - len(body))
            if len(body) > most or sent > TIMES_COMPRESSED * most:
                return SourceError(f"{name} is longer than {size}; remove it.", transient=False)
            if inflater is not None and inflater.ended:
                break
    except zlib.error:
        return SourceError(f"{name} is compressed wrongly; it is tried again later.", transient=True)
    if inflater is not None and not inflater.whole:
        return SourceError(f"{name} ends in the middle; it is tried again later.", transient=True)
    return bytes(body)


class _Inflater:
    """
    A stream of gzip members, or one of deflate.

    What comes behind the last of them is left out, as every reader does.
    """

    def __init__(self, *, gzip: bool) -> None:
        self.ended = False
        self._gzip = gzip
        self._stream: zlib._Decompress | None = None
        self._held = b""

    @property
    def whole(self) -> bool:
        """Whether nothing is missing; a body of no bytes at all is whole."""
        return not self._held if self._stream is None else self._stream.eof

    def inflate(self, chunk: bytes, most: int) -> bytes:
        """Decode the next bytes, to *most* at most, which is one or more; the rest of them is lost then."""
        given, out = self._held + chunk, bytearray()
        self._held = b""
        while given and len(out) < most:
            if self._stream is None or self._stream.eof:
                if len(given) < HEADER_BYTES:
                    self._held = given
                    break
                if self._stream is not None and not (self._gzip and given.startswith(GZIP_MAGIC)):
                    self.ended = True
                    break
                self._stream = zlib.decompressobj(WITH_HEADER if self._gzip or _has_header(given) else RAW)
            out += self._stream.decompress(given, most - len(out))
            given = self._stream.unused_data
        return bytes(out)


def _has_header(begin: bytes) -> bool:
    # https://www.rfc-editor.org/rfc/rfc1950: the method is 8, and the first two bytes are a multiple of 31. Some send
    # a gzip under this name.
    zlibs = begin[0] & 0x0F == zlib.DEFLATED and int.from_bytes(begin[:HEADER_BYTES], "big") % 31 == 0
    return zlibs or begin.startswith(GZIP_MAGIC)

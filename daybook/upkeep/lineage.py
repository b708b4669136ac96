"""What the ledger holds of an entry: every text it had, the note lines it rested on, and the records of both."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from daybook.guard.secrets import redact
from daybook.ledger.record import Intent, Seen
from daybook.memory.forgotten import Words, folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from daybook.ledger.record import Record, Source


class Lineages:
    """The records of every entry, by the lineage they belong to."""

    def __init__(self, records: Iterable[Record]) -> None:
        """Sort them in; what was never carried out holds its words all the same."""
        self._records: dict[str, list[Intent | Seen]] = defaultdict(list)
        for record in records:
            if isinstance(record, Intent | Seen):
                self._records[lineage_of(record)].append(record)

    def last_texts(self) -> list[str]:
        """The text that each entry had last, if it is still held."""
        return list(dict.fromkeys(text for name in self._records if (text := self._last(name))))

    def with_text(self, text: str) -> frozenset[str]:
        """Lineages of the entries that have this text, or had it last."""
        return frozenset(name for name in self._records if folded(self._last(name)) == folded(text))

    def texts(self, names: frozenset[str]) -> list[str]:
        """Every text that entries ever had."""
        return list(dict.fromkeys(text for name in names for one in self._records[name] for text in _texts(one)))

    def lines(self, name: str) -> tuple[str, ...]:
        """Hashes of the note lines that an entry rested on."""
        return tuple(dict.fromkeys(source.hash for one in self._records[name] for source in _sources(one)))

    def words(self, gone: frozenset[str], text: str, raw: Sequence[str]) -> Words:
        """
        Give all that is to be forgotten with some lineages: their texts and note lines, but what others have now.

        Args:
            gone: The lineages.
            text: The text that they have now.
            raw: Lines of the entry as they stand in the file, if it has several.
        """
        others = {folded(self._last(name)) for name in self._records if name not in gone}
        wordings = [text, *(one for one in self.texts(gone) if folded(one) not in others)]
        said = [source.text for name in gone for one in self._records[name] for source in _sources(one)]
        lines = [one for one in (*said, *raw) if folded(one) not in others]
        # Run records and proposals hold the redacted text.
        return Words.of([*wordings, *map(redact, wordings)], [*lines, *map(redact, lines)])

    def _last(self, name: str) -> str:
        texts = [text for one in reversed(self._records[name]) for text in _texts(one)]
        return texts[0] if texts else ""


def lineage_of(record: Intent | Seen) -> str:
    """Name of the entry that a record is about."""
    return record.entry or record.id if isinstance(record, Intent) else record.entry


def without(record: Record, gone: frozenset[str], words: Words) -> Record:
    """
    Give a record without what was forgotten; the record itself if it holds none of it.

    A record of another entry keeps its own words, and loses only those texts and note lines that say the forgotten.
    """
    if isinstance(record, Seen) and record.text and (record.entry in gone or words.says(record.text)):
        return record.model_copy(update={"text": "", "purged": True})
    if not isinstance(record, Intent):
        return record
    mine = lineage_of(record) in gone
    sources = tuple(
        source.model_copy(update={"text": ""}) if mine or words.says(source.text) else source
        for source in record.sources
    )
    update: dict[str, object] = {"sources": sources} if sources != record.sources else {}
    if record.text and (mine or words.says(record.text)):
        update |= {"text": "", "purged": True}
    if (record.old or record.old_raw) and (mine or words.says(record.old)):
        update |= {"old": "", "old_raw": "", "purged": True}
    if mine and not record.purged:
        update |= {"reason": "", "purged": True}
    return record.model_copy(update=update) if update else record


def _texts(record: Intent | Seen) -> list[str]:
    """Texts of an entry in a record, the later one first."""
    texts = (record.text, record.old) if isinstance(record, Intent) else (record.text,)
    return [text for text in texts if text]


def _sources(record: Intent | Seen) -> tuple[Source, ...]:
    return record.sources if isinstance(record, Intent) else ()

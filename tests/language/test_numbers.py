"""Words of number, which no rewording may leave out."""

import pytest

from daybook.language.numbers import counts

WORDS = """
    zero seven thirteen twenty-one ninetieth third halves million iv xii ½ x² 5kg null dreizehn einundzwanzig zwanzigste
    dritte viertel zweihundert zéro vingt-deux troisième moitié veintitrés doscientos tercera ventidue quarantatre
    ventesimo metà dezessete terceira tweeëntwintig vierde honderd
"""


@pytest.mark.parametrize("word", WORDS.split())
def test_a_word_of_number_counts(word: str) -> None:
    assert counts(word)


@pytest.mark.parametrize(
    "word", ["key", "maria", "und", "einen", "ich", "kind", "der", "il", "center", "accent", "vendor", "beste", "unten"]
)
def test_an_ordinary_word_does_not(word: str) -> None:
    assert not counts(word)

"""
Tell words of number: zero to a hundred, ordinals, scales and fractions in seven languages, and signs such as `½`.

Left out or swapped they say something else, and read just as well. In doubt a word counts as one.
"""

from __future__ import annotations

import re
import unicodedata

_ENGLISH = """
    zero nil one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion
    dozen score first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth twentieth thirtieth
    fortieth fiftieth sixtieth seventieth eightieth ninetieth hundredth thousandth millionth half halves quarter once
    twice thrice single double triple quadruple twofold pair couple percent umpteen
"""
_FRENCH = """
    zéro un une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt trente
    quarante cinquante soixante septante huitante octante nonante cent mille million milliard premier première seconde
    tiers quart demi demie moitié double triple dizaine douzaine quinzaine vingtaine centaine millier
"""
_SPANISH = """
    cero uno una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince veinte treinta cuarenta
    cincuenta sesenta setenta ochenta noventa cien ciento mil millón millones primero primera primer segundo segunda
    tercero tercera tercer cuarto cuarta quinto quinta sexto sexta séptimo séptima octavo octava noveno novena décimo
    décima medio media mitad tercio doble triple docena
"""
_ITALIAN = """
    uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette
    diciotto diciannove mille mila milione milioni miliardo miliardi primo prima secondo seconda terzo terza quarto
    quarta quinto quinta sesto sesta settimo settima ottavo ottava nono nona decimo decima mezzo mezza metà doppio
    doppia triplo dozzina
"""
_PORTUGUESE = """
    um uma dois duas três quatro sete oito nove dez onze doze treze catorze quatorze quinze dezesseis dezasseis
    dezessete dezassete dezoito dezenove dezanove vinte trinta quarenta cinquenta sessenta setenta oitenta noventa
    cem cento milhão milhões bilhão bilhões primeiro primeira segundo segunda terceiro terceira quarto quinto sexto
    sétimo sétima oitavo oitava nono nona décimo décima meio meia metade terço dobro dúzia
"""
_GERMAN = """
    null erste erster erstes ersten dritte dritter drittes dritten siebte siebter siebten achte achter achten halb halbe
    halber halbes halben hälfte drittel viertel doppelt doppelte doppelten dreifach dutzend paar prozent einmal
"""
_DUTCH = """
    nul eerste tweede derde vierde vijfde zesde zevende achtste negende tiende half halve helft kwart dubbel dubbele
    dozijn procent
"""
NUMBER_WORDS = frozenset(
    word for table in (_ENGLISH, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _GERMAN, _DUTCH) for word in table.split()
)
# Languages that write `einundzwanzig`, `ventidós`, `quarantatre`, `tweeëntwintigste` as one word.
_COMPOUNDS = (
    (
        r"(?:(?:ein|eins|zwei|drei|vier|fünf|sechs|sech|sieben|sieb|acht|neun|zehn|elf|zwölf)(?:und)?|zwanzig|zig|ßig"
        r"|(?:ein|zwei|drei|vier|fünf|sechs|sieben|acht|neun)?(?:hundert|tausend|million(?:en)?|milliarden?))+"
        r"(?:s?te[nrsm]?|s?tel|mal|fach(?:e[nrsm]?)?)?"
    ),
    (
        r"(?:(?:een|één|twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|dertien|veertien)(?:[eë]n)?"
        r"|(?:twin|der|veer|tach)?tig|honderd|duizend|miljoen|miljard)+(?:s?te|de|voud|maal)?"
    ),
    (
        r"(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[aieo]?"
        r"(?:uno?|due|tr[eé]|quattro|cinque|sei|sette|otto|nove)?"
    ),
    r"(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento(?:uno|due|tre|dieci|venti)?|(?:due|tre|quattro|cinque|sei|sette|otto|nove)mila",
    r"(?:dieci|veinti)\w{2,8}|(?:dos|tres|cuatro|quin|seis|sete|ocho|nove|duz|trez|quatro|oito)(?:ci|i)?ent[oa]s",
    r"\w{2,}(?:i[èe]mes?|[ée]sim[oaie]s?)",
    r"(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})",
)
COMPOUND = re.compile("|".join(_COMPOUNDS))


def counts(token: str) -> bool:
    """
    Whether a token counts, orders or measures, also as a part of it: `twenty-one`, `iv`, `½`, `5kg`.

    Args:
        token: A content token, casefolded.
    """
    if any(unicodedata.numeric(char, None) is not None for char in token if not char.isalpha()):
        return True
    parts = token.split("-")
    return any(part in NUMBER_WORDS or part.removesuffix("s") in NUMBER_WORDS for part in parts) or any(
        part and COMPOUND.fullmatch(part) is not None for part in parts
    )

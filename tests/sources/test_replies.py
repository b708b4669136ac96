from __future__ import annotations

import pytest

from daybook.sources.replies import own_words

ATTRIBUTIONS = [
    "On Fri, 6 Feb 2026 at 10:00, Ana <ana@example.org> wrote:",
    "On 6 Feb 2026, at 10:00, Ana wrote:",
    "Am Fr., 6. Feb. 2026 um 10:00 Uhr schrieb Ana <ana@example.org>:",
    "Am 06.02.26 um 10:00 schrieb Ana:",
    "Le ven. 6 févr. 2026 à 10:00, Ana <ana@example.org> a écrit :",
    "El vie, 6 feb 2026 a las 10:00, Ana (<ana@example.org>) escribió:",
    "Il giorno ven 6 feb 2026 alle ore 10:00 Ana <ana@example.org> ha scritto:",
    "Op vr 6 feb 2026 om 10:00 schreef Ana <ana@example.org>:",
    "Em sex., 6 de fev. de 2026 às 10:00, Ana <ana@example.org> escreveu:",
    "W dniu 6.02.2026 o 10:00, Ana pisze:",
    "pt., 6 lut 2026 o 10:00 Ana <ana@example.org> napisał(a):",
    "Ana <ana@example.org> 于2026年2月6日周五 10:00写道：",
    "在 2026年2月6日，10:00，Ana 写道：",
]


@pytest.mark.parametrize("line", [*ATTRIBUTIONS, "2026年2月6日(金) 10:00 Ana <ana@example.org>:"])
def test_the_quote_goes_with_who_wrote_it_and_what_stands_below_stays(line: str) -> None:
    assert own_words(f"Yes.\n\n{line}\n\n> Shall we?\n>\n> A.\n\nAt noon?", "Re: x") == "Yes.\nAt noon?"


@pytest.mark.parametrize("line", ATTRIBUTIONS)
def test_a_quote_without_marks_goes_to_the_end(line: str) -> None:
    assert own_words(f"Yes.\n\n{line}\n\nShall we?\nA.", "Re: x") == "Yes."


def test_who_wrote_it_may_stand_on_several_lines() -> None:
    said = "On Fri, 6 Feb 2026 at 10:00, Ana Maria von und zu\nBeispiel, Head of Examples\n<ana@example.org> wrote:"
    assert own_words(f"Yes.\n\n{said}\n> Shall we?", "Re: x") == "Yes."


@pytest.mark.parametrize(
    "line",
    [
        "Here is what she wrote:",
        "We meet at 10:00:",
        "Write to Ana <ana@example.org> by 10:00:",
        "From here to there: two hours",
        "Subject: to change",
        "On Friday we start.",
        "From: Berlin\nTo: Paris\nDate: Friday",
        "-- and so on",
        "He sent from my desk what was left, and a long letter.",
        "---",
    ],
)
def test_a_sentence_that_only_looks_alike_stays(line: str) -> None:
    assert own_words(f"Yes.\n{line}\nMore.", "x") == f"Yes.\n{line}\nMore."


@pytest.mark.parametrize(
    "divider",
    [
        "-----Original Message-----",
        "-----Ursprüngliche Nachricht-----",
        "-------- Message d'origine --------",
        "-----Mensaje original-----",
        "-----Messaggio originale-----",
        "-----Oorspronkelijk bericht-----",
        "-----Mensagem original-----",
        "-----Wiadomość oryginalna-----",
        "------------------ 原始邮件 ------------------",
        "________________________________\nFrom: Ana <ana@example.org>\nSent: Friday\nTo: Me\nSubject: x",
        "Von: Ana\nGesendet: Freitag\nAn: Ich\nBetreff: x",
        "De : Ana\nEnvoyé : vendredi\nÀ : moi\nObjet : x",
        "*Da:* Ana\n*Inviato:* venerdì\n*A:* me\n*Oggetto:* x",
        "发件人: Ana\n发送时间: 2026年2月6日\n收件人: 我\n主题: x",
    ],
)
def test_the_mail_below_goes_but_for_one_that_was_forwarded(divider: str) -> None:
    text = f"See you.\n\n{divider}\n\nShall we?"
    assert own_words(f"FYI\n---------- Forwarded message ---------\n{text}", "x").endswith("Shall we?")
    assert own_words(text, "Re: x") == "See you."
    assert own_words(text, "Fwd: x").endswith("Shall we?")
    assert own_words(text, "WG: x").endswith("Shall we?")


@pytest.mark.parametrize(
    "end",
    [
        "-- \nAna\n+49 30 1234",
        "--\nAna",
        "Sent from my iPhone",
        "Von meinem iPhone gesendet",
        "Envoyé de mon iPad",
        "Enviado desde mi iPhone",
        "Inviato da iPhone",
        "Verzonden vanaf mijn iPhone",
        "Enviado do meu iPhone",
        "Wysłane z iPhone'a",
        "iPhoneから送信",
        "从我的iPhone发送",
        "Get Outlook for iOS<https://aka.ms/o0ukef>",
    ],
)
def test_a_signature_goes(end: str) -> None:
    assert own_words(f"See you.\n\n{end}", "x") == "See you."


def test_two_dashes_in_the_middle_of_a_long_text_are_no_signature() -> None:
    text = "\n".join(["one", "--", *map(str, range(20))])
    assert own_words(text, "x") == text


def test_a_mail_of_nothing_but_a_quote_or_a_signature_stands_whole() -> None:
    assert own_words("> Shall we?\n>> When?\n", "x") == "Shall we?\nWhen?"
    assert own_words("-- \nAna", "x") == "-- \nAna"
    assert own_words("On Fri, 6 Feb 2026 at 10:00, Ana wrote:\nHello", "x") == (
        "On Fri, 6 Feb 2026 at 10:00, Ana wrote:\nHello"
    )
    assert own_words("", "x") == ""

"""The prompts there are, and what each may use: the one place where variables are declared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """
    One variable of a prompt.

    Attributes:
        name: As it stands in the template.
        about: What it holds, in one line; the comment of the packaged template says the same.
        sample: What `daybook prompts show` renders.
        carries: It holds what the model is asked about: a template that never mentions it asks about nothing.
    """

    name: str
    about: str
    sample: object
    carries: bool = False


@dataclass(frozen=True)
class PromptInfo:
    """
    What there is to know about a prompt before rendering it.

    Attributes:
        name: Its file in a workspace is `prompts/<name>.md.j2`.
        about: What the model is asked, in one line.
        answer: Schema of the model's answer, as module and class.
        variables: All that the template may use.
    """

    name: str
    about: str
    answer: str
    variables: tuple[Variable, ...]


REVIEW = PromptInfo(
    name="review",
    about="Propose changes of long-term memory that rest on note lines.",
    answer="daybook.review.operations.Answer",
    variables=(
        Variable("date", "day of the review, ISO 8601", "2026-02-07"),
        Variable(
            "sections",
            "headings that an added entry may stand under",
            ["Operator Preferences", "Decisions", "Lessons Learned"],
        ),
        Variable(
            "entries",
            "what memory holds: id, section, text, owned (false: written by a person)",
            [
                {"id": "e1", "section": "Operator Preferences", "text": "Prefers short answers", "owned": True},
                {"id": "e2", "section": "Lessons Learned", "text": "Backups run at 03:00", "owned": False},
            ],
        ),
        Variable(
            "lines",
            "what the notes hold: number, date, time (empty under Lessons), text",
            [
                {"number": 1, "date": "2026-02-06", "time": "09:15", "text": "Operator asked for short answers again."},
                {
                    "number": 2,
                    "date": "2026-02-06",
                    "time": "16:00",
                    "text": "Decided to move backups to 04:30, since 03:00 collides with the export.",
                },
                {"number": 3, "date": "2026-02-07", "time": "", "text": "Sub-agents work well for newsletters."},
            ],
            carries=True,
        ),
        Variable(
            "outside",
            "true: the lines come from mail, news or commands and may only become proposals",
            sample=False,
        ),
        Variable("limit", "how many entries may be added at most", 7),
        Variable("interests", "subjects the operator cares about", ["home energy", "python"]),
    ),
)

SECOND_OPINION = PromptInfo(
    name="second_opinion",
    about="Say whether note lines say a statement, or that it no longer holds.",
    answer="daybook.review.opinion.Opinion",
    variables=(
        Variable(
            "statement",
            "the text of an entry, as it is or as it would be",
            "Operator prefers short answers",
            carries=True,
        ),
        Variable(
            "lines",
            "the note lines it rests on, its only sources: date, text",
            [{"date": "2026-02-06", "text": "Operator really prefers short answers."}],
            carries=True,
        ),
        Variable("ended", "true: the question is whether the statement no longer holds", sample=False),
    ),
)

MAIL_TRIAGE = PromptInfo(
    name="mail_triage",
    about="Say of each message how much it matters to the operator.",
    answer="daybook.sources.mail_levels.Levels",
    variables=(
        Variable("date", "day of the check, ISO 8601", "2026-02-07"),
        Variable(
            "messages",
            "the mail: id (number), sender, to_me (true: addressed to the operator), subject, text",
            [
                {
                    "id": 1,
                    "sender": "Ann Lee (ann@example.org)",
                    "to_me": True,
                    "subject": "Keys for the flat",
                    "text": "Hi, the locksmith comes at noon today. Can you leave the keys with the neighbour?",
                },
                {
                    "id": 2,
                    "sender": "Chess club (club@example.net)",
                    "to_me": False,
                    "subject": "Results of January",
                    "text": "Dear all, the results are on the website.",
                },
            ],
            carries=True,
        ),
    ),
)

NEWS_RANK = PromptInfo(
    name="news_rank",
    about="Score news items by how much they matter to the operator.",
    answer="daybook.sources.news_scores.Scores",
    variables=(
        Variable("date", "day of the scan, ISO 8601", "2026-02-07"),
        Variable("interests", "subjects the operator cares about", ["home energy", "python"]),
        Variable(
            "items",
            "the news: id (number), feed, title, summary (may be empty)",
            [
                {
                    "id": 1,
                    "feed": "Example News",
                    "title": "Subsidy for heat pumps ends in March",
                    "summary": "Applications must arrive by 31 March.",
                },
                {"id": 2, "feed": "Example News", "title": "Film prizes awarded", "summary": ""},
            ],
            carries=True,
        ),
        Variable("limit", "how many items are told at most", 3),
    ),
)

CAPTURE = PromptInfo(
    name="capture",
    about="Find the one thing that a session taught and that is worth a line in the inbox.",
    answer="daybook.review.capturing.Captured",
    variables=(
        Variable("known", "lines of context that the agent had before", ["Prefers short answers"]),
        Variable(
            "turns",
            "the session: number, who (operator, agent, tool), text",
            [
                {"number": 1, "who": "operator", "text": "From now on the backups run at 04:30."},
                {"number": 2, "who": "tool", "text": "crontab: installing new crontab"},
                {"number": 3, "who": "agent", "text": "Done, the timer is set."},
            ],
            carries=True,
        ),
    ),
)

PROMPTS = {prompt.name: prompt for prompt in (REVIEW, SECOND_OPINION, MAIL_TRIAGE, NEWS_RANK, CAPTURE)}

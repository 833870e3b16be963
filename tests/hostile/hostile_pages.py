"""Every page and SVG that is written of other people's texts, each made of a text that would like to be more."""

import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from msgspec import structs

sys.path.extend(
    str(Path(__file__).parents[1] / one) for one in ("report", "questions", "robustness", "scorekeeping", "browser")
)

from board_runs import FACTS, items, probe_run
from question_games import game, given
from robustness_records import annotations, answers, results
from small_report import ranked, small_section

from voirdire.answers.plots_and_tables import plot_runs
from voirdire.formats.coco import GameImage
from voirdire.formats.dialogues import Dialogue
from voirdire.formats.guesswhat import Qa
from voirdire.questions.game_drawing import draw_story
from voirdire.questions.plots_and_tables import plot_turns
from voirdire.questions.score import score_questions
from voirdire.questions.show import tell_story
from voirdire.report.make import Report, models_of, write_report
from voirdire.robustness.plots_and_tables import draw_robustness
from voirdire.robustness.score import compare_rankers
from voirdire.scorekeeping.board import make_board
from voirdire.scorekeeping.board_drawing import draw_board
from voirdire.section.content import Finding, Table

__all__ = ["DRAWN", "PAGES", "PLAIN", "TEXTS", "cases", "held"]

PLAIN = "a plain text that is more than a few words long"
TEXTS = {
    "script": "</script><script>window.hit=1</script>",
    "attribute": '"><img src=x onerror=window.hit=1>',
    "apostrophe": "'><svg onload=window.hit=1>",
    "link": "javascript:window.hit=1",
    "comment": "<!-- <script> -->",
    "section": "]]> <![CDATA[ &lt;b&gt; &amp; &#60;i&#62;",
    "style": "</style><style>*{display:none}</style>",
    "foreign": "<foreignObject><script>window.hit=1</script></foreignObject>",
    "ids": 'id="x" url(#y) href="#z"',
    "separators": "one\u2028two\u2029three",
    "template": "{{7*7}} {% raw %} ${7*7} {#",
    "backslashes": r"\u003c/script\u003e \x3c \\",
    "long": "x" * 10_000,
    "right to left": "\u202etxt.exe\u202c",
    "control": "a\x00b\x1b[31mc\x9b1m\x7f",
    "half": "a\ud800b",
}


def held(text: str) -> str:
    """The text as HTML and XML can hold it."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", "\ufffd", text)


def partitions(text: str, path: Path) -> None:
    truth, count = annotations(["yes"] * 12), 12
    falling = [results(answers(range(10 - number))) for number in range(1, 8)]
    level = [results(answers([(at + number) % count for at in range(6)])) for number in range(7)]
    draw_robustness([(text, compare_rankers(truth, {text: falling, "level": level}))], output=path)


def turns(text: str, path: Path) -> None:
    plot_turns([(text, TURNS), ("another", TURNS)], output=path)


def ranks(text: str, path: Path) -> None:
    plot_runs([(text, GOOD), ("another", BAD)], output=path)


def story(text: str, path: Path) -> None:
    one, known = game(["ynn", "yny"], guess=101)
    things = tuple(structs.replace(thing, category=text) for thing in one.objects)
    one = structs.replace(
        one, image=GameImage(1, 64, 48, text), objects=things, qas=(Qa(text, "yes"), Qa("is it?", "no"))
    )
    draw_story(tell_story(one, [known]), path)


def scoreboard(text: str, path: Path) -> None:
    facts = ((text, 1, 0, text), *FACTS[1:])
    spoken = Dialogue(1, text, tuple((text, text) for _ in range(10)))
    draw_board(make_board(probe_run(items(facts=facts, wrong=[(0, 2, "true private")])), 7, spoken=spoken), path)


def report(text: str, path: Path) -> None:
    models = models_of([("good", GOOD), (text, replace(BAD, warnings=(text,)))])
    made = small_section(models)
    table = Table("told", text, ("model", text), ((text, text), ("good", "0.5")), note=text)
    section = replace(
        made, asks=text, findings=[Finding(text, text, "bad")], contents=(table, *made.contents[1:]), drills=made.drills
    )
    write_report(Report(models, [section], notes=[text]), path)


GOOD, BAD = ranked(0), ranked(3)
TURNS = score_questions(*given(*(game(["yn", ("yn", "yy")[number % 2]], id_=number) for number in range(6))))
Writer = Callable[[str, Path], None]
DRAWN: dict[str, Writer] = {
    "robustness plot": partitions,
    "questions plot": turns,
    "answers plot": ranks,
    "questions show": story,
    "scorekeeping board": scoreboard,
}
"""What is written as a page, an SVG or a PNG."""
OF_TABLES = ("robustness plot", "scorekeeping board")
"""Made of the items of a run, whose tables hold no half character."""
PAGES: dict[str, Writer] = {**DRAWN, "report": report}


def cases(kinds: Iterable[str], texts: Iterable[str] = TEXTS) -> list[tuple[str, str]]:
    """Each kind of page with each text that can come to it."""
    return [(kind, text) for kind in kinds for text in texts if text != "half" or kind not in OF_TABLES]

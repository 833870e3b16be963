"""A report's contents made up: every kind of block, chart and table, and texts that must never be taken for markup."""

from dataclasses import dataclass, replace

import polars as pl

from voirdire.metrics.key import Key
from voirdire.report.make import Report
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.section.charts import (
    Point,
    bar_chart,
    data_table,
    heat_map,
    interval_chart,
    line_chart,
    point_of,
)
from voirdire.section.content import (
    Chart,
    Drill,
    Finding,
    Grid,
    Headline,
    Item,
    Lines,
    Model,
    Reference,
    Section,
    SmallTable,
    Table,
    Text,
    cell_of,
)

SCRIPT = '<script>window.spoilt = true</script><img src=x onerror="window.spoilt = true">'
QUOTES = """"quoted" 'twice' `thrice` & &amp; &lt;b&gt; </script> --> ]]> {{ 7 * 7 }} ${7 * 7} \\u003c"""
EMOJI = "🐕‍🦺 👩🏽‍🚀 🇫🇷 e\u0301 \u2028 line \u2029 separators"
RIGHT_TO_LEFT = "هل القطة على الطاولة؟ \u202eהחתול\u202c ישן"
LONG = ("word " * 1000 + "x" * 5000)[:10_000]
NASTY = {"script": SCRIPT, "quotes": QUOTES, "emoji": EMOJI, "right to left": RIGHT_TO_LEFT, "long": LONG}
"""Texts as a dataset may hold them, by what they try."""

SCORES = dict(
    enumerate([1 / 32, 0.00015, -0.00015, 12.125, 12.375, 1234567.891, 9.99995, 10.0, 0.5, -3 / 32], start=30)
)
"""Scores of some items that are easily rounded in two ways."""

ITEMS = 240
ROUNDS = 10
TURNS = 4


def report() -> Report:
    """All of it."""
    return Report(models(), [section()], notes=(f"A note with {SCRIPT}",))


def models() -> list[Model]:
    """Two models with runs of the same made-up exam; one of them has a name that looks like markup."""
    return [Model(label, f"m{number}", run(number)) for number, label in enumerate(("plain", '<b>"bold" & Co</b>'))]


def run(number: int) -> Run:
    """Figures of every size, and one that is undefined."""
    spread = {
        "accuracy": Estimate(62.4816 - 3 * number, 60.1 - 3 * number, 64.9 - 3 * number, ITEMS),
        "r_score": Estimate(0.3597 + number / 10, None, None, ITEMS),
        "mean": Estimate(1234.5678, 1200.0, 1300.25, ITEMS),
        "tiny": Estimate(1.5e-7, 0.0, 4e-7, ITEMS),
        "below": Estimate(-0.25, -0.5, 0.125, ITEMS),
        "none": Estimate(None, None, None, 0),
    }
    turns = {
        f"accuracy@{turn}": Estimate(0.5 + turn / 20 - number / 7, 0.45 + turn / 20 - number / 7, 0.8, ITEMS)
        for turn in range(1, TURNS + 1)
    }
    signature = Signature("0.1.0", data={"dialogues": "5" * 64}, references=SCRIPT, seed=number)
    items = pl.DataFrame({"item": range(ITEMS), "right": [1.0] * ITEMS})
    return Run(
        "answers",
        {},
        items,
        Measures({Key.parse(name): one for name, one in (spread | turns).items()}),
        signature,
        part="score",
        warnings=(f"beware of {SCRIPT}",),
    )


@dataclass(frozen=True)
class MadeItems:
    """Items in order: the nasty texts first, then plain ones."""

    count: int = ITEMS

    def __len__(self) -> int:
        return self.count

    def __iter__(self):
        kinds = list(NASTY)
        for number in range(self.count):
            kind = kinds[number] if number < len(kinds) else "plain"
            said = NASTY.get(kind, f"a made-up question, number {number}")
            score = SCORES.get(number, (number * 37 % 101) / 100)
            yield Item(
                name=f"image {number // ROUNDS}, round {number % ROUNDS + 1}",
                facets=(str(number % ROUNDS + 1), kind),
                scores=((score, 1 - score), (None if number % 7 == 0 else float(number), None)),
                text=said,
                blocks=(
                    Text("question", said),
                    Lines("references", (said, "yes", "no")),
                    SmallTable("turns", ("question", "answer"), ((said, "yes"), ("is it red?", "no")), marked=(1,)),
                    Grid(
                        "scoreboard",
                        (("the cat is black", "ABAB", "ABBB", "turn 3"), (said, "AAAA", "AAAA", "")),
                        LEGEND,
                    ),
                    Reference("dialogue", marked=1),
                ),
            )


LEGEND = (("A", "shared"), ("B", "private"))


def section() -> Section:
    """One section with all that a section may hold."""
    both = models()
    table = Table(
        "made-figures",
        f"Figures {QUOTES}",
        ("model", *MEASURES, SCRIPT),
        tuple(
            (model.label, *(replace(cell_of(model, name), mark=mark) for name in MEASURES), SCRIPT)
            for model, mark in zip(both, ("good", "bad"), strict=True)
        ),
        note=f"A note with {QUOTES}",
    )
    turns = [point_of(model, f"accuracy@{turn}", turn) for model in both for turn in range(1, TURNS + 1)]
    ends = [point_of(model, name, name) for model in both for name in ("accuracy", "below")]
    cells = [Point(gold, guess, 0.25 + (gold == guess) / 2) for gold in ("yes", "no") for guess in ("yes", "no")]
    charts = (
        Chart("By turn", line_chart(turns, at="turn", value="accuracy"), "Rises by turn.", table_of("turns", turns)),
        Chart("Intervals", interval_chart(ends, value="figure"), "Two figures.", table_of("ends", ends)),
        Chart("Bars", bar_chart(ends, value="figure"), "The same as bars.", table_of("bars", ends)),
        Chart("Confusion", heat_map(cells, rows="gold", columns="said"), "Mostly right.", table_of("cells", cells)),
    )
    drill = Drill(
        "made-items",
        "Made-up items",
        tuple(model.label for model in both),
        ("round", "kind"),
        ("score", "rank"),
        MadeItems(),
        shared={
            "dialogue": (SmallTable("dialogue", ("question", "answer"), (("is it a cat?", "yes"), (SCRIPT, "no"))),)
        },
        note="All of them.",
    )
    headlines = [
        Headline(model.key, model.label, name, f"what {name} is", model.run.measures[name])
        for model in both
        for name in ("accuracy", "r_score")
    ]
    findings = [
        Finding("", "Both are made up.", "plain"),
        Finding(both[0].label, f"It says {SCRIPT}.", "bad"),
        Finding(both[1].label, "It is fine.", "good"),
    ]
    return Section("answers", "Answers made up", "Does it show?", headlines, findings, (table, *charts), (drill,))


def table_of(name: str, points: list[Point]) -> Table:
    """The table behind a chart."""
    return data_table(f"made-{name}", f"Data of {name}", points)


MEASURES = ("accuracy", "r_score", "mean", "tiny", "below", "none")

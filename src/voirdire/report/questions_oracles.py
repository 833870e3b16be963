"""Oracles: how often they say what was recorded, by turn, and which answers they take for which."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from voirdire.formats.object_answers import ANSWERS
from voirdire.questions.kinds import KINDS
from voirdire.report.charts import data_table, heat_map, line_chart, point_of
from voirdire.report.content import Chart, Drill, Item, Model, Rows, Table, Text
from voirdire.report.shares import TableRows, of_all, percent, percent_cell
from voirdire.report.sides import evenly

__all__ = ["agreement_contents", "oracle_contents", "oracle_drill", "oracles_of"]

NOT_ASKED = "not asked"

_ORACLE = re.compile(r"agreement\[(.*)\]")
_TURN = re.compile(r"(?:accuracy|agreement\[(?P<oracle>.*)\])@(?P<turn>\d+)")


def oracles_of(model: Model) -> list[str]:
    """The oracles of a run of agreement."""
    return [found[1] for name in model.run.measures if (found := _ORACLE.fullmatch(name))]


def oracle_contents(models: Sequence[Model]) -> list[Table | Chart]:
    """Of runs of `questions oracle-accuracy`: accuracy, by turn, and confusions."""
    shown = {"accuracy": "accuracy", "where the answer is yes or no": "accuracy:answerable"}
    rows: TableRows = tuple((model.label, *(percent_cell(model, name) for name in shown.values())) for model in models)
    note = "The share of questions to which the oracle gives the recorded answer about the target, in percent."
    table = Table("questions-oracle", "Accuracy of the oracle", ("oracle", *shown), rows, note)
    return [
        table,
        *_by_turn(models, "questions-oracle-by-turn", "Accuracy of the oracle by turn"),
        *map(_confusion, models),
    ]


def agreement_contents(models: Sequence[Model]) -> list[Table | Chart]:
    """Of runs of agreement: each oracle with the people."""
    rows = tuple(
        (
            _named(model, oracle, models),
            percent_cell(model, f"agreement[{oracle}]"),
            percent_cell(model, f"agreement[{oracle}]:answerable"),
        )
        for model in models
        for oracle in oracles_of(model)
    )
    columns = ("oracle", "agreement", "where people say yes or no")
    note = "The share of questions to which an oracle gives the human answer, in percent."
    table = Table("questions-agreement", "Agreement of oracles with people", columns, rows, note)
    return [table, *_by_turn(models, "questions-agreement-by-turn", "Agreement of oracles with people by turn")]


def _named(model: Model, oracle: str | None, models: Sequence[Model]) -> str:
    if oracle is None:
        return model.label
    return f"{model.label}: {oracle}" if len(models) > 1 else oracle


def _by_turn(models: Sequence[Model], name: str, title: str) -> list[Chart]:
    points = [
        point_of(model, measure, int(found["turn"]), _named(model, found["oracle"], models), 100)
        for model in models
        for measure in model.run.measures
        if (found := _TURN.fullmatch(measure)) and model.run.measures[measure].value is not None
    ]
    if not points:
        return []
    points.sort(key=lambda point: int(point.at))
    says = (
        "The share of questions that are answered as people did, by the turn at which they were asked; later questions "
    )
    says += "lean more on what was said before."
    spec = line_chart(points, at="turn", value="answered as recorded (%)")
    return [Chart(title, spec, says, data_table(name, title, points, series="oracle", at="turn"))]


def _confusion(model: Model) -> Chart:
    points = []
    for recorded in ANSWERS:
        for said in ANSWERS:
            point = point_of(model, f"confusion[{recorded} as {said}]", said, recorded, 100)
            points.append(replace(point, text=percent(point.value, 1)))
    title = f"Recorded answers and what the oracle says: {model.label}"
    says = (
        "Of all questions, the share with each recorded answer (rows) to which the oracle gives each answer (columns), "
    )
    says += "in percent."
    table = data_table(f"questions-confusion-{model.key}", title, points, series="recorded", at="oracle")
    return Chart(title, heat_map(points, rows="recorded", columns="oracle"), says, table)


def oracle_drill(models: Sequence[Model]) -> Drill:
    """The questions, with the recorded answer and that of each oracle."""
    rows: dict[tuple[int, int, int], list[dict[str, Any] | None]] = {}
    for place, model in enumerate(models):
        for row in model.run.items.iter_rows(named=True):
            key = (row["game_id"], row["image_id"], row["turn"])
            rows.setdefault(key, [None] * len(models))[place] = row
    kept = evenly(list(rows))
    return Drill(
        name="questions-oracle-items",
        title="Questions and the oracle's answers",
        labels=tuple(model.label for model in models),
        facets=("types", "recorded answer", "target"),
        scores=("right",),
        items=_Answered([(key, rows[key]) for key in kept], tuple(model.label for model in models)),
        note=f"{of_all(len(kept), len(rows), 'question')}.",
    )


@dataclass(frozen=True, eq=False)
class _Answered:
    rows: Sequence[tuple[tuple[int, int, int], Sequence[dict[str, Any] | None]]]
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Item]:
        for (game, image, turn), found in self.rows:
            first = next(row for row in found if row is not None)
            said = tuple(
                (label, NOT_ASKED if row is None else row["oracle_answer"], "" if row is None else _right(row))
                for label, row in zip(self.labels, found, strict=True)
            )
            wrong = tuple(place for place, row in enumerate(found) if row is not None and not row["right"])
            yield Item(
                name=f"game {game}, turn {turn}",
                facets=(", ".join(kind for kind in KINDS if first[kind]), first["answer"], first["category"]),
                scores=(tuple(None if row is None else float(row["right"]) for row in found),),
                text=first["question"],
                blocks=(
                    Text("question", first["question"]),
                    Text("target", first["category"]),
                    Text("recorded answer", first["answer"]),
                    Rows("oracles", ("oracle", "answer", "right"), said, wrong),
                ),
                image=image,
            )


def _right(row: dict[str, Any]) -> str:
    return "yes" if row["right"] else "no"

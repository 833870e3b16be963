"""Of effective-questions, from runs: effectiveness by turn drawn, and Tables 1 and 2 as printed.

The drawing has one line per run of `questions score`, with vertical bars for the 95 % intervals. A turn's point is
`effectiveness@t`: of the games that come so far, the share whose question t is effective.

Table 1, success and effectiveness, has its rows in the paper's order: the games of most questions first, people last,
whose games have no fixed number. Beside the printed columns it has the success of games that end with a referring
question and of the others, which the paper gives in its text. Table 2 has the types of questions. Claims: what the
paper says of won games, and of a last question that refers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.drawings import chart, check_drawing, write_chart
from voirdire.errors import UsageError
from voirdire.exam import Outcome
from voirdire.lazy import pl
from voirdire.metrics.games import (
    EFFECTIVENESS,
    EFFECTIVENESS_FAILURE,
    EFFECTIVENESS_SUCCESS,
    LAST_EFFECTIVE,
    LAST_REFERRING,
    SUCCESS_IF_NOT,
    SUCCESS_IF_REFERRING,
    TASK_SUCCESS,
)
from voirdire.options import Options
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import SCORE
from voirdire.questions.score import QUESTIONS
from voirdire.questions.section.kinds_and_oracles import types_table
from voirdire.runs import Run
from voirdire.section.content import Cell, Model, Row, Table, cell_of
from voirdire.section.phrases import of_part
from voirdire.section.printed import Groups, PaperClaim, PrintedColumn, halves

COLUMNS = (
    PrintedColumn("TS", TASK_SUCCESS.key, 1, 100),
    PrintedColumn("Eff. all", EFFECTIVENESS.key, 1, 100),
    PrintedColumn("Eff. failure", EFFECTIVENESS_FAILURE.key, 1, 100),
    PrintedColumn("Eff. success", EFFECTIVENESS_SUCCESS.key, 1, 100),
    PrintedColumn("Last effective", LAST_EFFECTIVE.key, 1, 100),
    PrintedColumn("Last referring", LAST_REFERRING.key, 2, 100),
    PrintedColumn("TS if referring", SUCCESS_IF_REFERRING.key, 1, 100),
    PrintedColumn("TS if not", SUCCESS_IF_NOT.key, 1, 100),
)


def score_table(models: Sequence[Model]) -> list[Table]:
    """Table 1, a row for each model."""
    rows: tuple[Row, ...] = tuple(
        (model.label, _count(model), *(column.cell(model) for column in COLUMNS))
        for model in sorted(models, key=_in_order)
    )
    head = ("Model", "#Q", *(column.head for column in COLUMNS))
    note = "In percent, but for the questions of a game. The last two columns are of the paper's text."
    return [Table("questions-table-1", "Table 1: task success and effectiveness", head, rows, note)]


def _in_order(model: Model) -> tuple[bool, float]:
    number = model.figure(QUESTIONS.key).value or 0.0
    return number != round(number), -number


def _count(model: Model) -> Cell:
    value = model.figure(QUESTIONS.key).value
    return cell_of(model, QUESTIONS.key, text="–" if value is None else f"{round(value, 1):g}")


def score_claims(models: Sequence[Model], groups: Groups, seed: int) -> list[PaperClaim]:
    """Of each model: won games do not have the more effective questions, lost ones have; and a game whose last question
    refers to the target is won more often."""
    claims = []
    for model in models:
        items = model.run.items
        games = items.filter(pl.col("last") & pl.col("success").is_not_null() & pl.col("effectiveness").is_not_null())
        column = str(model.run.signature.options.get("clusters", "game_id"))
        won, clusters = games["success"].to_numpy() > 0, games[column].to_numpy()
        says = f"{model.label}: effectiveness, lost games above won ones"
        claims.append(halves(says, games["effectiveness"].to_numpy(), ~won, clusters, seed=seed, scale=100, decimals=1))
        says = f"{model.label}: success, games with a referring last question above others"
        refers = games["referring"].to_numpy() > 0
        claims.append(halves(says, won, refers, clusters, seed=seed, scale=100, decimals=1))
    return claims


def kinds_table(models: Sequence[Model]) -> list[Table]:
    """Table 2: types of questions, the oracle's accuracy on each, and the share of each model's questions."""
    table = types_table(of_part(models, "kinds"), of_part(models, "oracle-accuracy"))
    return [replace(table, name="questions-table-2", title="Table 2: types of questions")]


def plot_turns(
    run: Sequence[tuple[str, Run]], options: Options | None = None, stages: Stages = UNSEEN, *, output: str | Path
) -> Outcome:
    """Draw runs to a file whose ending says how: .svg, .png, .html."""
    check_drawing(output)
    return Outcome((f"drawn: {write_chart(drawing(dict(run)), output)}",))


def drawing(runs: Mapping[str, Run]) -> dict[str, Any]:
    """The drawing as a Vega-Lite specification, with its data inside."""
    points = [point for name, run in runs.items() for point in _points(name, run)]
    across = {"field": "turn", "type": "ordinal", "title": "turn", "axis": {"labelAngle": 0}}
    up = {
        "field": "effectiveness",
        "type": "quantitative",
        "title": "share of effective questions",
        "scale": {"domain": [0, 1]},
    }
    return chart(points, across, up, "run")


def _points(name: str, run: Run) -> list[dict[str, Any]]:
    points = [
        {"run": name, "turn": key.k, "effectiveness": figure.value, "low": figure.low, "high": figure.high}
        for key, figure in run.measures.of(EFFECTIVENESS.key.measure).items()
        if key.k is not None and figure.value is not None
    ]
    if not points and (run.exam, run.part) == ("questions", SCORE.name):
        raise UsageError(
            f"{name}: a run without effectiveness by turn: no game that was played to its end has a question"
        )
    if not points:
        raise UsageError(
            f"{name}: a run of `{run.title}`, which has no effectiveness by turn; `questions score` has it"
        )
    return points

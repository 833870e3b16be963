"""The tables of effective-questions, as printed: success and effectiveness (1), types of questions (2).

Table 1 has its rows in the paper's order: the games of most questions first, people last, whose games have no fixed
number. Beside the printed columns it has the success of games that end with a referring question and of the others,
which the paper gives in its text. Claims: what the paper says of won games, and of a last question that refers.
"""

from collections.abc import Sequence
from dataclasses import replace

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
from voirdire.questions.score import QUESTIONS
from voirdire.questions.section.kinds_and_oracles import types_table
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
        won, clusters = games["success"].to_numpy() > 0, games[str(_clusters(model))].to_numpy()
        says = f"{model.label}: effectiveness, lost games above won ones"
        claims.append(halves(says, games["effectiveness"].to_numpy(), ~won, clusters, seed=seed, scale=100, decimals=1))
        says = f"{model.label}: success, games with a referring last question above others"
        refers = games["referring"].to_numpy() > 0
        claims.append(halves(says, won, refers, clusters, seed=seed, scale=100, decimals=1))
    return claims


def _clusters(model: Model) -> object:
    return model.run.signature.options.get("clusters", "game_id")


def kinds_table(models: Sequence[Model]) -> list[Table]:
    """Table 2: types of questions, the oracle's accuracy on each, and the share of each model's questions."""
    table = types_table(of_part(models, "kinds"), of_part(models, "oracle-accuracy"))
    return [replace(table, name="questions-table-2", title="Table 2: types of questions")]

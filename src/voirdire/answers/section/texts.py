"""What the answers themselves are, from the texts of the items: how many are valid, how varied, how long they are."""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.figures import short
from voirdire.metrics.measure import Measure, mean
from voirdire.section.content import Model, Row, Table
from voirdire.section.phrases import made_cell
from voirdire.runs import Estimate, estimate

__all__ = ["first_answers", "texts_table", "valid_share"]

_SPACES = re.compile(r"\s+")


def texts_table(name: str, models: Sequence[Model]) -> Table | None:
    """A row a model; None where no run has texts."""
    rows: list[Row] = []
    for model in models:
        first = first_answers(model)
        valid = valid_share(model)
        if not first or valid is None or valid.value is None:
            continue
        (text, count), total = first.most_common(1)[0], first.total()
        words = sum(len(answer.split()) * times for answer, times in first.items()) / total
        share = made_cell(model, valid, 1, 100)
        varied = (f"{len(first):,}", text, short(100 * count / total), short(words))
        rows.append((model.label, share, *varied, f"{int(model.run.items['empty'].sum()):,}"))
    if not rows:
        return None
    head = ("model", "valid (%)", "different", "commonest", "its share (%)", "words", "without text")
    note = (
        "Of the first answer of each round: whether it is in its reference set, case and spacing aside; how many are "
        "different; the commonest; words an answer. Answers without text are counted over all."
    )
    return Table(name, "The answers themselves", head, tuple(rows), note)


def valid_share(model: Model) -> Estimate | None:
    """The share of rounds whose first answer is a member of the reference set, case and spacing aside."""
    items = model.run.items
    if not {"answers", "references"} <= set(items.columns):
        return None
    held = [
        _plain(answers[0]) in {_plain(one) for one in references} if answers else None
        for answers, references in zip(items["answers"].to_list(), items["references"].to_list(), strict=True)
    ]
    column = np.ma.masked_array([bool(one) for one in held], [one is None for one in held])
    measure = Measure("valid", _as_number, mean, "higher", of=("valid",))
    images = items["image_id"].to_numpy()
    found = estimate({"valid": column}, [measure], seed=model.run.signature.seed or 0, clusters=images)
    return found["valid"]


def first_answers(model: Model) -> Counter[str]:
    """How often each first answer was given, case and spacing aside; none where the run has no texts."""
    items = model.run.items
    if "answers" not in items.columns:
        return Counter()
    return Counter(_plain(answers[0]) for answers in items["answers"].to_list() if answers)


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip().casefold()


def _as_number(valid: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    return valid.astype(np.float64)

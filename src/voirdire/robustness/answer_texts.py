"""What was answered, by the model and by ten people: the texts beside the accuracies of the items."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.robustness.joining import Verdict

if TYPE_CHECKING:
    import polars as pl

__all__ = ["with_texts"]


def with_texts(
    items: "pl.DataFrame",
    annotations: VqaAnnotations,
    kept: npt.NDArray[np.intp],
    given: Mapping[str, tuple[VqaResults, Verdict]],
) -> "pl.DataFrame":
    """The items of the kept questions with a column of answers for each file that is given, null where it has none,
    and `humans`, the ten people's answers."""
    import polars as pl

    texts = [
        pl.Series(
            name,
            [results.answers[row] if row >= 0 else None for row in verdict.rows[kept].tolist()],
            dtype=pl.String,
        )
        for name, (results, verdict) in given.items()
    ]
    # Places in the pool rather than texts: a question's ten answers are made without a list of Python strings.
    answers = pl.Series(annotations.pool, dtype=pl.String).gather(annotations.answers[kept].reshape(-1))
    humans = answers.reshape((len(kept), annotations.answers.shape[1])).arr.to_list().alias("humans")
    return items.with_columns(*texts, humans)

"""Rounds of two files beside each other: by image and round, each found, or listed as missing or odd."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.formats.references import References
from voirdire.formats.strict import Problems

__all__ = ["check_none", "find_rounds", "label", "listed", "without_truth"]

SHOWN = 5

Int64 = npt.NDArray[np.int64]


def find_rounds(image_ids: Int64, rounds: Int64, in_images: Int64, in_rounds: Int64) -> npt.NDArray[np.intp]:
    """For each round the row of the other file that has it; -1 where none has."""
    rows = {pair: row for row, pair in enumerate(zip(in_images.tolist(), in_rounds.tolist(), strict=True))}
    pairs = zip(image_ids.tolist(), rounds.tolist(), strict=True)
    return np.fromiter((rows.get(pair, -1) for pair in pairs), np.intp, len(image_ids))


def label(image: int, round_: int) -> str:
    """How a message calls a round."""
    return f"image {image}, round {round_} (counted from 0)"


def check_none(
    what: str, image_ids: Int64, rounds: Int64, rows: Sequence[int] | npt.NDArray[np.intp], found: str, expected: str
) -> None:
    """Raise an error about `what` that lists these rows, if there are any."""
    problems = Problems(what)
    for row in np.asarray(rows, dtype=np.intp).tolist():
        problems.add(label(int(image_ids[row]), int(rounds[row])), "", found, expected)
    problems.check()


def listed(image_ids: Int64, rounds: Int64) -> str:
    """Some rounds by name, and how many more there are: for a warning, which must stay short."""
    pairs = zip(image_ids[:SHOWN].tolist(), rounds[:SHOWN].tolist(), strict=True)
    more = f" and {len(rounds) - SHOWN:,} more rounds" if len(rounds) > SHOWN else ""
    return "; ".join(label(image, round_) for image, round_ in pairs) + more


def without_truth(references: References) -> list[str]:
    """A warning that names the sets without their ground truth, if there are any."""
    rows = [row for row in range(len(references)) if references.gt_answers[row] not in references.of(row)]
    if not rows:
        return []
    return [
        f"{listed(references.image_ids[rows], references.rounds[rows])}: the ground truth is not in the reference set."
    ]

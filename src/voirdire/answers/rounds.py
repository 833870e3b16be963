"""Rounds: read from files that count them from 0 or from 1, and matched between two files.

Rounds of two files belong together by image and round; what only one of them has is counted (`coverage`).
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.features import Features, read_features
from voirdire.formats.reference_files import read_sets
from voirdire.formats.references import References
from voirdire.formats.strict import Problems
from voirdire.formats.visdial import VisDial
from voirdire.options import SampleOptions
from voirdire.runs.view import Coverage, cover

LISTED = 5

Int64 = npt.NDArray[np.int64]


class NumberedRounds(Protocol):
    """A file of rounds: the image and the number of each, counted from 0."""

    @property
    def image_ids(self) -> Int64: ...

    @property
    def rounds(self) -> Int64: ...


class RoundIds(NamedTuple):
    """The image and the number of each of some rounds."""

    image_ids: Int64
    rounds: Int64


def rounds_of(visdial: VisDial, rows: npt.NDArray[np.integer] | slice = slice(None)) -> RoundIds:
    """These rounds of the dialogues, or all of them."""
    return RoundIds(visdial.image_ids[visdial.round_dialogues()[rows]], visdial.round_numbers()[rows])


def read_references(path: str, round_base: int | None = None) -> References:
    """Reference sets of any layout; `round_base` is taken where a file leaves open from where it counts rounds."""
    return read_sets(path, round_base)


def read_images(path: str) -> Features:
    """Features of images."""
    return read_features(path, "image")


def find_rounds(wanted: NumberedRounds, among: NumberedRounds) -> npt.NDArray[np.intp]:
    """For each wanted round the row of the other file that has it; -1 where none has."""
    rows = {pair: row for row, pair in enumerate(_pairs(among))}
    return np.fromiter((rows.get(pair, -1) for pair in _pairs(wanted)), np.intp, len(wanted.rounds))


def _pairs(record: NumberedRounds, rows: npt.NDArray[np.intp] | slice = slice(None)) -> list[tuple[int, int]]:
    return list(zip(record.image_ids[rows].tolist(), record.rounds[rows].tolist(), strict=True))


def match_rounds(
    dataset: NumberedRounds,
    output: NumberedRounds,
    called: str,
    output_called: str,
    options: SampleOptions,
    of_model: bool = True,
) -> tuple[npt.NDArray[np.intp], Coverage, tuple[str, ...]]:
    """For each round of a dataset's file its row in a model's output, -1 where it has none; the coverage; warnings."""
    rows = find_rounds(dataset, output)
    missing, beyond = np.flatnonzero(rows < 0), np.setdiff1d(np.arange(len(output.rounds)), rows)
    shifted = _shift(dataset, output, output_called.partition(" (")[0], len(rows) - len(missing))
    if shifted and not options.common:
        hint = "Or give `common`, if the files do count alike."
        raise InputError(output_called, [Problem("", "", shifted, "rounds counted from the same base", hint)])
    coverage, warnings = cover(
        "round",
        (called, output_called),
        len(rows),
        _pairs(dataset, missing),
        _pairs(output, beyond),
        lambda pair: label(*pair),
        strict=options.strict,
        hint=shifted or "They may be of another split, or of another version of the dataset.",
        of_model=of_model,
    )
    return rows, coverage, (*warnings, *filter(None, [shifted]))


def _shift(dataset: NumberedRounds, output: NumberedRounds, called: str, found: int) -> str:
    """A sentence where more rounds match if one file is counted one round later or earlier; else empty."""
    if found == len(dataset.rounds):
        return ""
    for by, word in ((1, "later"), (-1, "earlier")):
        rows = find_rounds(dataset, RoundIds(output.image_ids, output.rounds + by))
        if (matching := int((rows >= 0).sum())) > found:
            return (
                f"{found:,} rounds are in both files, but {matching:,} if the {called} are counted one round {word}: "
                "the base of a file may be wrong, see `round_base`"
            )
    return ""


def label(image: int, round_: int) -> str:
    """A round's name in messages."""
    return f"image {image}, round {round_} (counted from 0)"


def check_none(what: str, record: NumberedRounds, rows: npt.NDArray[np.intp], found: str, expected: str) -> None:
    """Raise an error about `what` that lists these rows, if there are any."""
    problems = Problems(what)
    for image, round_ in _pairs(record, rows):
        problems.add(label(image, round_), "", found, expected)
    problems.check()


def check_options(what: str, given: int, expected: int, whose: str = "the dialogues") -> None:
    """Refuse a file with another number of options per round than expected."""
    if given != expected:
        found, hint = counted(given, "option") + " per round", "The files may belong to different data."
        raise InputError(what, [Problem("", "", found, f"{expected}, as {whose} have", hint)])


def listed(image_ids: Int64, rounds: Int64) -> str:
    """The first few rounds by name, and how many more there are, for a warning."""
    pairs = zip(image_ids[:LISTED].tolist(), rounds[:LISTED].tolist(), strict=True)
    more = f" and {len(rounds) - LISTED:,} more rounds" if len(rounds) > LISTED else ""
    return "; ".join(label(image, round_) for image, round_ in pairs) + more


def without_truth(references: References) -> list[str]:
    """A warning that names the sets without their ground truth, if there are any."""
    rows = [row for row in range(len(references)) if references.gt_answers[row] not in references.of(row)]
    if not rows:
        return []
    return [
        f"{listed(references.image_ids[rows], references.rounds[rows])}: the ground truth is not in the reference set."
    ]

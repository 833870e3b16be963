"""Do two files belong together? The ids that both know, those that one lacks, and those that only one has.

    missing = ids of the reference that the file lacks        unknown = ids of the file that the reference lacks

What counts as a fault depends on what the files are. Some are samples by nature (dense annotations of one round a
dialogue), some are pools that others draw from (COCO's instances, features, the scenes of a world): a sample may lack
ids of a fuller file, and a fuller file may hold ids that a sample lacks. Between two files of the same extent both are
faults, unless they are two samples. Two files without a single id in common are always a fault.

A dialogue's place in its file is no name of it: it is compared only where two files share nothing better, as dialogue
states and their dialogues, and then says whether the one has as many as the other.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from voirdire.formats.catalogue import Format

__all__ = ["CrossCheck", "check_ids", "due_ids"]

SHOWN = 20
SAMPLES = frozenset(
    {
        "dense",
        "references",
        "selections",
        "vispro",
        "conv_judgements",
        "image_ids",
        "game_logs",
        "history_questions",
        "oracle_answers",
        "oracle_qa",
        "judgements",
        "propositions",
        "question_ranking",
    }
)
POOLS = frozenset({"coco", "features", "scenes"})


@dataclass(frozen=True)
class CrossCheck:
    """What a comparison of one kind of id shows: counts, the first twenty ids of either list, and whether it is well.

    The id of a round is a pair: the image, and the round counted from 0.
    """

    path: str
    against: str
    kind: str
    common: int
    missing: int
    first_missing: tuple[Any, ...]
    unknown: int
    first_unknown: tuple[Any, ...]
    ok: bool


def due_ids(format_: Format, record: Any) -> dict[str, np.ndarray]:
    """The ids by which a record is compared, each once.

    Of VisDial dialogues only rounds with options are asked for: in the test split the earlier rounds are given.
    """
    keys = dict(format_.keys(record))
    if format_.name == "visdial":
        asked = record.options[:, 0] >= 0
        if asked.any():
            keys["round"] = keys["round"][asked]
    return {kind: np.unique(ids, axis=0) for kind, ids in keys.items()}


def check_ids(
    path: str, format_: Format, ids: dict[str, np.ndarray], against: str, other: Format, known: dict[str, np.ndarray]
) -> tuple[CrossCheck, ...]:
    """One comparison for each kind of id that both files have; places of dialogues only where there is no other."""
    kinds = [kind for kind in ids if kind in known]
    if len(kinds) > 1:
        kinds = [kind for kind in kinds if kind != "dialogue"]
    mine, theirs = _extent(format_), _extent(other)
    checks = []
    for kind in kinds:
        here, there = _items(ids[kind]), _items(known[kind])
        missing, unknown = np.setdiff1d(there, here), np.setdiff1d(here, there)
        common = len(here) - len(unknown)
        lacking = len(missing) > 0 and (mine > theirs or mine == theirs > 0)
        foreign = len(unknown) > 0 and (mine < theirs or mine == theirs > 0)
        checks.append(
            CrossCheck(
                path,
                against,
                kind,
                common,
                len(missing),
                tuple(missing[:SHOWN].tolist()),
                len(unknown),
                tuple(unknown[:SHOWN].tolist()),
                ok=common > 0 and not lacking and not foreign,
            )
        )
    return tuple(checks)


def _extent(format_: Format) -> int:
    return 0 if format_.name in SAMPLES else 2 if format_.name in POOLS else 1


def _items(ids: np.ndarray) -> np.ndarray:
    """One item an id, also where an id is a pair."""
    if ids.ndim == 1:
        return ids
    pairs = np.ascontiguousarray(ids).view([("image", ids.dtype), ("round", ids.dtype)])
    items: np.ndarray = pairs.reshape(-1)
    return items

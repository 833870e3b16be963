"""Several files of one kind as one record: the train and the val split, or parts of a split.

A round that two of the files have is an error that names both, and so is another number of options per round. The
fingerprint is that of all files together, in whatever order they were given; one file alone stays as it is.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.formats.option_numbers import Dense
from voirdire.formats.references import References
from voirdire.formats.strict import Problems
from voirdire.formats.visdial import VisDial

Rounds = TypeVar("Rounds", Dense, References)


def join_rounds(records: Sequence[Rounds], names: Sequence[str]) -> Rounds:
    """Annotations or sets of rounds as one; how rounds are counted and fields are called is taken from the first."""
    options = [record.relevance if isinstance(record, Dense) else record.in_set for record in records]
    _check_widths([each.shape[1] for each in options], names)
    pairs = [list(zip(record.image_ids.tolist(), record.rounds.tolist(), strict=True)) for record in records]
    _check_once(pairs, names, lambda pair: f"image {pair[0]}, round {pair[1]} (from 0)", "this round")
    joined: dict[str, Any] = {}
    for field in fields(records[0]):
        values = [getattr(record, field.name) for record in records]
        if field.name == "first":
            joined["first"] = np.append(0, np.cumsum(np.concatenate([np.diff(first) for first in values])))
        elif isinstance(values[0], np.ndarray):
            joined[field.name] = np.concatenate(values)
        elif isinstance(values[0], list):
            joined[field.name] = [text for texts in values for text in texts]
    return replace(records[0], **joined, fingerprint=_fingerprint(records), notes=_notes(records))


def join_visdial(records: Sequence[VisDial], names: Sequence[str]) -> VisDial:
    """Dialogues as in one file: a text that several pools have is in the new pool once."""
    asked = [record.options.shape[1] for record in records if (record.options[:, 0] >= 0).any()]
    given = [name for record, name in zip(records, names, strict=True) if (record.options[:, 0] >= 0).any()]
    _check_widths(asked, given)
    images = [record.image_ids.tolist() for record in records]
    _check_once(images, names, lambda image: f"image {image}", "this dialogue")
    width = asked[0] if asked else records[0].options.shape[1]
    pools: dict[str, dict[str, int]] = {"questions": {}, "answers": {}}
    columns: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in ("question", "answer", "options")}
    for record in records:
        places = {
            name: np.array([pool.setdefault(text, len(pool)) for text in getattr(record, name)] + [-1], np.int32)
            for name, pool in pools.items()
        }
        columns["question"].append(places["questions"][record.question])
        columns["answer"].append(places["answers"][record.answer])
        # A place of -1, for what is not given, is the last: -1 again.
        options = places["answers"][record.options]
        columns["options"].append(
            options if options.shape[1] == width else np.full((len(options), width), -1, np.int32)
        )
    lengths = np.concatenate([np.diff(record.first_round) for record in records])
    return VisDial(
        _same([record.version for record in records]),
        _same([record.split for record in records]),
        list(pools["questions"]),
        list(pools["answers"]),
        np.concatenate([record.image_ids for record in records]),
        [caption for record in records for caption in record.captions],
        np.append(0, np.cumsum(lengths)),
        np.concatenate(columns["question"]),
        np.concatenate(columns["answer"]),
        np.concatenate([record.gt_index for record in records]),
        np.concatenate(columns["options"]),
        fingerprint=_fingerprint(records),
        notes=_notes(records),
    )


JOINS: dict[str, Callable[[Any, Sequence[str]], Any]] = {
    "visdial": join_visdial,
    "dense": join_rounds,
    "references": join_rounds,
}
"""What makes one record of several files of a format, given the records and their names."""


def _check_widths(widths: Sequence[int], names: Sequence[str]) -> None:
    for width, name in zip(widths, names, strict=True):
        if width != widths[0]:
            expected = f"{widths[0]}, as {names[0]} has"
            raise InputError(name, [Problem("", "", f"{width} options per round", expected)])


def _check_once(keys: Sequence[Sequence[Any]], names: Sequence[str], label: Any, what: str) -> None:
    """Refuse entries that two files have."""
    seen: dict[Any, str] = {}
    for some, name in zip(keys, names, strict=True):
        problems = Problems(name)
        for key in some:
            if key in seen:
                problems.add(label(key), "", f"{what}, which {seen[key]} has too", "each in one file only")
        problems.check()
        seen.update(dict.fromkeys(some, name))


def _fingerprint(records: Sequence[Any]) -> str:
    return hashlib.sha256("\n".join(sorted(record.fingerprint for record in records)).encode()).hexdigest()


def _notes(records: Sequence[Any]) -> tuple[str, ...]:
    return tuple(note for record in records for note in record.notes)


def _same(words: Sequence[str]) -> str:
    return "+".join(dict.fromkeys(filter(None, words)))

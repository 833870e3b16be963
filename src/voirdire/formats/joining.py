"""Several files of one kind as one record: the train and the val split, or the parts of one.

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
    _check_widths([_options(one).shape[1] for one in records], names)
    pairs = [list(zip(one.image_ids.tolist(), one.rounds.tolist(), strict=True)) for one in records]
    _check_once(pairs, names, lambda pair: f"image {pair[0]}, round {pair[1]} (from 0)", "this round")
    joined: dict[str, Any] = {}
    for one in fields(records[0]):
        values = [getattr(record, one.name) for record in records]
        if one.name == "first":
            joined["first"] = np.append(0, np.cumsum(np.concatenate([np.diff(first) for first in values])))
        elif isinstance(values[0], np.ndarray):
            joined[one.name] = np.concatenate(values)
        elif isinstance(values[0], list):
            joined[one.name] = [text for texts in values for text in texts]
    return replace(records[0], **joined, fingerprint=_fingerprint(records), notes=_notes(records))


def join_visdial(records: Sequence[VisDial], names: Sequence[str]) -> VisDial:
    """Dialogues as one file would have them: a text that several pools have is in the new pool once."""
    asked = [one.options.shape[1] for one in records if (one.options[:, 0] >= 0).any()]
    given = [name for one, name in zip(records, names, strict=True) if (one.options[:, 0] >= 0).any()]
    _check_widths(asked, given)
    _check_once([one.image_ids.tolist() for one in records], names, lambda image: f"image {image}", "this dialogue")
    width = asked[0] if asked else records[0].options.shape[1]
    pools: dict[str, dict[str, int]] = {"questions": {}, "answers": {}}
    columns: dict[str, list[npt.NDArray[Any]]] = {name: [] for name in ("question", "answer", "options")}
    for one in records:
        places = {
            name: np.array([pool.setdefault(text, len(pool)) for text in getattr(one, name)] + [-1], np.int32)
            for name, pool in pools.items()
        }
        columns["question"].append(places["questions"][one.question])
        columns["answer"].append(places["answers"][one.answer])
        # A place of -1, for what is not given, is the last: -1 again.
        options = places["answers"][one.options]
        columns["options"].append(
            options if options.shape[1] == width else np.full((len(options), width), -1, np.int32)
        )
    lengths = np.concatenate([np.diff(one.first_round) for one in records])
    return VisDial(
        _same([one.version for one in records]),
        _same([one.split for one in records]),
        list(pools["questions"]),
        list(pools["answers"]),
        np.concatenate([one.image_ids for one in records]),
        [caption for one in records for caption in one.captions],
        np.append(0, np.cumsum(lengths)),
        np.concatenate(columns["question"]),
        np.concatenate(columns["answer"]),
        np.concatenate([one.gt_index for one in records]),
        np.concatenate(columns["options"]),
        _fingerprint(records),
        _notes(records),
    )


JOINS: dict[str, Callable[[Any, Sequence[str]], Any]] = {
    "visdial": join_visdial,
    "dense": join_rounds,
    "references": join_rounds,
}
"""What makes one record of several files of a format, given the records and their names."""


def _options(record: Dense | References) -> npt.NDArray[Any]:
    return record.relevance if isinstance(record, Dense) else record.in_set


def _check_widths(widths: Sequence[int], names: Sequence[str]) -> None:
    for width, name in zip(widths, names, strict=True):
        if width != widths[0]:
            expected = f"{widths[0]}, as {names[0]} has"
            raise InputError(name, [Problem("", "", f"{width} options per round", expected)])


def _check_once(keys: Sequence[Sequence[Any]], names: Sequence[str], label: Any, what: str) -> None:
    """Refuse what two files have."""
    seen: dict[Any, str] = {}
    for some, name in zip(keys, names, strict=True):
        problems = Problems(name)
        for key in some:
            if key in seen:
                problems.add(label(key), "", f"{what}, which {seen[key]} has too", "each in one file only")
        problems.check()
        seen.update(dict.fromkeys(some, name))


def _fingerprint(records: Sequence[Any]) -> str:
    return hashlib.sha256("\n".join(sorted(one.fingerprint for one in records)).encode()).hexdigest()


def _notes(records: Sequence[Any]) -> tuple[str, ...]:
    return tuple(note for one in records for note in one.notes)


def _same(words: Sequence[str]) -> str:
    return "+".join(dict.fromkeys(filter(None, words)))

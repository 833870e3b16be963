"""Every format that Voir Dire reads, and how a file is recognised by a cheap look at its beginning."""

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from voirdire.errors import InputError
from voirdire.formats import strict
from voirdire.formats.files import Source, once, open_source
from voirdire.formats.sample import Sample, look, tell
from voirdire.providers import entry_points

if TYPE_CHECKING:
    import numpy as np

__all__ = ["OTHER_ARRAYS", "Format", "Sample", "detect", "formats", "look", "named_format", "read_file"]

# What to do about files that hold the right thing in the wrong way.
HINTS = {
    "text in UTF-16": strict.FROM_UTF16,
    "binary data (npy)": "Arrays are read from npz or HDF5; numpy.savez writes npz.",
    "binary data (Parquet)": "It may have been cut short, or be none of those that are known: rankings of basic "
    "questions, propositions, reference sets.",
}
# What else of ours is npz, by the names of its arrays; the verbs that read these know what to say of them.
OTHER_ARRAYS = {
    frozenset({"about"}): "It seems to be a model of Voir Dire's own; the verb that it is given to checks it.",
    frozenset({"texts", "vectors"}): "It seems to hold vectors of texts, for an encoder npz:PATH, which checks them.",
}

GROUP = "voirdire.formats"

T = TypeVar("T")
P = ParamSpec("P")

# Where each format is: a module, which holds it under the name FORMAT, or a name in a module.
MODULES: tuple[str, ...] = (
    "visdial",
    "visdial_text",
    "option_numbers.DENSE",
    "option_numbers.RANKS",
    "option_numbers.SCORES",
    "generations",
    "references",
    "selections",
    "vispro",
    "declared.CONV_JUDGEMENTS",
    "declared.IMAGE_IDS",
    "vqa_questions",
    "vqa_annotations",
    "vqa_results",
    "vqa_results.VQA_PREDICTIONS",
    "vqa_results.VQA_ACCURACIES",
    "vqa_results.VQA_GROUPED_ACCURACIES",
    "vqa_results.VQA_TOTALS",
    "question_ranking",
    "declared.QUESTION_TYPES",
    "guesswhat",
    "game_logs",
    "oracle_answers.ORACLE_ANSWERS",
    "declared.ORACLE_QA",
    "oracle_answers.OBJECT_ANSWERS",
    "declared.HISTORY_QUESTIONS",
    "word_types",
    "twenty_questions",
    "twenty_questions.TEXT",
    "coco",
    "coco.CATEGORIES",
    "features",
    "states",
    "judgements",
    "model_judgements",
    "propositions",
    "scenes",
    "scenes.MANIFEST",
)


@dataclass(frozen=True)
class Format:
    """A foreign format: how to know it, how to read it, and what to say of what was read.

    matches   whether a file that looks like this is of the format; no two formats claim the same file
    parse     the strict reading; raises InputError
    describe  how much a record holds, for people
    keys      the ids that other files may share: "image", "question", "game" int64[n], "round" int64[n, 2];
              "dialogue" int64[n] is its place in the file, for files that say no more
    notes     small faults that do not stop the reading
    write     the layout that `parse` reads, from a record to a path; None for what is only read
    fields    the keys that its records have, if it has records; by these the nearest format of an unknown file is told
    by_round  whether its records are of single rounds; `parse` then takes `otherwise`, from where rounds are counted in
              a file that leaves that open
    """

    name: str
    title: str
    matches: Callable[[Sample], bool]
    parse: Callable[..., Any]
    describe: Callable[[Any], str]
    keys: "Callable[[Any], dict[str, np.ndarray]]" = lambda record: {}
    notes: Callable[[Any], Sequence[str]] = lambda record: record.notes
    write: Callable[[Any, str | Path], None] | None = None
    by_round: bool = False
    fields: tuple[str, ...] = ()

    def read(self, path: str | Path) -> Any:
        """The strict reading of a path; see `read_file`."""
        return read_file(path, self, self.parse)


@cache
def formats() -> tuple[Format, ...]:
    """All formats: ours in the order of the table, then those of other packages by name."""
    places = (place.partition(".") for place in MODULES)
    ours = [
        getattr(importlib.import_module(f"voirdire.formats.{module}"), name or "FORMAT") for module, _, name in places
    ]
    others = sorted(entry_points(GROUP), key=lambda point: point.name)
    return (*ours, *(point.load() for point in others))


def named_format(name: str) -> Format:
    """The format of this name."""
    return next(format_ for format_ in formats() if format_.name == name)


def detect(source: Source) -> Format:
    """The format of a file, or an InputError that says what was seen and what is known."""
    sample = look(source)
    found = [one for one in formats() if one.matches(sample)]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise source.fail("", "", f"{tell(sample)}, which fits several formats: {names}", "one format")
    if sample.kind in ("object", "list") and strict.parse(source) == []:  # Broken JSON is said with its place.
        raise source.fail("", "", "an empty list", "at least one record")
    if not source.data.strip():
        raise source.fail("", "", "an empty file", "a data file")
    if sample.kind in ("csv", "text"):
        strict.refuse_other_encodings(source)
    seen = tell(sample)
    raise source.fail("", "", seen, "one of the known formats", HINTS.get(seen) or _hint(sample))


def _hint(sample: Sample) -> str:
    """What to say of a file that is of no known format."""
    ours = [hint for names, hint in OTHER_ARRAYS.items() if sample.kind == "npz" and names <= sample.keys]
    return ours[0] if ours else "docs/formats.md lists them."


@once
def read_file(
    path: str | Path,
    format_: Format,
    parse: Callable[Concatenate[Source, P], T],
    *options: P.args,
    **named: P.kwargs,
) -> T:
    """The strict reading of a path; where it fails and the file is of another format, the error says that alone."""
    source = open_source(path)
    try:
        return parse(source, *options, **named)
    except InputError:
        sample = look(source)
        found = [one for one in formats() if one.matches(sample)]
        if len(found) == 1 and found[0].name != format_.name:
            raise source.fail("", "", _full_name(found[0]), _full_name(format_)) from None
        if sample.kind in ("binary", "utf-16") and not found:
            seen = tell(sample)
            raise source.fail("", "", seen, _full_name(format_), HINTS.get(seen, "")) from None
        raise


def _full_name(format_: Format) -> str:
    return f"{format_.title} ({format_.name})"

"""Which noise a model was asked under, as the files of its questions name it, checked against the model's answers.

    noise = the ranking's signature (ranker, λ, encoder and pool with their hashes, yes/no only, …), where questions
            were cut, and the version that put them together; of a control also its partition and its seed

`voirdire robustness perturb` writes all of it into `info`. It keeps whole what it cuts; who is asked the whole
questions, as live models are, has files of them (`as_whole`) that say so: `max_words` is 0. Two runs were asked the
same only where their noise is the same; where no file names it, it is `unknown`. A file names its own partition, so
files come in any order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, shorten
from voirdire.figures import counted
from voirdire.formats.strict import Problems
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.formats.vqa_results import VqaResults
from voirdire.robustness.exam import PARTITIONS, UNKNOWN, Dataset, RobustnessOptions
from voirdire.robustness.noise import CLEAN
from voirdire.robustness.views import CONTROL, partition
from voirdire.runs import Signature, differences

BESIDE = frozenset({"main", "limit", "top", "scaling", "equal_vectors", "hypothesis", "reference"})
"""Parts of a ranking's signature that do not change what is added to a question, or follow from others."""
ONLY = "Give only the files that this model was asked."

_CONDITIONS = {CLEAN: "", **{str(number): partition(number) for number in range(1, PARTITIONS + 1)}}
_CONDITIONS |= {f"{CONTROL}{number}": CONTROL for number in range(1, PARTITIONS + 1)}
"""What files of questions call their noise, and what a run calls the condition; an empty one is without noise."""

Ids = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class NoiseIdentity:
    """The noise of a run.

    identity  by name what it depends on; None where it is not known
    dataset   which basic questions were added, and `source`, the file that names them; None where none does
    cut       by condition the ids of the questions that were cut; only of conditions whose file lists them
    warnings  why it is not known, where some of it is
    """

    identity: Mapping[str, Any] | None = None
    dataset: Dataset | None = None
    source: str = ""
    cut: Mapping[str, Ids] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def signed(self) -> Mapping[str, Any] | str:
        """The noise in a signature."""
        return UNKNOWN if self.identity is None else self.identity


def condition_of(questions: VqaQuestions, name: str) -> str | None:
    """The noise that a file names, as a run calls it: empty where it has none; None where the file names none."""
    noise = _info(questions).get("partition")
    if noise is None:
        return None
    if str(noise) not in _CONDITIONS:
        raise InputError(name, [Problem("", "info.partition", shorten(noise), f"one of {', '.join(_CONDITIONS)}")])
    return _CONDITIONS[str(noise)]


def as_whole(questions: VqaQuestions) -> VqaQuestions:
    """The questions without a cut, and with metadata that say so; as they are where the file does not have them."""
    if not any(questions.parts):
        return questions
    pairs = zip(questions.questions, questions.parts, strict=True)
    texts = tuple(" ".join(parts) if parts else text for text, parts in pairs)
    info = {**_info(questions), "max_words": 0, "cut": 0, "cut_questions": []}
    return replace(questions, questions=texts, meta={**questions.meta, "info": info})


def noise_of(questions: Sequence[VqaQuestions], asked: Mapping[str, VqaResults], common: bool) -> NoiseIdentity:
    """The noise of a model's answers, which are given by condition, the clean ones under an empty name.

    questions  files of questions; those that do not name their noise are passed over
    common     whether a question may have no answer
    """
    files = _by_condition(questions, asked)
    for condition, file in files.items():
        _check_ids(file, asked[condition], condition or CLEAN, common)
    noisy = [condition for condition in asked if condition not in ("", CONTROL)]
    present = [condition for condition in (*noisy, CONTROL) if condition in files]
    cut = {condition: ids for condition in present if (ids := _cut_ids(files[condition])) is not None}
    unknown = NoiseIdentity(None, *_dataset(files[condition] for condition in present), cut)
    if not any(condition in files for condition in noisy):
        return unknown
    if lacks := [condition for condition in noisy if condition not in files]:
        warning = f"no file of questions is given for {', '.join(lacks)}, so the noise of this run is taken as unknown."
        return replace(unknown, warnings=(warning,))
    identities = {condition: _identity(files[condition]) for condition in present}
    if silent := [files[condition].name for condition in present if identities[condition] is None]:
        warning = f"{silent[0]}: it does not say which ranking its questions come from, so their noise is unknown."
        return replace(unknown, warnings=(warning,))
    first = identities[noisy[0]] or {}
    for condition in present[1:]:
        _check_same(files[noisy[0]].name, first, files[condition].name, identities[condition] or {})
    control = {CONTROL: _drawn(files.get(CONTROL))} if CONTROL in asked else {}
    return replace(unknown, identity={**first, **control}, warnings=_filled([(name, files[name]) for name in noisy]))


def dataset_of(options: RobustnessOptions, noise: NoiseIdentity) -> Dataset:
    """Which basic questions were added: as a file says, else as the option does, else any."""
    if noise.dataset is None:
        return options.dataset or "general"
    if options.dataset not in (None, noise.dataset):
        named = f"{str(noise.dataset == 'yesno').lower()}: the basic questions of {noise.dataset}"
        expected = f"those of {options.dataset}, as `dataset` says"
        hint = "Leave `dataset` out, or give the files that the model was asked."
        raise InputError(noise.source, [Problem("", "info.ranking.yes_no", named, expected, hint)])
    return noise.dataset


def _info(questions: VqaQuestions) -> Mapping[str, Any]:
    info = questions.meta.get("info")
    return info if isinstance(info, dict) else {}


def _by_condition(questions: Iterable[VqaQuestions], asked: Mapping[str, VqaResults]) -> dict[str, VqaQuestions]:
    by_condition: dict[str, VqaQuestions] = {}
    for file in questions:
        condition = condition_of(file, file.name)
        if condition is None or condition not in asked:
            continue
        other = by_condition.setdefault(condition, file)
        if (other.meta, other.questions) != (file.meta, file.questions):
            repeated = f"the questions of {condition or CLEAN}, which {other.name} has in another way"
            raise InputError(file.name, [Problem("", "info.partition", repeated, "one file per partition", ONLY)])
    return by_condition


def _check_ids(file: VqaQuestions, results: VqaResults, condition: str, common: bool) -> None:
    """The answers must be to the questions of the file."""
    strange = np.setdiff1d(results.question_ids, file.question_ids)
    missing = np.empty(0, np.int64) if common else np.setdiff1d(file.question_ids, results.question_ids)
    problems = Problems(file.name)
    answers = f"the answers of {condition}" + (f", {results.name}" if results.name else "")
    for id_ in strange.tolist():
        problems.add(f"question {id_}", "question_id", f"no such question, but an answer in {answers}", "both", ONLY)
    for id_ in missing.tolist():
        problems.add(
            f"question {id_}", "question_id", f"a question without an answer in {answers}", "both, or `common`"
        )
    problems.check()


def _filled(files: Iterable[tuple[str, VqaQuestions]]) -> tuple[str, ...]:
    """A warning where basic questions were added that only fill short lists up."""
    counts = [(condition, _info(file).get("filled")) for condition, file in files]
    parts = [f"{count:,} of {condition}" for condition, count in counts if isinstance(count, int) and count]
    if not parts:
        return ()
    return (f"questions with added ones that only fill a short list up, and are no neighbours: {', '.join(parts)}.",)


def _cut_ids(file: VqaQuestions) -> Ids | None:
    listed = _info(file).get("cut_questions")
    if listed is None:
        return None
    if not isinstance(listed, list) or not all(type(id_) is int for id_ in listed):
        raise InputError(file.name, [Problem("", "info.cut_questions", shorten(listed), "a list of question ids")])
    return np.array(listed, np.int64)


def _dataset(files: Iterable[VqaQuestions]) -> tuple[Dataset | None, str]:
    for file in files:
        ranking = _info(file).get("ranking")
        only = ranking.get("yes_no") if isinstance(ranking, dict) else None
        if isinstance(only, bool):
            return ("yesno" if only else "general"), file.name
    return None, ""


def _identity(file: VqaQuestions) -> dict[str, Any] | None:
    """What the noise of a file depends on; None where its ranking is not named."""
    info = _info(file)
    ranking = info.get("ranking")
    if not isinstance(ranking, dict) or "ranker" not in ranking:
        return None
    own = {name: info[name] for name in ("made_by", "max_words") if name in info}
    return {name: value for name, value in ranking.items() if name not in BESIDE and value is not None} | own


def _drawn(file: VqaQuestions | None) -> str:
    if file is None:
        return UNKNOWN
    info = _info(file)
    return f"{info['partition']}, seed {info.get('seed', UNKNOWN)}"


def _check_same(name: str, first: Mapping[str, Any], other: str, second: Mapping[str, Any]) -> None:
    differing = differences(*(Signature(version="", options=identity) for identity in (first, second)))
    if not differing:
        return
    changes = "; ".join(str(difference).removeprefix("options.") for difference in differing)
    parts = f"{counted(len(differing), 'part')} of its noise unlike those of {name} ({changes})"
    raise InputError(other, [Problem("", "info", parts, "questions of one ranking, cut at one place", ONLY)])

"""People judge reference sets: of a question and its picture they take out the answers that cannot be.

Sets are drawn without replacement, H from the rounds that people annotated, Σ from these or from the whole split
(dense-visdial, §4 and Appendix D: 1,680 and 5,040 sets, five people each). The answers of a set are shown once each, in
a random order.

An attention check is a set of its own with one answer more, taken from a question about another image: that one must
go, and the ground truth must stay. So that nobody could hold it to be right, a question of yes and no gets the answer
of a question that has other words and is none of yes and no; any other question gets a yes or a no. What could be said
to any question, that one cannot tell, is never taken.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path

import numpy as np

from voirdire.answers.exam import SELECTIONS_FILE, StudyAnswersOptions
from voirdire.errors import UsageError
from voirdire.formats.references import References
from voirdire.formats.selections import Selections, write_selections
from voirdire.study.design import NO, YES, Judged, StudyTask

HUMAN, AUTOMATIC = "H", "S"
_ASKS = "is are was were do does did can could has have had will would should any isn't aren't"
POLAR = frozenset(re.findall(r"\S+", _ASKS))
SAID = re.compile(r"(yes|no|yeah|yep|nope|yea)\b", re.IGNORECASE)
# What can be said to any question.
EVASIVE = re.compile(
    r"n't|\b(cannot|not|tell|know|sure|see|seen|visible|maybe|probably|think|looks?|unknown|it|0)\b", re.IGNORECASE
)
# Words that two questions may share and still be about different things.
_SMALL = "a an the it he she they you of in on at to and or there what how many who where"
SMALL = POLAR | frozenset(re.findall(r"\S+", _SMALL))
TRIES = 2_000
"""Answers of other images that are looked at for a check."""


def draw_sets(
    human: References | None,
    automatic: References | None,
    options: StudyAnswersOptions,
    pictured: Collection[int] | None = None,
) -> list[StudyTask]:
    """Tasks of both kinds of sets, then the attention checks."""
    rng = np.random.default_rng(options.seed)
    rows = {name: _rows(sets, pictured) for name, sets in ((HUMAN, human), (AUTOMATIC, automatic)) if sets is not None}
    files = {HUMAN: human, AUTOMATIC: automatic}
    if options.rounds == "annotated" and human is not None and automatic is not None:
        known = set(zip(human.image_ids.tolist(), human.rounds.tolist(), strict=True))
        pairs = zip(automatic.image_ids.tolist(), automatic.rounds.tolist(), strict=True)
        annotated = [place for place, pair in enumerate(pairs) if pair in known]
        rows[AUTOMATIC] = np.intersect1d(rows[AUTOMATIC], annotated).astype(np.intp)
    sizes = {
        HUMAN: ("human_tasks", options.human_tasks, 1_680),
        AUTOMATIC: ("automatic_tasks", options.automatic_tasks, 5_040),
    }
    tasks: list[StudyTask] = []
    checks: list[StudyTask] = []
    for name, places in rows.items():
        sets = files[name]
        assert sets is not None
        if not len(places):
            raise UsageError(f"no set of {name} to draw: none is of an image with a picture, or of an annotated round")
        count, more = options.sizes(*sizes[name], len(places))
        drawn = rng.permutation(places)[: count + more].tolist()
        tasks += [_task(sets, row, name, rng) for row in drawn[:count]]
        checks += [_check(sets, row, name, rng) for row in drawn[count:]]
    return tasks + checks


def _rows(sets: References, pictured: Collection[int] | None) -> np.ndarray:
    every = np.arange(len(sets), dtype=np.intp)
    return every if pictured is None else every[np.isin(sets.image_ids, list(pictured))]


def _task(sets: References, row: int, name: str, rng: np.random.Generator, foreign: str = "") -> StudyTask:
    answers = list(dict.fromkeys(text.strip() for text in sets.of(row) if text.strip()))
    shown = [*answers, foreign] if foreign else answers
    shown = [shown[place] for place in rng.permutation(len(shown)).tolist()]
    image, round_ = int(sets.image_ids[row]), int(sets.rounds[row]) + sets.base
    truth: tuple[str | None, ...] = ()
    if foreign:
        kept = sets.gt_answers[row].strip()
        truth = tuple(NO if text == foreign else YES if text == kept else None for text in shown)
    return StudyTask(
        "deselect",
        _asked(sets.questions[row]),
        image,
        items=tuple(shown),
        key={"image_id": image, "round_id": round_, "set": name},
        truth=truth,
    )


def _asked(question: str) -> str:
    question = question.strip()
    return question if question.endswith("?") else question + "?"


def _check(sets: References, row: int, name: str, rng: np.random.Generator) -> StudyTask:
    image, known = int(sets.image_ids[row]), {text.strip().lower() for text in sets.of(row)}
    words, polar = _words(sets.questions[row]), _is_polar(sets.questions[row])
    any_ = ""
    for other in rng.integers(len(sets), size=TRIES).tolist():
        answer = sets.gt_answers[other].strip()
        if int(sets.image_ids[other]) == image or answer.lower() in known or not _settles(answer):
            continue
        any_ = any_ or answer
        said = SAID.match(answer) is not None
        if said != polar and _is_polar(sets.questions[other]) != polar and not words & _words(sets.questions[other]):
            return _task(sets, row, name, rng, answer)
    if not any_:
        raise UsageError("`checks`: no answer about another image could be added to a set; give 0 for no checks")
    return _task(sets, row, name, rng, any_)


def _is_polar(question: str) -> bool:
    return (question.strip().lower().split() or [""])[0] in POLAR


def _settles(answer: str) -> bool:
    return bool(answer) and EVASIVE.search(answer) is None


def _words(question: str) -> set[str]:
    return set(re.findall(r"\w+", question.lower())) - SMALL


def gather_selections(judged: Sequence[Judged], folder: Path) -> Sequence[str]:
    """Write the table of selections: one row per judge and answer."""
    rows = [
        (one.task.key, one.judge, text, said == YES)
        for one in judged
        for text, said in zip(one.task.items, one.answers, strict=True)
    ]
    record = Selections(
        np.array([key["image_id"] for key, *_ in rows], np.int64),
        np.array([key["round_id"] for key, *_ in rows], np.int64),
        tuple(key["set"] for key, *_ in rows),
        tuple(judge for _, judge, *_ in rows),
        tuple(text for _, _, text, _ in rows),
        np.array([kept for *_, kept in rows], np.bool_),
    )
    write_selections(record, folder / SELECTIONS_FILE)
    return ()

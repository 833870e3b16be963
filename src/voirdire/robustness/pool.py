"""The pool of basic questions: the distinct questions of some files, in the order of their first appearance.

Two questions are one where they differ in case, spacing and final punctuation (`.`, `!`, `?`) alone; the first spelling
stays. By this reading the 48,061 questions of the public training subset of VQA v2 are 32,262 (their 32,347 strings are
told apart by exact spelling). A main question is found in the pool by the same reading, and is then left out of its own
dictionary: else it would be its own and only neighbour (vqa-robustness, question sentences preprocessing).

The yes/no pool (YNBQD) holds the questions of which at least one annotation has the answer type `yes/no`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.question_ranking import POOL, fail, pool_file, read_table
from voirdire.formats.strict import Problems
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions

FINAL = ".!? "
YES_NO = "yes/no"


def fold(question: str) -> str:
    """The question without regard to case, spacing and final punctuation."""
    return " ".join(question.casefold().split()).rstrip(FINAL)


@dataclass(frozen=True)
class Pool:
    """Distinct questions.

    texts  their first spellings; a question's place here is its `pool_index`
    asked  how many questions the files hold
    blank  how many of them have no text: they are no basic questions
    """

    texts: tuple[str, ...]
    asked: int
    blank: int

    def __len__(self) -> int:
        return len(self.texts)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the texts in their order."""
        return hashlib.sha256("\0".join(self.texts).encode("utf-8", "surrogatepass")).hexdigest()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {fold(text): place for place, text in enumerate(self.texts)}

    def find(self, question: str) -> int | None:
        """The place of a question, however it is spelt; None where the pool does not hold it."""
        return self._places.get(fold(question))


def make_pool(questions: Sequence[VqaQuestions]) -> Pool:
    """The pool of all files together."""
    first: dict[str, str] = {}
    asked = blank = 0
    for file in questions:
        asked += len(file)
        for text in file.questions:
            if key := fold(text):
                first.setdefault(key, text)
            else:
                blank += 1
    if not first:
        empty = f"{counted(asked, 'question')}, none with text" if asked else "no question"
        called = ", ".join(file.name for file in questions if file.name)
        raise InputError(called or "pool", [Problem("", "questions", empty, "at least one basic question")])
    return Pool(tuple(first.values()), asked, blank)


def yes_no_questions(
    questions: Sequence[VqaQuestions], annotations: Sequence[VqaAnnotations]
) -> tuple[VqaQuestions, ...]:
    """The questions of each file that were annotated as yes/no; every question must be annotated."""
    ids = np.concatenate([np.empty(0, np.int64), *(file.question_ids for file in annotations)])
    images = np.concatenate([np.empty(0, np.int64), *(file.image_ids for file in annotations)])
    kinds = np.array([kind == YES_NO for file in annotations for kind in file.answer_types], np.bool_)
    order = np.argsort(ids, kind="stable")
    ids, images, kinds = ids[order], images[order], kinds[order]
    called = ", ".join(file.name for file in annotations if file.name) or "pool annotations"
    problems = Problems(called)
    same = ids[1:] == ids[:-1]
    for place in np.flatnonzero(same & ((kinds[1:] != kinds[:-1]) | (images[1:] != images[:-1]))).tolist():
        problems.add(f"question {ids[place]}", "", "two annotations that do not agree", "one annotation per question")
    problems.check()
    kept = tuple(_yes_no(file, called, ids, images, kinds) for file in questions)
    if any(map(len, questions)) and not any(map(len, kept)):
        raise InputError(called, [Problem("", "answer_type", f"no {YES_NO} question of the pool", "at least one")])
    return kept


def _yes_no(
    file: VqaQuestions,
    called: str,
    ids: npt.NDArray[np.int64],
    images: npt.NDArray[np.int64],
    kinds: npt.NDArray[np.bool_],
) -> VqaQuestions:
    place = np.searchsorted(ids, file.question_ids)
    place[place == len(ids)] = 0
    annotated = ids[place] == file.question_ids if len(ids) else np.zeros(len(file), np.bool_)
    problems, pool = Problems(called), file.name or "the pool"
    if len(file) and not annotated.any():
        problems.add("", "", f"no question of {pool}", "its questions", "They may belong to another split or dataset.")
        problems.check()
    wanted, hint = f"one for each question of {pool}", "Give the annotations of every file of the pool."
    for row in np.flatnonzero(~annotated).tolist():
        problems.add(f"question {file.question_ids[row]}", "", "no annotation", wanted, hint)
    problems.check()
    for row in np.flatnonzero(images[place] != file.image_ids).tolist() if len(ids) else ():
        problems.add(
            f"question {file.question_ids[row]}",
            "image_id",
            str(images[place[row]]),
            f"{file.image_ids[row]}, as {pool} has it",
            "The annotations may belong to another dataset.",
        )
    problems.check()
    kept = np.flatnonzero(kinds[place]) if len(ids) else np.empty(0, np.int64)
    return file.only(kept)


def read_pool(ranking: str | Path) -> Pool:
    """The whole pool of a ranking, from the file beside it."""
    path = pool_file(ranking)
    if not path.exists():
        hint = "Keep it beside the ranking, or write partitions one by one with `partition`."
        raise fail(path, "no such file", "the pool that was ranked, which a control is drawn from", hint)
    table, about = read_table(path, POOL)
    texts = tuple(table["basic_question"].to_list())
    pool = Pool(texts, len(texts), 0)
    if about and pool.fingerprint != about["signature"]["pool"]:
        raise fail(path, "a pool that is not the one that it says it is", "the pool that was ranked")
    return pool

"""Which answer of a model belongs to which annotated question, and what to say where one of them is missing."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.strict import Problems
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_results import VqaResults
from voirdire.metrics.vqa_accuracy import OFFICIAL, HumanAnswers, accuracies
from voirdire.stats.aggregate import FloatArray

__all__ = ["Judge", "Verdict"]

SPLIT = "The annotations may be of another split, or of another dataset."


@dataclass(frozen=True, eq=False)
class Verdict:
    """A model's answers, judged.

    rows      of each annotated question the place of its answer, -1 where it has none
    official  accuracy of each annotated question in percent, NaN where it has no answer
    matches   how many of the ten people gave the answer, -1 where there is none
    warnings  what was left out
    """

    rows: npt.NDArray[np.int64]
    official: FloatArray
    matches: npt.NDArray[np.int64]
    warnings: tuple[str, ...]


class Judge:
    """Annotations made ready to judge several files of answers.

    common  whether questions that a file lacks, or that are not annotated, are left out; otherwise they are errors
    """

    def __init__(self, annotations: VqaAnnotations, common: bool = False) -> None:
        if not len(annotations):
            called = annotations.name or "annotations"
            raise InputError(called, [Problem("", "annotations", "no question", "at least one")])
        self.annotations = annotations
        self.common = common
        self._people = HumanAnswers(annotations.answers, annotations.pool)
        self._order = np.argsort(annotations.question_ids, kind="stable")

    def judge(self, results: VqaResults, role: str) -> Verdict:
        """The accuracy of every answer; `role` is what messages say the file is."""
        called = f"{results.name} ({role})" if results.name else role
        ids = self.annotations.question_ids
        rows = np.full(len(ids), -1, dtype=np.int64)
        places = np.minimum(np.searchsorted(ids, results.question_ids, sorter=self._order), len(ids) - 1)
        asked = self._order[places]
        known = ids[asked] == results.question_ids
        rows[asked[known]] = np.flatnonzero(known)
        missing, extra = np.flatnonzero(rows < 0), np.flatnonzero(~known)
        warnings = self._complain(called, ids[missing], results.question_ids[extra])
        answered = np.flatnonzero(rows >= 0)
        official, matches = np.full(len(ids), np.nan), np.full(len(ids), -1, dtype=np.int64)
        matches[answered] = self._people.matches([results.answers[row] for row in rows[answered].tolist()], answered)
        official[answered] = accuracies(matches[answered], OFFICIAL)
        return Verdict(rows, official, matches, warnings)

    def _complain(self, called: str, missing: npt.NDArray[np.int64], extra: npt.NDArray[np.int64]) -> tuple[str, ...]:
        total = len(self.annotations)
        together = total - len(missing)
        if not together:
            found = f"none of the {total:,} annotated questions"
            raise InputError(called, [Problem("", "question_id", found, "answers to the same questions", SPLIT)])
        if self.common:
            said = []
            if len(missing):
                said.append(f"{called}: no answer to {len(missing):,} of {total:,} annotated questions, so left out.")
            if len(extra):
                said.append(f"{called}: {counted(len(extra), 'question')} without annotation, so left out.")
            return tuple(said)
        problems = Problems(called)
        if len(extra):
            found = f"{together:,} annotated questions answered, {len(missing):,} missing, {len(extra):,} not annotated"
            problems.add("", "question_id", found, "answers to the annotated questions", SPLIT)
        for id_ in missing.tolist():
            problems.add(f"question {id_}", "", "no answer", "one for every annotated question, or --common")
        for id_ in extra.tolist():
            problems.add(f"question {id_}", "", "an answer only", "an annotation too, or --common")
        problems.check()
        return ()

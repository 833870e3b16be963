"""A look at rankings: one main question's list, and how far two rankings agree.

    overlap@k = mean over main questions of |A_k ∩ B_k| / max(|A_k|, |B_k|)

A_k, B_k  the first k basic questions of a main question in the two rankings, by their texts (case, spacing and final
punctuation aside); `overlap` takes all. A main question without neighbours in both is no case. Intervals are over
images.
"""

from dataclasses import dataclass

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.question_ranking import Ranking
from voirdire.metrics.measure import Measure, identity, mean
from voirdire.robustness.pool import fold
from voirdire.robustness.ranking_signature import as_signature
from voirdire.runs import Estimate, Run, Signature, estimate

__all__ = ["Listing", "compare_rankings", "find_question", "first_question", "head_lines"]

KS = (1, 3)
SHOWN = 8


@dataclass(frozen=True)
class Listing:
    """One main question and its neighbours, best first; `others` are further questions of the same text."""

    question_id: int
    image_id: int
    question: str
    basic: tuple[str, ...]
    scores: tuple[float, ...]
    others: tuple[int, ...]

    def lines(self) -> list[str]:
        """The list for a person, as the paper's Table 1 has it."""
        found = [f"question {self.question_id}, image {self.image_id}", f"MQ: {self.question}"]
        width = max([2 + len(str(len(self.basic))), *map(len, self.basic)])
        for rank, (text, score) in enumerate(zip(self.basic, self.scores, strict=True), start=1):
            found.append(f"BQ{rank}:".ljust(6) + f"{text.ljust(width)}  {score:.4f}")
        if not self.basic:
            found.append("It has no neighbours.")
        if self.others:
            found.append(f"{counted(len(self.others), 'more question')} of the same text: {_ids(self.others)}")
        return found

    def to_json(self, ranking: Ranking) -> str:
        """The list for programs: what any verb's object has, and `question`."""
        shown = {
            "exam": "robustness",
            "measures": {
                "main_questions": Estimate(ranking.asked, None, None, ranking.asked),
                "ranked": Estimate(len(ranking), None, None, ranking.asked),
            },
            "signature": as_signature(ranking.signature),
            "warnings": ranking.warnings,
            "question": {
                "question_id": self.question_id,
                "image_id": self.image_id,
                "main_question": self.question,
                "basic_questions": [
                    {"rank": rank, "basic_question": text, "score": score}
                    for rank, (text, score) in enumerate(zip(self.basic, self.scores, strict=True), start=1)
                ],
                "others": self.others,
            },
        }
        return msgspec.json.format(msgspec.json.encode(shown), indent=2).decode()


def _ids(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids[:SHOWN])) + (", …" if len(ids) > SHOWN else "")


def head_lines(ranking: Ranking) -> list[str]:
    """What a ranking is, for a person."""
    about = ranking.signature
    parts = [str(about.get("ranker", "a ranking that does not say how it was made"))]
    parts += [f"{name} {about[name]}" for name in ("lambda", "encoder", "top") if name in about]
    found = ", ".join(parts)
    if ranking.missing:
        return [f"{found}: {len(ranking):,} of {ranking.asked:,} main questions so far"]
    return [f"{found}: {counted(len(ranking), 'main question')}"]


def first_question(ranking: Ranking) -> Listing:
    """The first main question that is there."""
    if not len(ranking):
        raise InputError(ranking.name, [Problem("", "", "no finished main question yet", "at least one")])
    return _listing(ranking, np.zeros(1, np.int64))


def find_question(ranking: Ranking, question: str) -> Listing:
    """The main question with this id, or with this text (case, spacing and final punctuation aside)."""
    rows = np.empty(0, np.int64)
    if question.strip().isdecimal():
        rows = np.flatnonzero(ranking.question_ids == int(question))
    if not len(rows):
        wanted = fold(question)
        rows = np.array([row for row, text in enumerate(ranking.questions) if fold(text) == wanted], np.int64)
    if not len(rows):
        hint = "It may come later: not all lists are finished or present." if ranking.missing else ""
        raise InputError(
            ranking.name, [Problem("", "", f"no main question {question!r}", "the id or text of a main question", hint)]
        )
    return _listing(ranking, rows)


def _listing(ranking: Ranking, rows: npt.NDArray[np.int64]) -> Listing:
    row = int(rows[0])
    return Listing(
        int(ranking.question_ids[row]),
        int(ranking.image_ids[row]),
        ranking.questions[row],
        tuple(ranking.of(row)),
        tuple(ranking.scores_of(row)),
        tuple(ranking.question_ids[rows[1:]].tolist()),
    )


def compare_rankings(first: Ranking, second: Ranking, seed: int = 0) -> Run:
    """How far two rankings of the same main questions agree."""
    import polars as pl

    common, ours, theirs = np.intersect1d(first.question_ids, second.question_ids, return_indices=True)
    if not len(common):
        found = f"no main question of {first.name}"
        raise InputError(second.name, [Problem("", "", found, "two rankings of the same main questions")])
    keys = [[fold(text) for text in one.basic] for one in (first, second)]
    ks = [*(f"overlap@{k}" for k in KS), "overlap"]
    shares = np.full((len(common), len(ks)), np.nan)
    for at, rows in enumerate(zip(ours.tolist(), theirs.tolist(), strict=True)):
        lists = [
            [key[place] for place in one.texts[one.first[row] : one.first[row + 1]].tolist()]
            for one, key, row in zip((first, second), keys, rows, strict=True)
        ]
        for column, k in enumerate([*KS, None]):
            a, b = (set(one[:k]) for one in lists)
            if a or b:
                shares[at, column] = len(a & b) / max(len(a), len(b))
    items = pl.DataFrame(
        {
            "image_id": first.image_ids[ours],
            "question_id": common,
            **{name: pl.Series(column).fill_nan(None) for name, column in zip(ks, shares.T, strict=True)},
        }
    )
    measures = [Measure(name, identity, mean, "neither", of=(name,)) for name in ks]
    apart = len(first) + len(second) - 2 * len(common)
    return Run(
        exam="robustness",
        part="overlap",
        options={"seed": seed},
        items=items,
        measures=estimate(items, measures, seed=seed, clusters="image_id"),
        signature=Signature(
            version=__version__,
            data=_parts(first, second, ("encoder_hash", "main", "pool")),
            seed=seed,
            options=_parts(first, second, ("encoder", "lambda", "own_question", "ranker")),
        ),
        warnings=(
            *(warning for ranking in (first, second) for warning in ranking.warnings),
            *([f"{apart:,} main questions that only one of the rankings has are left out."] if apart else []),
        ),
    )


def _parts(first: Ranking, second: Ranking, names: tuple[str, ...]) -> dict[str, str]:
    """What two rankings depend on: a part that is the same once, else that of each."""
    found: dict[str, str] = {}
    for name in names:
        ours, theirs = first.signature.get(name), second.signature.get(name)
        if ours == theirs:
            found |= {} if ours is None else {name: str(ours)}
        else:
            found |= {f"first.{name}": str(ours), f"second.{name}": str(theirs)}
    return found

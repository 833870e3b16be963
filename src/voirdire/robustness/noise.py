"""Questions with noise: a main question, followed by three of its basic questions.

    partition p = ranks 3p − 2, 3p − 1, 3p,   p = 1 … 7;   the noisy question is the main one and these, in rank order
    control p   = for each of these three, a question drawn from the pool among those of as many words

A question that has fewer than three basic questions in a partition is left out of it and counted. The paper's models
read 26 words at most, so a longer question is cut there, and that is counted, too; beside the cut text stand the
questions that it joins, whole, since chat models are asked these. The control (which the paper lacks)
tells noise that is related from noise as such: it never draws the main question or one of its listed questions. Where
the pool has too few questions of that many words, those of the nearest number of words are taken.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.figures import counted
from voirdire.formats.question_ranking import Ranking
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import PARTITIONS, PerturbOptions
from voirdire.robustness.pool import Pool, fold, read_pool
from voirdire.robustness.ranking.files import join_rankings
from voirdire.runs.limit import draw

SIZE = 3
"""How the paper cuts a list of 21 basic questions: partitions of three, the nearest first."""
CLEAN = "clean"
TRIES = 8
TITLES = {
    (True, False): "Main questions as they are.",
    (False, False): "Main questions, each followed by its basic questions of partition {number}.",
    (False, True): "Main questions, each followed by drawn questions, as long as those of partition {number}.",
}
ALL = (CLEAN, *map(str, range(1, PARTITIONS + 1)), "control1")

_NAME = re.compile(rf"(?P<control>control)?(?P<number>[1-{PARTITIONS}])")


@dataclass(frozen=True, eq=False)
class Perturbed:
    """The questions of a partition.

    left_out  main questions that have fewer than three basic questions in it
    cut       questions that were cut, and `words`, how many words that took away
    filled    questions of which some basic questions only fill the list up
    """

    questions: VqaQuestions
    partition: str
    left_out: int
    cut: int
    words: int
    filled: int = 0

    def __str__(self) -> str:
        parts = [counted(len(self.questions), "question")]
        if self.left_out:
            parts.append(f"{self.left_out:,} left out, which have too few neighbours")
        if self.filled:
            parts.append(f"{self.filled:,} with questions that only fill the list up")
        if self.cut:
            parts.append(f"{self.cut:,} cut, by {counted(self.words, 'word')} together")
        name = f"partition {self.partition}" if self.partition.isdigit() else self.partition
        return f"{name}: {', '.join(parts)}"


def file_name(partition: str) -> str:
    """The file of a partition in a folder that holds them all."""
    return f"partition{partition}.json" if partition.isdigit() else f"{partition}.json"


def reached(ranking: Ranking) -> list[str]:
    """Those of ALL that at least one main question has neighbours for."""
    longest = int(ranking.lengths.max(initial=0))
    return [name for name in ALL if SIZE * _parse(name)[1] <= longest]


def write_noise(
    ranking: Sequence[Ranking],
    options: PerturbOptions | None = None,
    stages: Stages = UNSEEN,
    output: str | None = None,
    all: str | None = None,
) -> Outcome:
    """Write the questions of one partition to the file `output`, or those of all partitions to the folder `all`.

    ranking  the parts of a ranking, in their order
    """
    options = options or PerturbOptions()
    if all is not None and (options.partition is not None or output is not None):
        raise UsageError("`all` writes all partitions to a folder; leave `partition` and `output` out")
    if all is None and (options.partition is None or output is None):
        raise UsageError("give `partition` and `output`, or `all` and a folder")
    joined = join_rankings(ranking)
    drawn = draw(joined.image_ids, options)
    whole = drawn.of(joined)
    names = reached(whole) if options.partition is None else [_parse(options.partition)[0]]
    pool = read_pool(ranking[0].name) if any(_parse(name)[2] for name in names) else None
    lines, progress = [], stages("write", "files")
    for done, name in enumerate(names):
        progress(done, len(names))
        perturbed = perturb(whole, name, options, pool, drawn.signed)
        path = output if output is not None else str(Path(all or ".") / file_name(perturbed.partition))
        write_vqa_questions(perturbed.questions, path)
        lines.append(f"{perturbed}: {path}")
    progress(len(names), len(names))
    missing = [name for name in ALL if name not in names] if options.partition is None else []
    unwritten = (f"{name} is not written: no main question has neighbours for it" for name in missing)
    return Outcome(tuple(lines), warnings=(*drawn.warnings, *unwritten, *whole.warnings))


def perturb(
    ranking: Ranking,
    partition: str,
    options: PerturbOptions | None = None,
    pool: Pool | None = None,
    details: Mapping[str, Any] | None = None,
) -> Perturbed:
    """The main questions with the noise of `partition`: clean (or 0), 1 to 7, or control (control1) to control7.

    details  what else goes into the metadata of the file
    """
    options = options or PerturbOptions()
    name, number, control = _parse(partition)
    if control and pool is None:
        raise UsageError(f"{name}: a control draws from the pool of the ranking, which is not given")
    draws = _Draws(pool, options.seed) if control and pool is not None else None
    keys = [fold(text) for text in ranking.basic] if control else []
    rows = np.flatnonzero(ranking.lengths >= SIZE * number)
    limit = 0 if name == CLEAN else options.max_words
    asked, words = [], 0
    cut: list[int] = []
    for row in rows.tolist():
        question_id, question = int(ranking.question_ids[row]), ranking.questions[row]
        listed = ranking.texts[ranking.first[row] : ranking.first[row + 1]].tolist()
        added = [ranking.basic[place] for place in (listed[SIZE * (number - 1) : SIZE * number] if number else ())]
        if draws is not None:
            added = draws.like(added, question_id, {fold(question), *(keys[place] for place in listed)})
        text, gone = put_together(question, added, limit)
        parts = (question, *added) if added else ()
        asked.append(VqaQuestion(question_id, int(ranking.image_ids[row]), text, parts=parts))
        words += gone
        if gone:
            cut.append(question_id)
    if not asked:
        missing = f"no main question that has {SIZE} neighbours in partition {name}"
        raise InputError(ranking.name, [Problem("", "", missing, "at least one")])
    left_out = len(ranking) - len(rows)
    filled = int((ranking.neighbours[rows] < SIZE * number).sum()) if not control else 0
    info: dict[str, Any] = {"partition": name, "left_out": left_out, "filled": filled, "cut": len(cut)}
    info |= details or {}
    if name != CLEAN:
        info |= {"max_words": options.max_words, **({"seed": options.seed} if control else {})}
    meta = describe(ranking, TITLES[name == CLEAN, control].format(number=number), info)
    if name != CLEAN:
        # After all that is short, since a person looks at the beginning of a file.
        meta["info"]["cut_questions"] = cut
    return Perturbed(VqaQuestions.from_rows(asked, meta), name, left_out, len(cut), words, filled)


def put_together(question: str, added: Sequence[str], max_words: int) -> tuple[str, int]:
    """The question followed by others, cut after `max_words` words, and how many words that took away."""
    text = " ".join([question, *added])
    words = text.split()
    if not max_words or len(words) <= max_words:
        return text, 0
    return " ".join(words[:max_words]), len(words) - max_words


def describe(ranking: Ranking, title: str, details: Mapping[str, Any]) -> dict[str, Any]:
    """The blocks of an official questions file that describe it."""
    about = {"made_by": f"voirdire {__version__}", **details, "ranking": dict(ranking.signature)}
    return {"info": {"description": title, **about}, "task_type": "Open-Ended"}


def _parse(partition: str) -> tuple[str, int, bool]:
    """The partition's own name, its number, and whether it is a control."""
    name = {"0": CLEAN, "control": "control1"}.get(partition, partition)
    if name == CLEAN:
        return name, 0, False
    match = _NAME.fullmatch(name)
    if match is None:
        raise UsageError(
            f"`partition` must be clean (or 0), 1 to {PARTITIONS}, or control1 to control{PARTITIONS} (control is the "
            f"first), got {partition!r}"
        )
    return name, int(match["number"]), match["control"] is not None


class _Draws:
    """Questions of the pool by their number of words, drawn for one main question at a time.

    Each main question has a generator of its own, from the seed and its id: what it draws does not depend on others.
    """

    def __init__(self, pool: Pool, seed: int) -> None:
        self._texts, self._seed = pool.texts, seed
        self._keys = [fold(text) for text in pool.texts]
        lengths = np.array([len(text.split()) for text in pool.texts])
        self._by_length = {int(length): np.flatnonzero(lengths == length) for length in np.unique(lengths)}
        self._orders: dict[int, list[npt.NDArray[np.int64]]] = {}

    def like(self, texts: Sequence[str], question_id: int, barred: set[str]) -> list[str]:
        """One question for each of `texts`, of as many words and not barred; all of them different."""
        rng = np.random.default_rng([self._seed, question_id])
        drawn: list[str] = []
        for text in texts:
            place = self._draw(rng, len(text.split()), barred)
            if place is None:
                raise InputError("pool", [Problem("", "", "too few questions to draw a control from", "more")])
            barred.add(self._keys[place])
            drawn.append(self._texts[place])
        return drawn

    def _draw(self, rng: np.random.Generator, words: int, barred: set[str]) -> int | None:
        for places in self._nearest(words):
            # Few are barred, so that a free one is soon hit; where it is not, all of them are looked through.
            few = places[rng.integers(len(places), size=TRIES)]
            place = self._free(few, barred)
            if place is None:
                place = self._free(rng.permutation(places), barred)
            if place is not None:
                return place
        return None

    def _nearest(self, words: int) -> list[npt.NDArray[np.int64]]:
        """The places of the pool by number of words, those of the nearest number first."""
        if words not in self._orders:
            lengths = sorted(self._by_length, key=lambda length: (abs(length - words), length))
            self._orders[words] = [self._by_length[length] for length in lengths]
        return self._orders[words]

    def _free(self, places: npt.NDArray[np.int64], barred: set[str]) -> int | None:
        return next((place for place in places.tolist() if self._keys[place] not in barred), None)

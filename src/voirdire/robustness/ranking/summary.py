"""A summary of a ranking: how much it holds, how much of it is proved, one main question's list, how far two agree.

    overlap@k = mean over main questions of |A_k ∩ B_k| / max(|A_k|, |B_k|)

A_k, B_k  the first k basic questions of a main question in the two rankings, by their texts (case, spacing and final
punctuation aside); `overlap` takes all. A main question without neighbours in both is no case. Intervals are over
images.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.figures import counted
from voirdire.formats.parquet import reading_parquet
from voirdire.formats.question_ranking import (
    CERTIFICATES,
    FILLED,
    METADATA,
    POOL,
    Ranking,
    certificates_file,
    fail,
    pool_file,
    scan_table,
)
from voirdire.lazy import pl
from voirdire.metrics.measure import Key, Measure, identity, mean
from voirdire.progress import UNSEEN, Stages
from voirdire.robustness.exam import RankQuestionsOptions, ShowRankingOptions
from voirdire.robustness.pool import fold
from voirdire.robustness.rankers import FORMULAS
from voirdire.robustness.ranking.files import as_signature
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Estimate, Measures, estimate
from voirdire.tables import text_table

LEFT_OUT = "left out"
STATUS, CERTIFIED, REASON = "status", "certified", "reason"
KS = (1, 3)
MOST_IDS = 8

RANK_MEASURES = tuple(
    Measure.figure(name, "neither", description=description)
    for name, description in (
        ("main_questions", "main questions"),
        ("distinct_questions", "main questions of different texts"),
        ("pool", "questions of the pool"),
        ("neighbours", "basic questions that were found, of all main questions together"),
        ("filled_lists", "main questions whose lists were filled up"),
        ("filled", "questions of the pool that fill lists up, of all main questions together"),
        ("in_pool", "main questions that are in the pool and were left out of it"),
        ("short_lists", "main questions with fewer neighbours than were asked for"),
        ("empty_lists", "main questions without any"),
        ("certified", "distinct main questions whose list is proved"),
        ("rate", "distinct main questions per second in this call"),
    )
)
OVERLAP = Measure(
    Key("overlap"),
    identity,
    mean,
    "neither",
    description="mean share of basic questions that two rankings have in common",
)
SHOW_MEASURES = (OVERLAP,)


@dataclass(frozen=True)
class Ranked:
    """How much was ranked.

    questions  main questions, and `texts`, the distinct ones among them
    own        main questions that are in the pool and were left out of it
    rows       neighbours that were written
    lists      main questions whose lists were filled up, and `filled`, the questions of the pool that do so
    short      main questions with fewer than `top` neighbours, and `empty`, those without any
    certified  of the distinct texts, those whose list is proved; None where the ranker proves nothing
    reasons    why the others are not, and how often
    kept       distinct texts that an earlier call had finished
    finished   whether an earlier call had finished all, so that nothing was written
    seconds    how long this call took
    """

    questions: int
    texts: int
    own: int
    pool: int
    rows: int
    lists: int
    filled: int
    short: int
    empty: int
    certified: int | None
    reasons: Mapping[str, int]
    kept: int
    finished: bool
    signature: Mapping[str, Any]
    seconds: float = field(default=0.0, compare=False)

    @property
    def rate(self) -> float | None:
        """Distinct main questions per second in this call; None where it had nothing to rank."""
        new = self.texts - self.kept
        return new / self.seconds if new and self.seconds else None

    def _filling(self) -> Iterator[str]:
        """What filling up did or would do."""
        if self.signature.get("fill_up"):
            yield (
                f"filled up: {self.lists:,} main questions, with {counted(self.filled, 'question')} of the pool in its "
                "order, at score 0"
            )
        elif self.short:
            yield "short lists do not reach all partitions; fill_up would fill them with the pool's questions in order"

    def lines(self) -> list[str]:
        """The counts for a person."""
        lines = [
            f"main questions: {self.questions:,}, {self.texts:,} of them distinct; pool: {self.pool:,} questions",
            f"neighbours: {self.rows:,}; {self.short:,} main questions have fewer than {self.signature['top']}, "
            f"{self.empty:,} have none",
            *self._filling(),
            f"in the pool themselves and left out of it: {self.own:,} main questions"
            if self.signature["own_question"] == LEFT_OUT
            else "main questions that are in the pool are kept in it",
        ]
        if self.certified is not None:
            lines.append(f"certified: {self.certified:,} of {self.texts:,} distinct main questions")
        if self.rate is not None:
            lines.append(f"rate: {self.rate:,.1f} distinct main questions per second")
        return lines


def read_summary(output: Path) -> Ranked:
    """Count what an earlier call has ranked, from the files of a whole ranking."""
    path, pool = certificates_file(output), pool_file(output)
    _, about = scan_table(path, CERTIFICATES)
    if not about:
        raise fail(path, f"no metadata `{METADATA}`", f"the certificates of {output}")
    questions, _ = scan_table(pool, POOL)
    with reading_parquet(str(path)):
        each = pl.read_parquet(path)
    with reading_parquet(str(pool)):
        size = questions.select(pl.len()).collect().item()
    return summarise(each, size, about["signature"])


def summarise(
    each: "pl.DataFrame", pool: int, signature: Mapping[str, Any], kept: int | None = None, seconds: float = 0.0
) -> Ranked:
    """Count what was ranked.

    each           the certificates, one row per main question
    pool           how many questions the pool has
    kept, seconds  as in Ranked; `kept` is None where an earlier call had finished all
    """
    texts = each.filter(pl.Series([bool(fold(text)) for text in each["main_question"]], dtype=pl.Boolean))
    texts = texts.unique("main_question", keep="first", maintain_order=True)
    # A ranking that an earlier version made has no such column.
    filled = each[FILLED] if FILLED in each.columns else pl.Series([0])
    reasons: Counter[str] = Counter()
    if STATUS in each.columns:
        open_ = texts.filter(pl.col(STATUS) != CERTIFIED)
        reasons.update(open_[REASON if REASON in each.columns else STATUS].to_list())
    return Ranked(
        questions=len(each),
        texts=len(texts),
        own=each["left_out"].count(),
        pool=pool,
        rows=int(each["neighbours"].sum()),
        lists=int((filled > 0).sum()),
        filled=int(filled.sum()),
        short=int((each["neighbours"] < signature["top"]).sum()),
        empty=int((each["neighbours"] == 0).sum()),
        certified=len(texts) - reasons.total() if STATUS in each.columns else None,
        reasons=dict(reasons),
        kept=len(texts) if kept is None else kept,
        finished=kept is None,
        signature=signature,
        seconds=seconds,
    )


def as_run(ranked: Ranked, options: RankQuestionsOptions | None = None) -> Run:
    """The counts as measures, for programs."""
    new, top = ranked.texts - ranked.kept, ranked.signature["top"]
    beyond = f"{top:,} neighbours were asked for, and the pool has {ranked.pool:,} questions: no list is longer."
    lists = (ranked.rows, ranked.lists, ranked.filled, ranked.own, ranked.short, ranked.empty)
    counts = (ranked.questions, ranked.texts, ranked.pool, *lists)
    figures = [Estimate(count, None, None, ranked.questions) for count in counts]
    figures += [Estimate(ranked.certified, None, None, ranked.texts), Estimate(ranked.rate, None, None, new)]
    return Run(
        exam="robustness",
        part="rank",
        options=(options or RankQuestionsOptions()).plain(),
        items=pl.DataFrame(),
        measures=Measures({measure.key: figure for measure, figure in zip(RANK_MEASURES, figures, strict=True)}),
        signature=as_signature(ranked.signature),
        warnings=(
            *([beyond] if top > ranked.pool else []),
            *(f"{count:,} lists are not proved: {reason}." for reason, count in sorted(ranked.reasons.items())),
        ),
    )


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
        lines = [f"question {self.question_id}, image {self.image_id}", f"MQ: {self.question}"]
        width = max([2 + len(str(len(self.basic))), *map(len, self.basic)])
        for rank, (text, score) in enumerate(zip(self.basic, self.scores, strict=True), start=1):
            value = f"{score:.4f}" if score else "fills the list up"
            lines.append(f"BQ{rank}:".ljust(6) + f"{text.ljust(width)}  {value}")
        if not self.basic:
            lines.append("It has no neighbours.")
        if self.others:
            ids = ", ".join(map(str, self.others[:MOST_IDS])) + (", …" if len(self.others) > MOST_IDS else "")
            lines.append(f"{counted(len(self.others), 'more question')} of the same text: {ids}")
        return lines

    def value(self, ranking: Ranking) -> dict[str, Any]:
        """The list for programs: what any verb's object has, and `question`."""
        return {
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


def show_ranking(
    ranking: Ranking, overlap: Ranking | None = None, options: ShowRankingOptions | None = None, stages: Stages = UNSEEN
) -> Outcome:
    """A main question's list, of a ranking that may still be at work; or how far it agrees with another, `overlap`."""
    options = options or ShowRankingOptions()
    if overlap is not None:
        if options.question is not None:
            raise UsageError("`question` and `overlap` exclude each other")
        run = compare_rankings(ranking, overlap, options.seed)
        return Outcome(tuple(text_table(run).splitlines()), warnings=run.warnings, run=run)
    listing = first_question(ranking) if options.question is None else find_question(ranking, options.question)
    lines = (*head_lines(ranking), "", *listing.lines())
    return Outcome(lines, listing.value(ranking), ranking.warnings)


def head_lines(ranking: Ranking) -> list[str]:
    """What a ranking is, for a person."""
    about = ranking.signature
    parts = [str(about.get("ranker", "a ranking that does not say how it was made"))]
    theirs = about.get("objective") == FORMULAS["scikit-learn"]
    names = {"lambda": "scikit-learn's alpha" if theirs else "lambda"}
    parts += [f"{names.get(name, name)} {about[name]}" for name in ("lambda", "encoder", "top") if name in about]
    described = ", ".join(parts)
    if ranking.missing:
        return [f"{described}: {len(ranking):,} of {ranking.asked:,} main questions so far"]
    return [f"{described}: {counted(len(ranking), 'main question')}"]


def first_question(ranking: Ranking) -> Listing:
    """The first main question."""
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
    common, ours, theirs = np.intersect1d(first.question_ids, second.question_ids, return_indices=True)
    if not len(common):
        nothing = f"no main question of {first.name}"
        raise InputError(second.name, [Problem("", "", nothing, "two rankings of the same main questions")])
    keys = [[fold(text) for text in ranking.basic] for ranking in (first, second)]
    counts = [ranking.neighbours for ranking in (first, second)]
    measures = [*(OVERLAP.at(k, of=(str(OVERLAP.key.at(k)),)) for k in KS), OVERLAP]
    shares = np.full((len(common), len(measures)), np.nan)
    for at, rows in enumerate(zip(ours.tolist(), theirs.tolist(), strict=True)):
        lists = [
            [key[place] for place in ranking.texts[ranking.first[row] : ranking.first[row] + count[row]].tolist()]
            for ranking, key, count, row in zip((first, second), keys, counts, rows, strict=True)
        ]
        for column, k in enumerate(measure.key.k for measure in measures):
            a, b = (set(texts[:k]) for texts in lists)
            if a or b:
                shares[at, column] = len(a & b) / max(len(a), len(b))
    items = pl.DataFrame(
        {
            "image_id": first.image_ids[ours],
            "question_id": common,
            **{
                measure.name: pl.Series(column).fill_nan(None)
                for measure, column in zip(measures, shares.T, strict=True)
            },
        }
    )
    apart = len(first) + len(second) - 2 * len(common)
    return Run(
        exam="robustness",
        part="show",
        options=ShowRankingOptions(seed=seed).plain(),
        items=items,
        measures=estimate(items, measures, seed=seed, clusters="image_id"),
        signature=Signature(
            version=__version__,
            data=_parts(first, second, ("encoder_hash", "main", "pool")),
            seed=seed,
            options=_parts(first, second, ("encoder", "lambda", "objective", "own_question", "ranker")),
        ),
        warnings=(
            *(warning for ranking in (first, second) for warning in ranking.warnings),
            *([f"{apart:,} main questions that only one of the rankings has are left out."] if apart else []),
        ),
    )


def _parts(first: Ranking, second: Ranking, names: tuple[str, ...]) -> dict[str, str]:
    """What two rankings depend on: a part that is the same once, else that of each."""
    parts: dict[str, str] = {}
    for name in names:
        ours, theirs = first.signature.get(name), second.signature.get(name)
        if ours == theirs:
            parts |= {} if ours is None else {name: str(ours)}
        else:
            parts |= {f"first.{name}": str(ours), f"second.{name}": str(theirs)}
    return parts

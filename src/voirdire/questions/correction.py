"""Effectiveness as it would be with the true answers, from how often an oracle is wrong.

    corrected  =  effectiveness(A)  +  mean over draws of  effectiveness(T*) − effectiveness(A*)

A   the oracle's answers about every object.
T*  a table of answers that may be the true one: each drawn from P(t | a, s), a what the oracle says.
A*  what the oracle might say if T* were true: each drawn from P(a | t, s), t what T* says.
s   strata from wide to narrow: all questions; their types; their keywords; their keywords and the object's category.

    P(t | a, s)  =  (n_s(t, a) + M · P(t | a, above s)) / (n_s(a) + M)          and P(a | t, s) likewise

n_s(t, a) counts the questions of stratum s whose recorded answer is t and to which the oracle says a (a run of
`oracle-accuracy`); a stratum leans on the one above it with the weight of M questions, the widest on an oracle that is
always right.

This is the bootstrap's correction of a bias: what the oracle's errors do to a table of which the truth is known, T*,
they are taken to have done to the real one. The mean of effectiveness(T*) alone, multiple imputation, is not enough:
drawing answers independently loses their dependence, so that T* has a bias of its own, which is in A* too and drops out
of the difference. Random numbers are shared where answers depend on each other. A question asked twice in a game, in
other words too, has one answer: so questions with the same keywords share theirs. And an oracle that cannot distinguish
two dogs gives the same answer about both: so in A* objects of one category share theirs.

It rests on two assumptions. Truths about two objects are independent given the strata. And the oracle errs about other
objects as about targets, for which alone there are recorded answers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import numpy as np
import numpy.typing as npt

from voirdire.errors import UsageError
from voirdire.exam import read_run
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.lazy import pl
from voirdire.metrics.games import EFFECTIVENESS
from voirdire.progress import Progress, silent
from voirdire.questions.exam import ORACLE_ACCURACY, ScoreQuestionsOptions
from voirdire.questions.kinds import Lexicon, kinds_of, own_lexicon, tokens
from voirdire.questions.oracles import Asked
from voirdire.runs import Run

DRAWS = 100
WEIGHTS = (1.0, 1.0, 5.0, 5.0)
"""M of each stratum: for how many questions the one above it counts."""

EFFECTIVENESS_CORRECTED = EFFECTIVENESS.named(
    "effectiveness_corrected",
    of=("effectiveness_corrected",),
    label="effectiveness, corrected for the oracle's errors",
    description="what effectiveness would be with true answers, as far as the oracle's confusion can tell",
)

TITLE = f"questions {ORACLE_ACCURACY.name}"
EVERY = 100
"""Games between two reports."""
Float64 = npt.NDArray[np.float64]
Stratum = tuple[frozenset[str] | str, ...]


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often an oracle is wrong: counts[t, a] of each stratum, and the oracle that it is of."""

    counts: Mapping[Stratum, Float64]
    oracle: str
    lexicon: Lexicon

    def shares(self, question: str, category: str) -> tuple[Float64, Float64]:
        """P(t | a) and P(a | t) for a question about an object of a category, float64[t, a] each."""
        truth = answer = np.eye(len(ANSWERS))
        for weight, stratum in zip(WEIGHTS, strata(question, category, self.lexicon), strict=True):
            counts = self.counts.get(stratum)
            if counts is not None:
                truth = (counts + weight * truth) / (counts.sum(axis=0, keepdims=True) + weight)
                answer = (counts + weight * answer) / (counts.sum(axis=1, keepdims=True) + weight)
        return truth, answer


def strata(question: str, category: str, lexicon: Lexicon) -> tuple[Stratum, ...]:
    """The strata of a question about an object, from wide to narrow."""
    kinds, words = _read(question, lexicon)
    return (), (kinds,), (kinds, words), (kinds, words, category)


def _read(question: str, lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """The types of a question, and its keywords; all of its words where it has none."""
    words = frozenset(tokens(question))
    return kinds_of(question, lexicon), frozenset(word for word in words if word in lexicon.kinds) or words


def confusion_of(run: Run) -> Confusion:
    """The confusion that a run of `oracle-accuracy` found."""
    if run.title != TITLE:
        raise UsageError(f"the confusion comes from a run of {TITLE}; this is one of {run.title}")
    lexicon = own_lexicon()
    if run.fingerprints.get("lexicon") != lexicon.fingerprint:
        raise UsageError(f"the run of {TITLE} was made with another list of keywords; make it again with ours")
    counts: dict[Stratum, Float64] = defaultdict(lambda: np.zeros((len(ANSWERS), len(ANSWERS))))
    codes = {answer: code for code, answer in enumerate(ANSWERS)}
    columns = (run.items[name].to_list() for name in ("question", "category", "answer", "oracle_answer"))
    of = cache(lambda question, category: strata(question, category, lexicon))
    for question, category, answer, given in zip(*columns, strict=True):
        for stratum in of(question, category):
            counts[stratum][codes[answer], codes[given]] += 1
    return Confusion(dict(counts), run.fingerprints.get("oracle", ""), lexicon)


def read_confusion(folder: str | Path) -> Confusion:
    """The confusion of a run's folder."""
    return confusion_of(read_run(folder))


def gains(
    games: Sequence[Game],
    answers: Sequence[ObjectAnswers],
    confusion: Confusion,
    draws: int = DRAWS,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Float64]:
    """Of each question of each game: in how many draws T* makes it effective, less those in which A* does; a share."""

    @cache
    def bounds(question: str, category: str) -> tuple[Float64, Float64]:
        """Of each answer, where the chances of the next begin: [a, 2] for T*, [t, 2] for A*."""
        truth, answer = confusion.shares(question, category)
        return np.cumsum(truth, axis=0).T[:, :-1], np.cumsum(answer, axis=1)[:, :-1]

    key_of = cache(lambda question: _read(question, confusion.lexicon)[1])
    parts: list[Float64] = []
    for game, given in zip(games, answers, strict=True):
        keys = [key_of(qa.question) for qa in game.qas]
        _, kinds = np.unique([candidate.category for candidate in game.objects], return_inverse=True)
        rng = np.random.default_rng([seed, game.id])
        chances = {
            key: (rng.random((draws, len(kinds), 1)), rng.random((draws, len(kinds), 1))[:, kinds])
            for key in dict.fromkeys(keys)
        }
        true, again = [], []
        for qa, key, codes in zip(game.qas, keys, given.answers, strict=False):
            limits = [bounds(qa.question, candidate.category) for candidate in game.objects]
            first, second = chances[key]
            true.append((first >= np.stack([limit[0] for limit in limits])[np.arange(len(codes)), codes]).sum(axis=2))
            table = np.stack([limit[1] for limit in limits])[np.arange(len(codes)), true[-1]]
            again.append((second >= table).sum(axis=2))
        target = [candidate.id for candidate in game.objects].index(game.target_id)
        parts.append(_effective(true, target) - _effective(again, target))
        if len(parts) % EVERY == 0 or len(parts) == len(games):
            progress(len(parts), len(games))
    return parts


def _effective(tables: Sequence[npt.NDArray[np.int64]], target: int) -> Float64:
    """The share of draws in which each question is effective; one array [draws, objects] of answers per question."""
    left: npt.NDArray[np.bool_] | None = None
    effective = np.empty(len(tables))
    for place, answers in enumerate(tables):
        now = answers == answers[:, target : target + 1]
        left = np.ones_like(now) if left is None else left
        now &= left
        effective[place] = (now != left).any(axis=1).mean()
        left = now
    return effective


def gains_of(
    asked: Asked, confusion: Confusion, options: ScoreQuestionsOptions, progress: Progress = silent
) -> list[Float64]:
    """The same for games that were asked about, where it makes sense."""
    if asked.answers is None:
        raise UsageError("games of 20 questions carry the true answers: there is nothing to correct with `confusion`")
    if options.answers != "oracle":
        raise UsageError(
            "`confusion` corrects what an oracle's answers lead to; `answers` must be oracle, got recorded"
        )
    if confusion.oracle != asked.oracle:
        raise UsageError(f"the confusion is that of another oracle: {confusion.oracle}; asked was {asked.oracle}")
    games = cast("Sequence[Game]", asked.games)
    return gains(games, asked.answers, confusion, DRAWS, options.seed, progress)


def corrected_items(items: "pl.DataFrame", gains: Sequence[Float64]) -> "pl.DataFrame":
    """The items of `score` with what each question adds to `effectiveness_corrected`, and that of each game.

    The interval draws images, as that of effectiveness; it says nothing of how uncertain the confusion itself is.
    """
    rows: list[float | None] = []
    means: list[float | None] = []
    for gain in gains:
        rows += gain.tolist() or [None]
        means += [None] * (max(len(gain), 1) - 1) + [float(gain.mean()) if len(gain) else None]
    return items.with_columns(
        (pl.col("effective") + pl.Series(rows, dtype=pl.Float64)).alias("effective_corrected"),
        (pl.col("effectiveness") + pl.Series(means, dtype=pl.Float64)).alias(EFFECTIVENESS_CORRECTED.name),
    )

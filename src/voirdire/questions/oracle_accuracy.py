"""How often an oracle gives the answer that was recorded in the dialogue, by type of question and by turn.

    accuracy                = share of questions where A(q, target) is the recorded answer
    accuracy:answerable     = the same over the questions whose recorded answer is yes or no
    accuracy[color]         = the same over the questions of this type; a question may be of several
    accuracy[order]         = the same over questions of order, which are of location too
    accuracy@t              = the same over the questions asked at turn t, from 1
    confusion[yes as no]    = share of all questions with the recorded answer yes to which the oracle says no

The oracle is asked about the target alone, since only the answer about it was recorded. Questions of all games count,
however the game ended. Intervals draw whole images. (effective-questions, §4.3 and Table 2.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Measure, mean
from voirdire.questions.kinds import KINDS, ORDER, kinds_of
from voirdire.questions.lexicon import Lexicon, own_lexicon
from voirdire.questions.oracles import Oracle
from voirdire.reports import Report, silent
from voirdire.runs import Run, Signature, estimate
from voirdire.stats.aggregate import FloatArray

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PART", "OracleAccuracyOptions", "score_oracle"]

PART = "oracle-accuracy"
TURNS = 10
"""Turns for which accuracy is given; the items have all."""


@dataclass(frozen=True)
class OracleAccuracyOptions:
    """seed: of the resamples."""

    seed: int = 0


def score_oracle(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame],
    oracle: Oracle,
    options: OracleAccuracyOptions | None = None,
    *,
    lexicon: Lexicon | None = None,
    data: Mapping[str, str] | None = None,
    report: Report = silent,
) -> Run:
    """The accuracy of an oracle on the questions of games.

    lexicon  which words make a question one of a type; ours, unless another one is given
    data     files that the games were joined with: role to SHA-256
    """
    options, lexicon = options or OracleAccuracyOptions(), lexicon or own_lexicon()
    alone = [_of_target(game) for game in games]
    if not any(game.qas for game in alone):
        raise InputError("games", [Problem("", "qas", "no question in any game", "at least one")])
    given = oracle.answer(alone, report)
    items = _items(alone, [one.answers[:, 0] for one in given], lexicon)
    words = {"lexicon": lexicon.fingerprint}
    fingerprint = getattr(games, "fingerprint", "")
    warnings = [*lexicon.warnings, *getattr(oracle, "warnings", ())]
    if ties := sum(one.ties for one in given):
        warnings.append(f"The oracle had {counted(ties, 'tie')} between answers; each took the first of yes, no, n/a.")
    return Run(
        exam="questions",
        part=PART,
        options=asdict(options),
        items=items,
        measures=estimate(items, _measures(items), seed=options.seed, clusters="image_id"),
        signature=Signature(
            version=__version__,
            data=dict(data or {}) | words | ({"games": fingerprint} if fingerprint else {}),
            seed=options.seed,
            options={"lexicon": lexicon.name, "clusters": "image_id"},
        ),
        fingerprints=dict(data or {}) | words | {"games": fingerprint, "oracle": oracle.identity},
        warnings=tuple(warnings),
    )


def _of_target(game: Game | TwentyQuestionsGame) -> Game:
    if isinstance(game, TwentyQuestionsGame):
        raise UsageError("games of 20 questions do not hold the answers that were given; nothing can be right or wrong")
    target = next(one for one in game.objects if one.id == game.target_id)
    return msgspec.structs.replace(game, objects=(target,), guess_object_id=None)


def _items(games: Sequence[Game], given: Sequence[npt.NDArray[np.int8]], lexicon: Lexicon) -> "pl.DataFrame":
    """One row a question; a column a type."""
    import polars as pl

    rows = [
        (game.id, game.image.id, turn, qa.question, game.objects[0].category, qa.answer, ANSWERS[code])
        for game, codes in zip(games, given, strict=True)
        for turn, (qa, code) in enumerate(zip(game.qas, codes.tolist(), strict=True), start=1)
    ]
    names = ("game_id", "image_id", "turn", "question", "category", "answer", "oracle_answer")
    items = pl.DataFrame(rows, schema=names, orient="row")
    kinds = {text: kinds_of(text, lexicon) for text in items["question"].unique().to_list()}
    found = [kinds[text] for text in items["question"].to_list()]
    return items.with_columns(
        right=pl.col("answer") == pl.col("oracle_answer"),
        answerable=pl.col("answer") != "n/a",
        **{kind: pl.Series([kind in one for one in found], dtype=pl.Boolean) for kind in (*KINDS, ORDER)},
    )


def _measures(items: "pl.DataFrame") -> list[Measure]:
    longest: Any = items["turn"].max()
    return [
        ACCURACY,
        ACCURACY.variant(":answerable", where=("answerable", True)),
        *(replace(ACCURACY, name=f"accuracy[{kind}]", where=(kind, True)) for kind in (*KINDS, ORDER)),
        *(
            replace(ACCURACY, name=f"accuracy@{turn}", where=("turn", turn))
            for turn in range(1, min(longest, TURNS) + 1)
        ),
        *(_confusion(recorded, said) for recorded in ANSWERS for said in ANSWERS),
    ]


def _confusion(recorded: str, said: str) -> Measure:
    def both(answer: npt.NDArray[np.str_], oracle_answer: npt.NDArray[np.str_]) -> FloatArray:
        return np.asarray((answer == recorded) & (oracle_answer == said), dtype=np.float64)

    return Measure(
        f"confusion[{recorded} as {said}]",
        both,
        mean,
        "neither",
        description=f"share of questions with the recorded answer {recorded} to which the oracle says {said}",
    )

"""How right oracles are: how often one gives the answer that was recorded, and several the one that people gave.

    accuracy                = share of questions where A(q, target) is the recorded answer
    accuracy:answerable     = the same over the questions whose recorded answer is yes or no
    accuracy[color]         = the same over the questions of this type; a question may be of several
    accuracy[order]         = the same over questions of order, which are of location too
    accuracy@t              = the same over the questions asked at turn t, from 1
    confusion[yes as no]    = share of all questions with the recorded answer yes to which the oracle says no

The oracle is asked about the target alone, since only the answer about it was recorded. Questions of all games count,
however the game ended. Intervals draw whole images. (effective-questions, §4.3 and Table 2.)

    agreement[O]              = share of questions where oracle O's answer is the human one
    agreement[O]:answerable   = the same over the questions whose human answer is yes or no
    agreement@t[O]            = the same over the questions asked at turn t, from 1

An oracle that never says n/a is wrong on every question that people answered so; the second measure leaves these out.
Later questions lean more on what was said before, so that agreement falls by turn. Intervals draw whole games.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import present
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import OracleAnswers
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.lazy import pl
from voirdire.metrics.accuracy import ACCURACY
from voirdire.metrics.measure import Measure, mean
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import EXAM, AgreementOptions, OracleAccuracyOptions
from voirdire.questions.games import GamesFile, ObjectLists, limited, with_lists
from voirdire.questions.kinds import KINDS, ORDER, Lexicon, kinds_of, own_lexicon
from voirdire.questions.oracles import Oracle, make_oracle
from voirdire.runs import Run, estimate
from voirdire.runs.limit import draw
from voirdire.runs.view import View
from voirdire.stats.aggregate import FloatArray

TURNS = 10
"""Turns for which accuracy is given; the items have all."""
AGREEMENT_TURNS = 5
"""The same for agreement."""

ANSWERABLE = "answerable"

RIGHT = ACCURACY.named(
    "accuracy",
    description="share of questions to which the oracle gives the answer that was recorded",
    citation="effective-questions, §4.3",
    leads=1,
)
CONFUSION = Measure.figure(
    "confusion", "neither", description="share of questions with one recorded answer to which the oracle says another"
)
AGREEMENT = ACCURACY.named(
    "agreement", description="share of questions to which the oracle gives the human answer", leads=1
)
ACCURACY_MEASURES = (RIGHT, CONFUSION)
AGREEMENT_MEASURES = (AGREEMENT,)


def check_oracle(given: Mapping[str, object], options: OracleAccuracyOptions) -> None:
    """Refuse a call with nobody to ask, or that gives answers and somebody to ask."""
    if "answers" in given and {"games", "oracle", "coco", "originals"} & given.keys():
        raise UsageError("`answers` goes alone: it holds the oracles' answers and the human ones")
    if "answers" not in given and not {"games", "oracle"} <= given.keys():
        raise UsageError("give `games` and `oracle`, or a table of oracles' answers (`answers`)")


def score_oracle(
    games: GamesFile | Sequence[Game] | Sequence[TwentyQuestionsGame] | None = None,
    oracle: str | Oracle | None = None,
    answers: OracleAnswers | None = None,
    coco: ObjectLists | None = None,
    originals: ObjectLists | None = None,
    options: OracleAccuracyOptions | None = None,
    *,
    lexicon: Lexicon | None = None,
    stages: Stages = UNSEEN,
) -> Run:
    """The accuracy of an oracle on the questions of games; or, of a table of answers, see `score_agreement`.

    oracle           who answers, or its name
    coco, originals  lists of objects, for games of a file that lack them
    lexicon          which words make a question one of a type; ours, unless another one is given
    """
    options, lexicon = options or OracleAccuracyOptions(), lexicon or own_lexicon()
    check_oracle(present(games=games, oracle=oracle, answers=answers, coco=coco, originals=originals), options)
    if answers is not None:
        return score_agreement(answers, AgreementOptions(options.seed, limit=options.limit), stages)
    assert games is not None
    assert oracle is not None
    played, drawn = limited(with_lists(games, coco, originals, stages), options)
    alone = [_of_target(game) for game in played.games]
    if not any(game.qas for game in alone):
        raise InputError("games", [Problem("", "qas", "no question in any game", "at least one")])
    chosen = make_oracle(oracle) if isinstance(oracle, str) else oracle
    given = chosen.answer(alone, stages("ask the oracle", "games"))
    items = _items(alone, [of_game.answers[:, 0] for of_game in given], lexicon)
    data = {**played.data, "lexicon": lexicon.fingerprint}
    fingerprint = played.games.fingerprint
    warnings = [*played.warnings, *lexicon.warnings, *getattr(chosen, "warnings", ())]
    if ties := sum(of_game.ties for of_game in given):
        warnings.append(f"The oracle had {counted(ties, 'tie')} between answers; each took the first of yes, no, n/a.")
    run = EXAM.run(
        "oracle-accuracy",
        options,
        items,
        estimate(items, _measures(items), seed=options.seed, clusters="image_id"),
        data | ({"games": fingerprint} if fingerprint else {}),
        outputs={"games": fingerprint, "oracle": chosen.identity},
        changing={"lexicon": lexicon.name, "clusters": "image_id"},
        warnings=warnings,
    )
    return drawn.sign(run)


def _of_target(game: Game | TwentyQuestionsGame) -> Game:
    if isinstance(game, TwentyQuestionsGame):
        raise UsageError("games of 20 questions do not hold the answers that were given; nothing can be right or wrong")
    return msgspec.structs.replace(game, objects=(game.target,), guess_object_id=None)


def _items(games: Sequence[Game], given: Sequence[npt.NDArray[np.int8]], lexicon: Lexicon) -> "pl.DataFrame":
    """One row per question; one column per type."""
    rows = [
        (game.id, game.image.id, turn, qa.question, game.objects[0].category, qa.answer, ANSWERS[code])
        for game, codes in zip(games, given, strict=True)
        for turn, (qa, code) in enumerate(zip(game.qas, codes.tolist(), strict=True), start=1)
    ]
    names = ("game_id", "image_id", "turn", "question", "category", "answer", "oracle_answer")
    items = pl.DataFrame(rows, schema=names, orient="row")
    kinds = {text: kinds_of(text, lexicon) for text in items["question"].unique().to_list()}
    of_questions = [kinds[text] for text in items["question"].to_list()]
    return items.with_columns(
        right=pl.col("answer") == pl.col("oracle_answer"),
        answerable=pl.col("answer") != "n/a",
        **{kind: pl.Series([kind in types for types in of_questions], dtype=pl.Boolean) for kind in (*KINDS, ORDER)},
    )


def _measures(items: "pl.DataFrame") -> list[Measure]:
    longest: Any = items["turn"].max()
    return [
        RIGHT,
        RIGHT.under(ANSWERABLE, where=(ANSWERABLE, True)),
        *(RIGHT.slice(kind, True, kind) for kind in (*KINDS, ORDER)),
        *(RIGHT.at(turn, where=("turn", turn)) for turn in range(1, min(longest, TURNS) + 1)),
        *(_confusion(recorded, given) for recorded in ANSWERS for given in ANSWERS),
    ]


def _confusion(recorded: str, given: str) -> Measure:
    def both(answer: npt.NDArray[np.str_], oracle_answer: npt.NDArray[np.str_]) -> FloatArray:
        return np.asarray((answer == recorded) & (oracle_answer == given), dtype=np.float64)

    return Measure(
        CONFUSION.key.on(f"{recorded} as {given}"),
        both,
        mean,
        "neither",
        description=f"share of questions with the recorded answer {recorded} to which the oracle says {given}",
    )


def score_agreement(answers: OracleAnswers, options: AgreementOptions | None = None, stages: Stages = UNSEEN) -> Run:
    """The agreement of every oracle of a table with the human answers."""
    options = options or AgreementOptions()
    if not len(answers) or not answers.oracles:
        missing = "no question" if not len(answers) else "no oracle"
        raise InputError("oracles' answers", [Problem("", "", missing, "at least one")])
    drawn = draw(answers.game_ids, options, "game")
    answers = answers.only(np.flatnonzero(drawn.keeps(answers.game_ids)))
    items = _agreement_items(answers)
    measures = [measure for oracle in answers.oracles for measure in _agreement(oracle, answers.positions)]
    data = {"answers": answers.fingerprint}
    figures = estimate(items, measures, seed=options.seed, clusters="game_id")
    return drawn.sign(EXAM.run("agreement", options, items, figures, data, changing={"clusters": "game_id"}))


def agreement_views(items: "pl.DataFrame", options: AgreementOptions) -> tuple[View, ...]:
    """How often each oracle says what people said."""
    oracles = [name.removeprefix("right:") for name in items.columns if name.startswith("right:")]
    measures = tuple(replace(AGREEMENT, key=AGREEMENT.key.on(name), of=(f"right:{name}",)) for name in oracles)
    return (View(items, measures, ("game_id", "turn"), "question", "game_id"),)


def _agreement_items(answers: OracleAnswers) -> "pl.DataFrame":
    words = np.array(ANSWERS)
    right = answers.answers == answers.human[:, None]
    return pl.DataFrame(
        {
            "game_id": answers.game_ids,
            "turn": answers.positions + 1,
            "question_id": answers.question_ids,
            "human": words[answers.human],
            ANSWERABLE: answers.human != ANSWERS.index("n/a"),
            **{f"right:{name}": right[:, place] for place, name in enumerate(answers.oracles)},
        }
    )


def _agreement(oracle: str, positions: npt.NDArray[np.int64]) -> Sequence[Measure]:
    whole = replace(AGREEMENT, key=AGREEMENT.key.on(oracle), of=(f"right:{oracle}",))
    turns = min(AGREEMENT_TURNS, int(positions.max()) + 1)
    return [
        whole,
        whole.under(ANSWERABLE, where=(ANSWERABLE, True)),
        *(whole.at(turn, where=("turn", turn)) for turn in range(1, turns + 1)),
    ]

"""Oracles: who says what the answer to a question would be, were the target another object.

    A(q, o) ∈ {yes, no, n/a}   for every question q and every object o of the game

table:FILE   answers from a file, JSON lines (`formats.object_answers`), made by whatever answered elsewhere
model:FILE   an oracle that `voirdire questions train-oracle` trained; `model:FILE,CROPS` where it needs crops
scenes:FILE  the truth of a made-up world

Other packages add theirs, a vision-language model for one, through the entry-point group `voirdire.oracles`: a function
of the text after the colon (None where there is none) that gives an `Oracle`. An oracle is given whole games, many at
once, so that it can make batches of its own. One that knows some games only has their ids as `game_ids`; it is not
asked about others, which are left aside and counted. Where it chooses by the highest score, a tie takes the first
class, in the order yes, no, n/a, and is counted.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

import numpy as np

from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Answer, Game
from voirdire.formats.oracle_answers import ObjectAnswers, read_object_answers
from voirdire.formats.record import Rows
from voirdire.formats.strict import Problems
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.options import SampleOptions
from voirdire.progress import Progress, silent
from voirdire.providers import Registry
from voirdire.questions.reference_sets import cut
from voirdire.runs.view import Coverage, cover

if TYPE_CHECKING:
    from voirdire.live.interview import Interview
    from voirdire.live.model import Asking, PointTask, Reply
    from voirdire.live.scripts import Script

CODES = {answer: code for code, answer in enumerate(ANSWERS)}
EVERY = 1000
"""Games between two reports."""


class Oracle(Protocol):
    """One oracle.

    identity  what its answers depend on, for signatures: its kind and the fingerprint of its file
    """

    @property
    def identity(self) -> str: ...
    def answer(self, games: Sequence[Game], progress: Progress = silent, /) -> list[ObjectAnswers]:
        """The answers of every game, in the order of `games`; `progress` counts games."""
        ...


ORACLES: Registry[Oracle] = Registry("oracle", "voirdire.oracles")


def make_oracle(spec: str) -> Oracle:
    """The oracle that `spec` names, as `name:argument`."""
    return ORACLES.make(spec)


@ORACLES.register("model")
def _model(argument: str | None) -> Oracle:
    from voirdire.questions.trained_oracle.model_oracle import ModelOracle

    return ModelOracle.from_spec(argument)


@ORACLES.register("table")
class TableOracle:
    """The answers of a file.

    It must have a line for every question of the games that it has, and in it an answer for every object. It may be a
    sample of the games, and it may have more: questions beyond those of a game, other objects and other games are
    passed over.
    """

    def __init__(self, path: str | None) -> None:
        if not path:
            raise UsageError("`oracle` table: needs a file of answers after its name, as in table:answers.jsonl")
        rows = read_object_answers(path)
        self.name = f"table:{path}"
        self.identity = f"table {rows.fingerprint}"
        self._path = path
        self._rows: dict[tuple[int, int], dict[int, Answer]] = {(r.game_id, r.question): r.answers for r in rows}
        self.game_ids = frozenset(row.game_id for row in rows)

    def answer(self, games: Sequence[Game], progress: Progress = silent) -> list[ObjectAnswers]:
        """The file's answers for these games; what is missing there is an error that lists it."""
        problems = Problems(self._path)
        records = []
        for number, game in enumerate(games, start=1):
            records.append(self._game(game, problems))
            if number % EVERY == 0 or number == len(games):
                progress(number, len(games))
        problems.check()
        return records

    def _game(self, game: Game, problems: Problems) -> ObjectAnswers:
        ids = [candidate.id for candidate in game.objects]
        codes = np.zeros((len(game.qas), len(ids)), dtype=np.int8)
        for place in range(len(game.qas)):
            answers = self._rows.get((game.id, place))
            where = f"game {game.id}, question {place}"
            if answers is None:
                problems.add(where, "", "no line", f"answers for its {counted(len(ids), 'object')}")
                continue
            if missing := [id_ for id_ in ids if id_ not in answers]:
                problems.add(where, "answers", f"no answer for object {missing[0]}", "one for every object of the game")
                continue
            codes[place] = [CODES[answers[id_]] for id_ in ids]
        return ObjectAnswers(game.id, codes)


@dataclass(frozen=True, eq=False)
class Asked:
    """Games and the answers about their objects; games of 20 questions carry these, so that `answers` is None.

    oracle    its identity
    warnings  what it had to say of the games, such as questions that it could not read
    coverage  how many of the games it knows; None where it can be asked about any
    """

    games: Rows[Game] | Rows[TwentyQuestionsGame]
    answers: Sequence[ObjectAnswers] | None
    oracle: str
    warnings: tuple[str, ...] = ()
    coverage: Coverage | None = None


def ask(
    games: Rows[Game] | Rows[TwentyQuestionsGame],
    oracle: str | Oracle | None,
    max_questions: int | None = None,
    progress: Progress = silent,
    options: SampleOptions | None = None,
) -> Asked:
    """Ask an oracle, given as one or by its name, about the first questions of every game that it knows."""
    if games and isinstance(games[0], TwentyQuestionsGame):
        if oracle is not None:
            raise UsageError("games of 20 questions carry the answers about every candidate; leave `oracle` out")
        return Asked(cut(cast("Rows[TwentyQuestionsGame]", games), max_questions), None, "")
    if oracle is None:
        names = ", ".join(ORACLES.names())
        raise UsageError(f"`oracle` is needed, to know the answer about every object; there are: {names}")
    short = cut(cast("Rows[Game]", games), max_questions)
    chosen = make_oracle(oracle) if isinstance(oracle, str) else oracle
    known: Collection[int] | None = getattr(chosen, "game_ids", None)
    coverage: Coverage | None = None
    warnings: tuple[str, ...] = ()
    if known is not None:
        short, coverage, warnings = _known(short, known, options or SampleOptions())
    answers = chosen.answer(short, progress)
    return Asked(short, answers, chosen.identity, (*warnings, *getattr(chosen, "warnings", ())), coverage)


def _known(
    games: Rows[Game], known: Collection[int], options: SampleOptions
) -> tuple[Rows[Game], Coverage, tuple[str, ...]]:
    """The games that an oracle knows; of a game without questions it need not know anything."""
    kept = tuple(game for game in games if game.id in known or not game.qas)
    unknown = [game.id for game in games if game.id not in known and game.qas]
    nothing = not any(game.qas for game in kept) and bool(unknown)
    coverage, warnings = cover(
        "game",
        ("answers of the oracle", "games played"),
        len(known) if nothing else len(kept),
        sorted(known) if nothing else [],
        unknown,
        lambda id_: f"game {id_}",
        strict=options.strict,
        hint="They may be of another split, or have other ids.",
        of_model=False,
    )
    return replace(games, rows=kept), coverage, warnings


class ReadAnswer(NamedTuple):
    """One answer: None where none could be read; and whether there was a reply at all."""

    answer: Answer | None
    replied: bool = True


def read_answer(reply: "Reply") -> Answer | None:
    """Yes, no or n/a; None where nothing of that can be read."""
    return next((answer for answer in ANSWERS if answer == reply.value), None)


def ask_answers(tasks: "Sequence[PointTask]", spec: str, interview: "Interview") -> list[ReadAnswer]:
    """The answers to all tasks, of the model that `spec` names, or of the live model itself where it is empty."""

    def script(task: "PointTask") -> "Script[ReadAnswer]":
        async def ask_one(ask: "Asking") -> ReadAnswer:
            reply = await ask(task, spec)
            return ReadAnswer(read_answer(reply), reply.kept)

        return ask_one

    return interview.ask_all([script(task) for task in tasks], unit="answers")

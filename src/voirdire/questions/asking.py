"""An oracle's answers about every object of games that were read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.questions.dialogues import cut
from voirdire.questions.oracles import ORACLES, make_oracle
from voirdire.reports import Report, silent

__all__ = ["Asked", "ask", "ask_one"]


@dataclass(frozen=True, eq=False)
class Asked:
    """Games and the answers about their objects; games of 20 questions carry these, so that `answers` is None.

    oracle    its identity
    warnings  what it had to say of the games, such as questions that it could not read
    """

    games: Rows[Game] | Rows[TwentyQuestionsGame]
    answers: Sequence[ObjectAnswers] | None
    oracle: str
    warnings: tuple[str, ...] = ()


def ask(
    games: Rows[Game] | Rows[TwentyQuestionsGame],
    oracle: str | None,
    max_questions: int | None = None,
    report: Report = silent,
) -> Asked:
    """Ask the oracle of this name about the first questions of every game."""
    if games and isinstance(games[0], TwentyQuestionsGame):
        if oracle is not None:
            raise UsageError("games of 20 questions carry the answers about every candidate; leave --oracle out")
        return Asked(cut(cast("Rows[TwentyQuestionsGame]", games), max_questions), None, "")
    if oracle is None:
        names = ", ".join(ORACLES.names())
        raise UsageError(f"--oracle is needed, to know the answer about every object; there are: {names}")
    short = cut(cast("Rows[Game]", games), max_questions)
    chosen = make_oracle(oracle)
    answers = chosen.answer(short, report)
    return Asked(short, answers, chosen.identity, tuple(getattr(chosen, "warnings", ())))


def ask_one(game: Game | TwentyQuestionsGame, oracle: str | None, max_questions: int | None = None) -> Asked:
    """The same for one game."""
    return ask(cast("Rows[Game]", Rows((game,))), oracle, max_questions)

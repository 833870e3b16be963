"""An oracle whose answers come from a file, made by whatever answered elsewhere: `table:FILE`.

The file must have a line for every question of the games that are asked about, and in it an answer for every object.
It may have more: questions beyond those of a game, other objects and other games are passed over.
"""

from collections.abc import Sequence

import numpy as np

from voirdire.errors import UsageError
from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Answer, Game
from voirdire.formats.oracle_answers import ObjectAnswers, read_object_answers
from voirdire.formats.strict import Problems
from voirdire.reports import Report, silent

__all__ = ["TableOracle"]

CODES = {answer: code for code, answer in enumerate(ANSWERS)}
EVERY = 1000
"""Games between two reports."""


class TableOracle:
    """The answers of a file."""

    def __init__(self, path: str | None) -> None:
        if not path:
            raise UsageError("oracle 'table' needs a file of answers after its name, as in table:answers.jsonl")
        rows = read_object_answers(path)
        self.name = f"table:{path}"
        self.identity = f"table {rows.fingerprint}"
        self._path = path
        self._rows: dict[tuple[int, int], dict[int, Answer]] = {(r.game_id, r.question): r.answers for r in rows}

    def answer(self, games: Sequence[Game], report: Report = silent) -> list[ObjectAnswers]:
        """The file's answers for these games; what is missing there is an error that lists it."""
        problems = Problems(self._path)
        found = []
        for number, game in enumerate(games, start=1):
            found.append(self._game(game, problems))
            if number % EVERY == 0 or number == len(games):
                report(number, len(games))
        problems.check()
        return found

    def _game(self, game: Game, problems: Problems) -> ObjectAnswers:
        ids = [one.id for one in game.objects]
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

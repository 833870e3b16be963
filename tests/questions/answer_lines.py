"""An oracle's answers as the lines of a file."""

from collections.abc import Iterator

from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import ObjectAnswers, QuestionAnswers


def lines_of(game: Game, given: ObjectAnswers) -> Iterator[QuestionAnswers]:
    """The lines of one game's answers."""
    ids = [item.id for item in game.objects]
    for place, codes in enumerate(given.answers.tolist()):
        answers = {id_: ANSWERS[code] for id_, code in zip(ids, codes, strict=True)}
        yield QuestionAnswers(game.id, place, answers)

"""A model as an oracle: what it says to each question about each object, as a table that `table:FILE` reads.

    requests = Σ over games of questions × objects, each distinct (picture, question, object) once

A reply in which neither yes, no nor n/a can be read counts as n/a and is told of: the model did not say that the
question is true or false of the object. A game with a question to which the endpoint gave no reply at all is left out
of the table, so that `score` leaves it aside and counts it, and the next call asks again.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS, Answer, Game
from voirdire.formats.oracle_answers import QuestionAnswers, write_object_answers
from voirdire.live.model import BoxedObject, PointTask, Reply, Seen
from voirdire.live.pictures import marked

if TYPE_CHECKING:
    from voirdire.live.hold import Asking, Script
    from voirdire.live.interview import Interview


class Said(NamedTuple):
    """What was said of one thing: the answer, None where none could be read; whether there was a reply at all."""

    answer: Answer | None
    replied: bool = True


def read_answer(reply: Reply) -> Answer | None:
    """Yes, no or n/a; None where nothing of that can be read."""
    return next((answer for answer in ANSWERS if answer == reply.value), None)


def things_of(game: Game) -> tuple[BoxedObject, ...]:
    """The objects of a game with their boxes in shares of the picture."""
    width, height = game.image.width, game.image.height
    return tuple(
        BoxedObject(one.category, (x / width, y / height, wide / width, high / height), one.id)
        for one in game.objects
        for x, y, wide, high in (one.bbox,)
    )


def hear_answers(tasks: Sequence[PointTask], spec: str, interview: "Interview") -> list[Said]:
    """What the one named by `spec`, or the model that is asked, says to each, in order."""

    def script(task: PointTask) -> "Script[Said]":
        async def ask_one(ask: "Asking") -> Said:
            reply = await ask(task, spec)
            return Said(read_answer(reply), reply.kept)

        return ask_one

    return interview.hear([script(task) for task in tasks], unit="answers")


def answer_objects(games: Sequence[Game], spec: str, drawn: bool, interview: "Interview", path: Path) -> None:
    """Ask about every object of every game and write the table.

    spec   who answers; empty for the model on the interview
    drawn  whether an object is shown by its box in the picture, and not told by coordinates
    """
    places: dict[tuple[int, str, BoxedObject], int] = {}
    tasks: list[PointTask] = []
    seen: dict[int, Seen] = {}
    for game in games:
        plain = seen.setdefault(game.image.id, interview.seen(game.image.id))
        things = things_of(game)
        for question in dict.fromkeys(qa.question for qa in game.qas):
            for thing in things:
                if (key := (game.image.id, question, thing)) not in places:
                    places[key] = len(tasks)
                    tasks.append(PointTask(marked(plain, [thing.box]) if drawn else plain, question, thing))
    questions = sum(len(game.qas) for game in games)
    interview.stages.say(
        f"an answer for every object: {counted(questions, 'question')} of {counted(len(games), 'game')}, "
        f"{counted(len(tasks), 'request')} (questions × objects)"
    )
    heard = hear_answers(tasks, spec, interview)
    if interview.dry:
        return
    rows: list[QuestionAnswers] = []
    left = unread = 0
    for game in games:
        said = [[heard[places[game.image.id, qa.question, thing]] for thing in things_of(game)] for qa in game.qas]
        if not all(one.replied for row in said for one in row):
            left += 1
            continue
        unread += sum(one.answer is None for row in said for one in row)
        for place, row in enumerate(said):
            answers = {thing.id: one.answer or "n/a" for thing, one in zip(game.objects, row, strict=True)}
            rows.append(QuestionAnswers(game.id, place, answers))
    write_object_answers(rows, path)
    interview.notes.append(
        f"{spec or interview.model.name} answered {counted(questions, 'question')} for every object."
    )
    if unread:
        interview.notes.append(f"{counted(unread, 'answer')} about objects that could not be read: n/a stands there.")
    if left:
        interview.notes.append(f"{counted(left, 'game')} without a reply to some question: not in the oracle's table.")

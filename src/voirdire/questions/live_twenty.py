"""Twenty questions without a picture: a model asks about a hidden thing of a list of words, another answers.

    won at turn t   question t names the target and no other candidate, and the answer is yes
    lost            after `max_questions` questions (20 unless given), or where the questioner gives up

Afterwards the one who answered is asked each question about every other candidate, since `score` needs the answer that
each would get. A turn in which no question can be read is spent; an answer that cannot be read is n/a. Written is the
layout that carries these answers (`twenty_questions`), so that such games need no oracle. The questions of the file may
be put to a model, too: then the questioner is `recorded`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from voirdire.figures import counted
from voirdire.formats.guesswhat import ANSWERS
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsDialogue, TwentyQuestionsGame, write_twenty_questions
from voirdire.live.model import AskTask, PointTask, VisualInput
from voirdire.questions.exam import AskGamesOptions
from voirdire.questions.games import names_alone
from voirdire.questions.oracles import ask_answers, read_answer

if TYPE_CHECKING:
    from voirdire.live.interview import Interview
    from voirdire.live.model import Asking
    from voirdire.live.scripts import Script

QUESTIONS, RECORDED = 20, "recorded"
NOWHERE = VisualInput(0)
"""There is no picture."""


class _PlayedGame(NamedTuple):
    """What was asked in a game, the question that won it, from 1, and how many turns were lost."""

    questions: tuple[str, ...]
    win_turn: int | None
    lost: int


def unanswered(dialogues: Rows[TwentyQuestionsDialogue]) -> Rows[TwentyQuestionsGame]:
    """The lists, targets and questions of dialogues, as games in which nobody has answered yet."""
    games = []
    for dialogue in dialogues:
        questions, nothing = tuple(question for question, _ in dialogue.turns), np.zeros((0, 0), np.int8)
        games.append(TwentyQuestionsGame(dialogue.id, dialogue.candidates, dialogue.target, questions, nothing))
    return Rows(tuple(games), fingerprint=dialogues.fingerprint)


def play_twenty(
    games: Sequence[TwentyQuestionsGame],
    seats: tuple[str, str],
    options: AskGamesOptions,
    interview: "Interview",
    path: Path,
) -> None:
    """Play the games and write them to `path`. `seats` are who asks and who answers."""
    questioner, oracle = seats
    played_games = interview.ask_all(
        [_script(game, questioner, oracle, options, interview) for game in games], unit="games"
    )
    pairs = {
        (word, question): None
        for game, played in zip(games, played_games, strict=True)
        for question in played.questions
        for word in game.candidates
    }
    interview.stages.say(f"an answer for every candidate: {counted(len(pairs), 'request')} (questions × candidates)")
    tasks = [PointTask(NOWHERE, question, word) for word, question in pairs]
    answer_of = dict(zip(pairs, ask_answers(tasks, oracle, interview), strict=True))
    if interview.dry:
        return
    done = []
    unread = 0
    for game, played in zip(games, played_games, strict=True):
        rows = [[answer_of[word, question].answer for word in game.candidates] for question in played.questions]
        unread += sum(answer is None for row in rows for answer in row)
        codes = np.array([[ANSWERS.index(answer or "n/a") for answer in row] for row in rows], np.int8)
        done.append(
            TwentyQuestionsGame(
                game.id,
                game.candidates,
                game.target,
                played.questions,
                codes.reshape(len(played.questions), len(game.candidates)),
                status="failure" if played.win_turn is None else "success",
                win_turn=played.win_turn,
            )
        )
    write_twenty_questions(done, path)
    interview.notes += _summary(
        done, played_games, unread, (questioner or interview.model.name, oracle or interview.model.name)
    )


def _summary(
    done: Sequence[TwentyQuestionsGame], played_games: Sequence[_PlayedGame], unread: int, who: tuple[str, str]
) -> list[str]:
    asked, won = sum(len(game.questions) for game in done), sum(game.status == "success" for game in done)
    lines = [
        f"{who[0]} asked {counted(asked, 'question')} in {counted(len(done), 'game')}, {who[1]} answered; "
        f"{counted(won, 'target was', 'targets were')} named."
    ]
    if lost := sum(played.lost for played in played_games):
        lines.append(f"{counted(lost, 'turn')} without a question that could be read: spent.")
    if unread:
        lines.append(f"{counted(unread, 'answer')} about candidates that could not be read: n/a is recorded.")
    return lines


async def next_question(
    ask: "Asking", task: AskTask, questioner: str, recorded: Sequence[str], turn: int, dry: bool
) -> str | None:
    """The next question: empty where there is none any more, None where none can be read.

    recorded  that of the game's own dialogue at this turn, if there is one
    """
    if questioner == RECORDED:
        return recorded[0] if recorded else ""
    reply = await ask(task, questioner)
    if dry:
        return f"question {turn + 1}?"
    return reply.value if isinstance(reply.value, str) else None


def _script(
    game: TwentyQuestionsGame, questioner: str, oracle: str, options: AskGamesOptions, interview: "Interview"
) -> "Script[_PlayedGame]":
    limit = options.max_questions or (len(game.questions) if questioner == RECORDED else QUESTIONS)

    async def play(ask: "Asking") -> _PlayedGame:
        rounds: tuple[tuple[str, str], ...] = ()
        lost = 0
        for turn in range(limit):
            task = AskTask(NOWHERE, rounds, limit - turn, game.candidates, game.id, options.may_stop)
            question = await next_question(ask, task, questioner, game.questions[turn : turn + 1], turn, interview.dry)
            if question == "":
                break
            if question is None:
                lost += 1
                continue
            answer = read_answer(await ask(PointTask(NOWHERE, question, game.target), oracle)) or "n/a"
            rounds = (*rounds, (question, answer))
            if answer == "yes" and names_alone(question, game.target, game.candidates):
                return _PlayedGame(tuple(question for question, _ in rounds), len(rounds), lost)
        return _PlayedGame(tuple(question for question, _ in rounds), None, lost)

    return play

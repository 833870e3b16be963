"""One game, question by question: the answer, who is left, whether the question was effective, what it refers to."""

import shutil
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from voirdire.drawings import check_drawing
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome, present
from voirdire.figures import counted
from voirdire.formats.coco import Box
from voirdire.formats.guesswhat import ANSWERS, Game
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.record import Rows
from voirdire.formats.twenty_questions import TwentyQuestionsGame
from voirdire.progress import UNSEEN, Stages
from voirdire.questions.exam import ShowGamesOptions
from voirdire.questions.games import GamesFile, ObjectLists, with_lists
from voirdire.questions.oracles import Oracle, ask
from voirdire.questions.reference_sets import AnsweredGame, Turn, answered_games, members

TURN = ("turn", "question", "answer", "distractors", "effective", "refers to")
NARROWEST = 16
"""The fewest characters in which a question is set, however narrow the terminal."""


def decisive(oracle: str, given: str | None, recorded: bool) -> str:
    """The answer that decides who stays, the oracle's or the recorded one; where they differ, both."""
    if given is None or given == oracle:
        return oracle
    return f"{given} (oracle: {oracle})" if recorded else f"{oracle} (recorded: {given})"


@dataclass(frozen=True, eq=False)
class Story:
    """A game and what became of its candidates.

    labels     how each candidate is called: its category and id, or its name
    boxes      where they are; None for 20 questions
    size       of the image, width and height; None for 20 questions
    file_name  of the image, where the game says it
    guess      what was guessed, by its label; None where the game does not say
    recorded   whether the dialogue's own answers decide who stays
    """

    game: AnsweredGame
    turns: tuple[Turn, ...]
    labels: tuple[str, ...]
    boxes: tuple[Box, ...] | None = None
    size: tuple[int, int] | None = None
    file_name: str | None = None
    guess: str | None = None
    recorded: bool = False

    def answer(self, turn: int) -> str:
        """What decided turn `turn`, from 0; where the dialogue has another answer than the oracle, both."""
        game = self.game
        given = None if game.recorded is None else ANSWERS[game.recorded[turn]]
        return decisive(game.vocabulary[game.answers[turn, game.target]], given, self.recorded)

    def refers_to(self, turn: int) -> str:
        """What question `turn` refers to, by its label; a dash where it is nothing."""
        place = self.turns[turn].refers_to
        if place is None:
            return "–"
        return "the target" if place == self.game.target else self.labels[place]

    def left(self, turn: int) -> list[str]:
        """Who is left after question `turn`, the target with a star."""
        mine = self.game.target
        return [self.labels[place] + ("*" if place == mine else "") for place in members(self.turns[turn].left)]

    def head(self) -> list[str]:
        """What the game is about, for a person."""
        game = self.game
        about = [f"game {game.game_id}"]
        if game.image_id is not None:
            about.append(f"image {game.image_id}" + (f", {self.file_name}" if self.file_name else ""))
        about.append(counted(len(self.labels), "object" if self.boxes else "candidate"))
        outcome = [f"target: {self.labels[game.target]}"]
        outcome += [f"guess: {self.guess}"] if self.guess is not None else []
        outcome += [game.status] if game.status else []
        return [", ".join(about), ", ".join(outcome)]

    def lines(self, width: int = 100) -> list[str]:
        """The whole story as a table for a terminal of this width; the question's column takes what it can."""
        rows = [list(TURN), *(self._row(turn) for turn in range(len(self.turns)))]
        widths = [max(len(row[column]) for row in rows) for column in range(len(TURN))]
        beside = sum(widths) - widths[1] + 2 * len(widths)
        widths[1] = min(widths[1], max(NARROWEST, width - beside))
        margin = " " * (widths[0] + 2)
        lines = [*self.head(), *_listed("candidates: ", self.labels, "", width), ""]
        for number, row in enumerate(rows):
            lines += _columns(row, widths)
            if number:
                lines += _listed("left: ", self.left(number - 1), margin, width)
        if not self.turns:
            lines.append("It has no question.")
        return lines

    def _row(self, turn: int) -> list[str]:
        ended = self.turns[turn]
        cells = [str(turn + 1), self.game.questions[turn], self.answer(turn), str(ended.distractors)]
        return [*cells, "yes" if ended.effective else "no", self.refers_to(turn)]

    def plain(self) -> dict[str, Any]:
        """The whole story for programs."""
        game = self.game
        turns: list[dict[str, Any]] = [
            {
                "turn": number + 1,
                "question": game.questions[number],
                "answer": None if game.recorded is None else ANSWERS[game.recorded[number]],
                "oracle_answer": game.vocabulary[game.answers[number, game.target]],
                "left": [game.objects[place] for place in members(turn.left)],
                "distractors": turn.distractors,
                "effective": turn.effective,
                "refers_to": None if turn.refers_to is None else game.objects[turn.refers_to],
                "target_left": turn.target_left,
            }
            for number, turn in enumerate(self.turns)
        ]
        return {
            "exam": "questions",
            "game_id": game.game_id,
            "image_id": game.image_id,
            "status": game.status,
            "target": game.objects[game.target],
            "guess": None if self.guess is None else game.objects[self.labels.index(self.guess)],
            "objects": game.objects,
            "turns": turns,
        }


def _listed(title: str, labels: Sequence[str], margin: str, width: int) -> list[str]:
    """Labels one after the other, on as many lines as they need; a label is never torn apart."""
    words = [label.replace(" ", "\0") + ("," if number < len(labels) else "") for number, label in enumerate(labels, 1)]
    text, below = title + (" ".join(words) or "nobody"), margin + " " * len(title)
    lines = textwrap.wrap(
        text, max(NARROWEST, width), initial_indent=margin, subsequent_indent=below, break_long_words=False
    )
    return [line.replace("\0", " ") for line in lines]


def _columns(cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    """One row of the table; a question that is too long runs on below itself."""
    parts = textwrap.wrap(cells[1], widths[1], break_on_hyphens=False) or [""]
    turn, _, answer, left, effective, refers_to = cells
    beside = (answer.ljust(widths[2]), left.rjust(widths[3]), effective.ljust(widths[4]), refers_to)
    rows = [[turn.rjust(widths[0]), parts[0].ljust(widths[1]), *beside]]
    rows += [[" " * widths[0], part] for part in parts[1:]]
    return ["  ".join(row).rstrip() for row in rows]


def find_game(
    games: Sequence[Game] | Sequence[TwentyQuestionsGame], id_: str, name: str = "games"
) -> Game | TwentyQuestionsGame:
    """The game of this id; `name` is what an error calls the games."""
    for game in games:
        if str(game.id) == id_.strip():
            return game
    some = ", ".join(str(game.id) for game in games[:5])
    raise InputError(name, [Problem("", "id", f"no game {id_!r}", f"one of its games, such as {some}")])


def tell_story(
    game: Game | TwentyQuestionsGame,
    answers: Sequence[ObjectAnswers] | None,
    recorded: bool = False,
    keep: bool = False,
) -> Story:
    """The story of one game; `answers` holds its record, or is None for 20 questions.

    keep  whether answers beyond yes, no and n/a exclude nobody
    """
    if isinstance(game, TwentyQuestionsGame):
        (answered,) = answered_games([game], None)
        return Story(answered, tuple(answered.turns(recorded, keep)), game.candidates, recorded=recorded)
    (answered,) = answered_games([game], answers)
    labels = tuple(f"{candidate.category} {candidate.id}" for candidate in game.objects)
    guess = {candidate.id: label for candidate, label in zip(game.objects, labels, strict=True)}
    return Story(
        answered,
        tuple(answered.turns(recorded)),
        labels,
        tuple(candidate.bbox for candidate in game.objects),
        (game.image.width, game.image.height),
        game.image.file_name,
        None if game.guess_object_id is None else guess[game.guess_object_id],
        recorded,
    )


def check_show(given: Mapping[str, object], options: ShowGamesOptions) -> None:
    """Refuse images that would be seen nowhere."""
    if "pictures" in given and "output" not in given:
        raise UsageError("`pictures` needs `output`: images are drawn to a file only")


def show_game(
    games: GamesFile | Sequence[Game] | Sequence[TwentyQuestionsGame],
    oracle: str | Oracle | None = None,
    coco: ObjectLists | None = None,
    originals: ObjectLists | None = None,
    pictures: str | None = None,
    *,
    options: ShowGamesOptions,
    stages: Stages = UNSEEN,
    output: str | None = None,
) -> Outcome:
    """Show one game as a table; drawn to a file, too, where one is named."""
    check_show(present(pictures=pictures, output=output), options)
    if output is not None:
        check_drawing(output)
    played = with_lists(games, coco, originals, stages)
    for warning in played.warnings:
        stages.say(warning)
    game = find_game(played.games, options.game, played.name)
    asked = ask(cast("Rows[Game]", Rows((game,))), oracle, options.max_questions)
    story = tell_story(asked.games[0], asked.answers, options.answers == "recorded", options.other_answers == "keep")
    lines = story.lines(shutil.get_terminal_size((100, 24)).columns)
    if output is not None:
        from voirdire.questions.game_drawing import draw_story

        draw_story(story, output, pictures)
        lines.append(f"drawn: {output}")
    return Outcome(tuple(lines), story.plain())

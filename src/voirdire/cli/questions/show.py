"""`voirdire questions show`: one game, question by question, as a table or as a page with its boxes."""

import shutil
from typing import Annotated

import typer

from voirdire.cli.questions.options import Answers, Coco, Games, MaxQuestions, OracleName, Originals
from voirdire.cli.results import AsJson

__all__ = ["show"]


def show(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's id.")],
    games: Games,
    oracle: OracleName = None,
    coco: Coco = None,
    originals: Originals = None,
    answers: Answers = "oracle",
    max_questions: MaxQuestions = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Draw it, boxes and all: a file in .html, .svg or .png."),
    ] = None,
    pictures: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Where the images are; with -o, drawn below the boxes.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show one game: each question, its answer, who is left, whether it was effective, and what it refers to."""
    from voirdire.drawings import check_drawing
    from voirdire.errors import UsageError
    from voirdire.questions.asking import ask_one
    from voirdire.questions.reading import read_played
    from voirdire.questions.scoring import QuestionsOptions
    from voirdire.questions.show import find_game, tell_story
    from voirdire.questions.story_drawing import draw_story

    options = QuestionsOptions(answers, max_questions)  # type: ignore[arg-type]
    if pictures is not None and output is None:
        raise UsageError("--pictures needs -o: images are drawn to a file only")
    if output is not None:
        check_drawing(output)
    found = find_game(read_played(games, coco, originals).games, game, games)
    one = ask_one(found, oracle, max_questions)
    story = tell_story(one.games[0], one.answers, options.answers == "recorded")
    if output is not None:
        draw_story(story, output, pictures)
    if as_json:
        typer.echo(story.to_json())
        return
    for line in story.lines(shutil.get_terminal_size((100, 24)).columns):
        typer.echo(line)
    if output is not None:
        typer.echo(f"drawn: {output}")

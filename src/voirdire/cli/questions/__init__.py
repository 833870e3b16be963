"""`voirdire questions`: what did each question of a guessing game contribute? One thin file a verb."""

import typer

from voirdire.cli.questions.kinds import kinds
from voirdire.cli.questions.oracle_accuracy import oracle_accuracy
from voirdire.cli.questions.play import play
from voirdire.cli.questions.plot import plot
from voirdire.cli.questions.score import score
from voirdire.cli.questions.show import show
from voirdire.cli.questions.train_oracle import train_oracle

__all__ = ["questions"]

questions = typer.Typer(
    no_args_is_help=True,
    help="Score the questions of guessing games: do they narrow the candidates, and do they refer to the target?",
)


@questions.callback()
def _questions() -> None:
    """Score the questions of guessing games: do they narrow the candidates, and do they refer to the target?"""


questions.command("score")(score)
questions.command("show")(show)
questions.command("plot")(plot)
questions.command("kinds")(kinds)
questions.command("play")(play)
questions.command("train-oracle")(train_oracle)
questions.command("oracle-accuracy")(oracle_accuracy)

"""`voirdire robustness helpful`: main questions with the basic questions that may help."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Seed, check, give
from voirdire.cli.robustness.options import Rankings

__all__ = ["helpful"]


def helpful(
    ranking: Rankings,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="QUESTIONS", help="Where to write: .json or .json.gz.")
    ],
    s1: Annotated[float, typer.Option(help="The first basic question is added where score1 > S1.")] = 0.60,
    s2: Annotated[float, typer.Option(help="The second where, too, score2/score1 > S2.")] = 0.58,
    s3: Annotated[float, typer.Option(help="The third where, too, score3/score2 > S3.")] = 0.41,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
) -> None:
    """Add up to three basic questions where their scores are high enough, and say how the scores lie."""
    from voirdire.errors import UsageError
    from voirdire.robustness.helpful import count_lines, helpful_files
    from voirdire.robustness.ranking.options import HelpfulOptions

    check(as_json, latex)
    if output == "-":
        raise UsageError("--output -: standard output has the table; name a file for the questions")
    run = helpful_files(ranking, output, HelpfulOptions(s1, s2, s3, seed))
    give(run, as_json, latex)
    if not as_json and not latex:
        for line in count_lines(run):
            typer.echo(line)

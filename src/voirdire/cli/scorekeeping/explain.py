"""`voirdire scorekeeping explain`: which rule matches a round, and what it yields."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson
from voirdire.cli.scorekeeping.propositions import Resolver, Tagger

__all__ = ["explain"]


def explain(
    question: Annotated[str, typer.Argument(help="A question, with or without its mark.")],
    answer: Annotated[str, typer.Argument(help="Its answer.")],
    caption: Annotated[str, typer.Option(help="What was said before, for pronouns to stand for.")] = "",
    tagger: Tagger = "hanta",
    resolver: Resolver = "rules",
    as_json: AsJson = False,
) -> None:
    """Say which rule a round matches and what that yields, or why there is nothing."""
    from voirdire.scorekeeping.propositions.deriving import explain_round
    from voirdire.text.coreference import resolver as find_resolver
    from voirdire.text.tagging import tagger as find_tagger

    told = explain_round(caption, question, answer, find_tagger(tagger), find_resolver(resolver))
    typer.echo(told.to_json() if as_json else str(told))

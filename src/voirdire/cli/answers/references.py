"""`voirdire answers references`: which candidates of each round are valid answers."""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.answers.options import CcaFile, Dense, RoundBase, Visdial
from voirdire.cli.results import warn

if TYPE_CHECKING:
    from voirdire.answers.correlations import Projector
    from voirdire.answers.reference_sets import SetOptions

__all__ = ["Clusters", "Encoder", "Pairing", "make_options", "open_projector", "references"]

Pairing = Annotated[
    str, typer.Option(help="What is correlated: gt-others, gt-all, question-gt or question-max.", metavar="NAME")
]
Clusters = Annotated[int, typer.Option(min=2, max=99, help="How many clusters method G makes.")]
Encoder = Annotated[str | None, typer.Option(help="Where the CCA's encoder is now, if it was moved since training.")]


def references(
    visdial: Visdial,
    method: Annotated[str, typer.Option(metavar="H|S|M|G", help="People, or the top cluster of correlations.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write the sets.")],
    dense: Dense = None,
    cca: CcaFile = None,
    pairing: Pairing = "gt-others",
    clusters: Clusters = 5,
    encoder: Encoder = None,
    round_base: RoundBase = None,
) -> None:
    """Make reference sets: H from dense annotations; S, M, G from a CCA, for all rounds or those of --dense."""
    from voirdire.answers.reference_sets import reference_sets
    from voirdire.formats.option_numbers import DENSE
    from voirdire.formats.references import write_references
    from voirdire.formats.rounds import read_with_base
    from voirdire.formats.visdial import read_visdial

    options = make_options(method, pairing, clusters)
    projector = None if cca is None or method == "H" else open_projector(cca, encoder)
    annotations = None if dense is None else read_with_base(dense, DENSE, round_base)
    sets, warnings = reference_sets(read_visdial(visdial), options, projector, annotations)
    write_references(sets, output)
    warn(warnings)
    mean = len(sets.texts) / max(len(sets), 1)
    typer.echo(f"{method}: {len(sets):,} sets, {mean:.2f} answers each: {output}", err=output == "-")


def make_options(method: str, pairing: str, clusters: int) -> "SetOptions":
    """The options of the call, or an error that says what may stand there."""
    from voirdire.answers.reference_sets import SetOptions
    from voirdire.errors import UsageError

    try:
        return SetOptions(method, pairing, clusters)  # type: ignore[arg-type]
    except ValueError as error:
        raise UsageError(f"--{error}") from None


def open_projector(cca: str, encoder: str | None) -> "Projector":
    """The CCA of a file with the encoder that it was trained with."""
    from voirdire.answers.cca_file import open_sentences, read_cca
    from voirdire.answers.correlations import Projector

    model = read_cca(cca)
    return Projector(model, open_sentences(model, encoder))

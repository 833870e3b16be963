"""`voirdire answers train`: learn what questions and answers have in common."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.answers.options import Dense, RoundBase
from voirdire.cli.progress import stage
from voirdire.cli.results import warn

__all__ = ["train"]


def train(
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write the CCA (.npz).")],
    visdial: Annotated[
        str | None, typer.Option(metavar="FILE", help="VisDial dialogues: each question with its true answer (CCA-AQ).")
    ] = None,
    dense: Dense = None,
    references: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Reference sets (JSON or Parquet): each question with every answer of its set."
        ),
    ] = None,
    human: Annotated[
        bool, typer.Option("--human", help="The sets of --references were made by people (CCA-AQ*), not by a method.")
    ] = False,
    encoder: Annotated[str, typer.Option(help="What makes vectors: minilm, static, fasttext:PATH, glove:PATH …")] = (
        "minilm"
    ),
    images: Annotated[
        str | None, typer.Option(metavar="NPZ", help="Image features (image_ids, features) as a third view (CCA-AQI).")
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Components to keep.")] = 300,
    p: Annotated[float, typer.Option("--p", help="The power of the eigenvalues in projections.")] = 1.0,
    ridge: Annotated[float, typer.Option(min=0, help="Added to the diagonals of the covariances.")] = 1e-12,
    form: Annotated[str, typer.Option(help="`code` as the published figures were made, or `inter` as the paper.")] = (
        "code"
    ),
    scale: Annotated[str, typer.Option(help="Length of components: `unit` as published, or `variance`.")] = "unit",
    round_base: RoundBase = None,
) -> None:
    """Train a CCA: on ground truths (--visdial), on H (--visdial --dense) or on any reference sets (--references).

    With --references, --visdial may give the words of train, for tables of word vectors.
    """
    from voirdire.answers.cca import CcaOptions
    from voirdire.answers.cca_file import write_cca
    from voirdire.answers.sentences import sentences
    from voirdire.answers.training import train as fit
    from voirdire.answers.training import train_vocabulary, training_pairs
    from voirdire.errors import UsageError
    from voirdire.formats.features import read_features
    from voirdire.formats.option_numbers import DENSE
    from voirdire.formats.reference_files import read_sets
    from voirdire.formats.rounds import read_with_base
    from voirdire.formats.visdial import read_visdial

    try:
        options = CcaOptions(k, p, ridge, form, scale)  # type: ignore[arg-type]
    except ValueError as error:
        raise UsageError(f"--{error}") from None
    dialogues = None if visdial is None else read_visdial(visdial)
    annotations = None if dense is None else read_with_base(dense, DENSE, round_base)
    sets = None if references is None else read_sets(references, round_base)
    pairs, warnings = training_pairs(dialogues, annotations, sets, human)
    features = None if images is None else read_features(images, "image")
    texts = sentences(encoder, lambda: train_vocabulary(dialogues, sets))
    with contextlib.ExitStack() as shown:
        encoding, adding = stage(shown, "encode", "texts"), stage(shown, "add", "pairs")
        cca = fit(pairs, texts, options, features, encoding=encoding, adding=adding)
    write_cca(cca, output)
    warn(warnings)
    if len(cca.eigenvalues) < k:
        typer.echo(f"the views have rank {len(cca.eigenvalues)}: fewer components than the {k} asked for", err=True)
    typer.echo(
        f"{cca.pairs:,} pairs ({cca.source}), {len(cca.weights)} views, {len(cca.eigenvalues)} components, "
        f"first correlation {cca.correlations[0]:.4f}: {output}"
    )

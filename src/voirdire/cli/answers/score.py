"""`voirdire answers score`: how like the valid answers of each round are the ones that a model generates."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.answers.options import RoundBase
from voirdire.cli.progress import INDEX, stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["Encoders", "Families", "Idf", "chosen", "score"]

Encoders = Annotated[
    list[str] | None,
    typer.Option(
        "--encoder", metavar="NAME", help="What makes vectors, for l2 and cosine; may be given again [default: minilm]."
    ),
]
Families = Annotated[
    list[str] | None,
    typer.Option(
        "--measures", metavar="FAMILY", help="Only cider, bleu, meteor, rouge or distance; may be given again."
    ),
]
Idf = Annotated[
    str,
    typer.Option(
        help="Where CIDEr counts documents: references (the sets above), references:FILE, visdial:FILE, file:FILE."
    ),
]


def chosen(families: list[str] | None, encoders: list[str] | None) -> tuple[tuple[str, ...], list[str]]:
    """The families of measures, and the encoders that they need."""
    from voirdire.errors import UsageError
    from voirdire.metrics.text_metric import FAMILIES, TEXT_METRICS

    wanted = tuple(dict.fromkeys(families)) if families else FAMILIES
    encodes = any(metric.encodes for metric in TEXT_METRICS.choose(wanted))
    if encoders and not encodes:
        raise UsageError(
            "--encoder is for the measures l2 and cosine, which --measures leaves out; add --measures distance"
        )
    return wanted, (encoders or ["minilm"]) if encodes else []


def score(
    generations: Annotated[str, typer.Option(metavar="FILE", help="The model's answers, one or more a round.")],
    references: Annotated[str, typer.Option(metavar="FILE", help="Sets of valid answers of the same rounds.")],
    encoder: Encoders = None,
    measures: Families = None,
    common: Annotated[bool, typer.Option("--common", help="Leave out rounds that one of the files lacks.")] = False,
    idf: Idf = "references",
    as_written: Annotated[
        bool, typer.Option("--as-written", help="Take generations as they are, not through the treebank's tokeniser.")
    ] = False,
    within: Annotated[
        bool, typer.Option("--within", help="Also the spread of the generations inside a round.")
    ] = False,
    round_base: RoundBase = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """CIDEr, BLEU, METEOR, ROUGE-L and embedding distance of generated answers to the valid ones."""
    from voirdire.answers.files import score_files
    from voirdire.answers.similarity import ScoreOptions

    check(as_json, latex, output, overwrite)
    families, names = chosen(measures, encoder)
    options = ScoreOptions(common, families, idf, not as_written, within, seed)
    with contextlib.ExitStack() as shown:
        run = score_files(
            generations,
            references,
            options,
            names,
            round_base,
            indexing=stage(shown, INDEX, "steps"),
            report=stage(shown, "answers score", "texts"),
        )
    give(run, as_json, latex, output, overwrite)

"""`voirdire answers audit`: quirks of the annotation, tight candidates, ranks of the ground truth."""

from typing import Annotated

import typer

from voirdire.cli.answers.options import CcaFile, Dense, RoundBase, Visdial
from voirdire.cli.progress import show_progress
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["audit"]


def audit(
    visdial: Visdial,
    dense: Dense = None,
    ranks: Annotated[
        str | None, typer.Option(metavar="FILE", help="A model's rankings, for those of the truth.")
    ] = None,
    scores: Annotated[str | None, typer.Option(metavar="FILE", help="Instead of --ranks: the model's scores.")] = None,
    cca: CcaFile = None,
    encoder: Annotated[
        str | None,
        typer.Option(help="Without --cca: compare candidates by this encoder. With it: where its encoder is."),
    ] = None,
    round_base: RoundBase = None,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Annotation quirks (--dense), tightness of candidates (--cca or --encoder), ranks of the truth (--ranks)."""
    from voirdire.answers.answer_space import cca_space, encoder_space
    from voirdire.answers.audit import AuditOptions
    from voirdire.answers.audit import audit as exam
    from voirdire.answers.files import read_ranking
    from voirdire.formats.option_numbers import DENSE
    from voirdire.formats.rounds import read_with_base
    from voirdire.formats.visdial import read_visdial

    check(as_json, latex, output, overwrite)
    ranking = None if ranks is None and scores is None else read_ranking(ranks, scores, round_base)
    annotations = None if dense is None else read_with_base(dense, DENSE, round_base)
    space = cca_space(cca, encoder) if cca is not None else None if encoder is None else encoder_space(encoder)
    with show_progress("answers audit", "texts") as report:
        run = exam(read_visdial(visdial), annotations, ranking, space, AuditOptions(seed), report)
    give(run, as_json, latex, output, overwrite)

"""`voirdire answers predict`: rank and generate answers by CCA or one of its baselines."""

from typing import Annotated

import typer

from voirdire.cli.answers.options import CcaFile, Visdial
from voirdire.cli.progress import show_progress

__all__ = ["predict"]


def predict(
    model: Annotated[str, typer.Option(metavar="NAME", help="cca-aq, cca-aqi, ncca-aq, nn-aq or nn-aqi.")],
    visdial: Visdial,
    ranks: Annotated[str | None, typer.Option(metavar="OUT", help="Where to write rankings of the candidates.")] = None,
    generations: Annotated[str | None, typer.Option(metavar="OUT", help="Where to write generated answers.")] = None,
    cca: CcaFile = None,
    train: Annotated[
        str | None, typer.Option(metavar="FILE", help="Train dialogues, for nn-… and for --generations.")
    ] = None,
    encoder: Annotated[str | None, typer.Option(help="For nn-…: what makes vectors; else that of the CCA.")] = None,
    images: Annotated[
        str | None, typer.Option(metavar="NPZ", help="Image features of both splits, for nn-aqi.")
    ] = None,
    k: Annotated[int, typer.Option("--k", min=1, help="Generations a round.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws; the same seed gives the same bytes.")] = 0,
) -> None:
    """Answer questions without looking: ranks (rounds counted from 1) and generations (from 0), in official layouts."""
    from typing import get_args

    import numpy as np

    from voirdire.answers.cca_file import open_sentences, read_cca
    from voirdire.answers.generate import generate
    from voirdire.answers.models import Model, Scored, predict_ranks
    from voirdire.answers.sentences import sentences
    from voirdire.answers.training import train_vocabulary
    from voirdire.errors import UsageError
    from voirdire.formats.features import read_features
    from voirdire.formats.generations import write_generations
    from voirdire.formats.option_numbers import write_ranks
    from voirdire.formats.visdial import read_visdial

    if model not in get_args(Model):
        raise UsageError(f"--model {model!r}: may be one of {', '.join(get_args(Model))}")
    if ranks is None and generations is None:
        raise UsageError("nothing to write: give --ranks OUT, --generations OUT or both")
    if generations is not None and train is None:
        raise UsageError("generations are drawn from the answers of train: give --train FILE")
    trained = None if cca is None else read_cca(cca)
    learnt = None if train is None else read_visdial(train)
    texts = (
        open_sentences(trained, encoder)
        if trained is not None
        else sentences(encoder or "minilm", lambda: train_vocabulary(learnt, None))
    )
    features = None if images is None else read_features(images, "image")
    scored = Scored(model, texts, trained, features)  # type: ignore[arg-type]
    dialogues = read_visdial(visdial)
    if ranks is not None:
        with show_progress("ranks", "questions") as report:
            write_ranks(predict_ranks(scored, dialogues, learnt, report), ranks)
        typer.echo(f"{model}: ranks of {int((dialogues.options[:, 0] >= 0).sum()):,} rounds: {ranks}", err=ranks == "-")
    if generations is not None and learnt is not None:
        with show_progress("generations", "questions") as report:
            made = generate(scored, dialogues, learnt, k, np.random.default_rng(seed), report)
        write_generations(made, generations)
        typer.echo(f"{model}: {k} answers for each of {len(made):,} rounds: {generations}", err=generations == "-")

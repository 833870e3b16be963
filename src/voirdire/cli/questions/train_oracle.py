"""`voirdire questions train-oracle`: an oracle learnt from games."""

import contextlib
from typing import Annotated

import typer

from voirdire.cli.progress import stage

__all__ = ["train_oracle"]


def train_oracle(
    games: Annotated[
        list[str], typer.Option(metavar="FILE", help="GuessWhat?! games to learn from; may be given again.")
    ],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUT", help="Where to write the oracle (.npz).")],
    valid: Annotated[
        str | None, typer.Option(metavar="FILE", help="Games on which the error is taken after each epoch.")
    ] = None,
    epochs: Annotated[int, typer.Option(min=1, help="At most so many passes over the questions.")] = 20,
    patience: Annotated[
        int, typer.Option(min=1, help="Stop after so many epochs without a smaller error on --valid.")
    ] = 3,
    batch: Annotated[int, typer.Option(min=1, help="Questions per step.")] = 64,
    rate: Annotated[float, typer.Option(help="Adam's step.")] = 1e-4,
    decay: Annotated[
        float, typer.Option(help="What Adam's step is multiplied by after each epoch; 1 leaves it.")
    ] = 1.0,
    clip: Annotated[float, typer.Option(help="The longest gradient.")] = 5.0,
    min_count: Annotated[int, typer.Option(min=1, help="Words that are rarer than this are unknown words.")] = 2,
    crops: Annotated[
        str | None,
        typer.Option(
            metavar="NPZ", help="Features of the objects' pictures (object_ids, features) as a further input."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the first weights and of the order of the questions.")] = 0,
) -> None:
    """Train de Vries et al.'s oracle on games that were won. Killed and called again, it goes on where it was.

    The same games, options and seed give the same file. Use it as --oracle model:OUT.
    """
    from pathlib import Path

    from voirdire.atomic import check_output
    from voirdire.formats.features import read_features
    from voirdire.questions.trained_oracle.examples import read_examples
    from voirdire.questions.trained_oracle.file import OracleOptions, checkpoint_path, write_oracle
    from voirdire.questions.trained_oracle.training import train_oracle as fit

    options = OracleOptions(epochs, patience, batch, rate, decay, clip, min_count, seed)
    check_output(Path(output))
    features = None if crops is None else read_features(crops, "object")
    with contextlib.ExitStack() as shown:
        reading, training = stage(shown, "read", "files"), stage(shown, "train", "questions")
        learnt = read_examples(games, features, reading)
        held = None if valid is None else read_examples([valid], features)
        data = learnt.data | ({} if held is None else {"valid": held.data["games"]})
        made = fit(
            learnt.examples,
            None if held is None else held.examples,
            options,
            data=data | ({} if features is None else {"crops": features.fingerprint}),
            checkpoint=checkpoint_path(output),
            report=training,
        )
    write_oracle(made, output)
    checkpoint_path(output).unlink(missing_ok=True)
    for number, epoch in enumerate(made.history, start=1):
        after = "" if epoch.valid_error is None else f", {epoch.valid_error:.4f} on validation games"
        typer.echo(f"epoch {number}: error {epoch.error:.4f}{after}{' (kept)' if number == made.epoch else ''}")
    typer.echo(f"learnt from {made.examples:,} questions, {len(made.words):,} words: {output}")

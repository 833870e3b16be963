"""`voirdire scorekeeping probe`: what a model's dialogue states say of the score."""

import contextlib
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.progress import stage
from voirdire.cli.results import AsJson, Latex, Output, Overwrite, check, give, text_table, warn

if TYPE_CHECKING:
    from voirdire.runs.run import Run
    from voirdire.scorekeeping.probe_items import Experiment

__all__ = ["probe"]


class _Note:
    """What is known of the probes so far: the last epoch beside the bar, and a line for each probe that is done."""

    def __init__(self) -> None:
        self._text = ""

    def __call__(self) -> str:
        return self._text

    def tell(self, experiment: "Experiment", name: str, value: float) -> None:
        text = f"{experiment.name}, seed {experiment.seed}: {name} {value:.4f}"
        if name.startswith("accuracy"):
            typer.echo(text, err=True)
        else:
            self._text = text


def probe(
    propositions: Annotated[str, typer.Option(metavar="FILE", help="Propositions to learn from.")],
    states: Annotated[str, typer.Option(metavar="FILE", help="The model's states of their dialogues (HDF5, npz).")],
    task: Annotated[
        str | None,
        typer.Option(metavar="TFxPS|TF|PS|PxTSFS", help="What is asked of each point; TFxPS if not given."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All tasks of the role, with both controls: the paper's Table 2.")
    ] = False,
    valid_propositions: Annotated[
        str | None, typer.Option(metavar="FILE", help="Propositions that choose the epoch; needs --valid-states.")
    ] = None,
    valid_states: Annotated[str | None, typer.Option(metavar="FILE", help="The states of their dialogues.")] = None,
    test_propositions: Annotated[
        str | None, typer.Option(metavar="FILE", help="Propositions to score on; needs --test-states.")
    ] = None,
    test_states: Annotated[str | None, typer.Option(metavar="FILE", help="The states of their dialogues.")] = None,
    role: Annotated[str, typer.Option(metavar="A|Q", help="Whose states they are: answerer or questioner.")] = "A",
    control: Annotated[
        str | None, typer.Option(metavar="random|null", help="Learn from such states instead of the real ones.")
    ] = None,
    encoder: Annotated[str, typer.Option(metavar="NAME", help="Makes the propositions' embeddings.")] = "minilm",
    standardise: Annotated[
        bool, typer.Option("--standardise", help="Scale states and embeddings; the paper's probe takes them raw.")
    ] = False,
    balance: Annotated[
        bool,
        typer.Option("--balance", help="Learn from as many true as false of every sentence; drops the others."),
    ] = False,
    batches: Annotated[
        str,
        typer.Option(
            metavar="shuffled|grouped", help="Grouped: a dialogue's points together, which is faster; not the paper's."
        ),
    ] = "shuffled",
    epochs: Annotated[int, typer.Option(min=1, help="Passes over the training points.")] = 30,
    seeds: Annotated[int, typer.Option(min=1, help="Train so many probes of a kind, and give their spread.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn; further probes take the next ones.")] = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Train probes on dialogue states and score them. With --output, one that was killed goes on where it was.

    Without valid and test files, the dialogues are dealt out 60 : 20 : 20 by the seed.
    """
    import shutil
    from pathlib import Path

    from voirdire.errors import UsageError
    from voirdire.scorekeeping.files import probe_files
    from voirdire.scorekeeping.probe.options import ProbeTraining
    from voirdire.scorekeeping.probing import ProbeOptions

    check(as_json, latex, output, overwrite)
    if every and task is not None:
        raise UsageError("--all asks all tasks; --task is for one")
    training = ProbeTraining(epochs=epochs, batches=batches, seed=seed)  # type: ignore[arg-type]
    options = ProbeOptions(
        task=task or "TFxPS",
        role=role,  # type: ignore[arg-type]
        control=control or "",  # type: ignore[arg-type]
        every=every,
        seeds=seeds,
        standardise=standardise,
        balance=balance,
        seed=seed,
        training=training,
    )
    folder = None if output is None else Path(f"{output}.training")
    with contextlib.ExitStack() as shown:
        note = _Note()
        run = probe_files(
            (propositions, states),
            encoder,
            options,
            valid=(valid_propositions, valid_states),
            test=(test_propositions, test_states),
            checkpoints=folder,
            reading=stage(shown, "read", "files"),
            embedding=stage(shown, "embed", "sentences"),
            report=stage(shown, "train", "points", note),
            told=note.tell,
        )
    _show(run, as_json, latex, output, overwrite)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _show(run: "Run", as_json: bool, latex: bool, output: str | None, overwrite: bool) -> None:
    """The headline measures, then what the paper shows in tables and figures."""
    if as_json or latex:
        give(run, as_json, latex, output, overwrite)
        return
    from dataclasses import replace

    from voirdire.runs.store import write_run
    from voirdire.scorekeeping.probe_tables import detail_tables, headline_only, table_2

    if output is not None:
        write_run(run, output, overwrite)
    every = run.options["every"]
    typer.echo(table_2(run) if every else detail_tables(run))
    typer.echo("")
    typer.echo(text_table(run if every else replace(run, measures=headline_only(run.measures))))
    warn(run.warnings)

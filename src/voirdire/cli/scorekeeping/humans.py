"""`voirdire scorekeeping humans`: how well people keep score, and a probe's runs on the same points."""

from typing import Annotated

import typer

from voirdire.cli.results import AsJson, Latex, Output, Overwrite, Seed, check, give

__all__ = ["humans"]


def humans(
    judgements: Annotated[
        str, typer.Option(metavar="CSV", help="Judgements, a row a judge and proposition; - for stdin.")
    ],
    exclude: Annotated[
        str, typer.Option(metavar="IDS", help="Dialogues to leave out, by dlg_idx, with commas in between.")
    ] = "",
    run: Annotated[
        list[str] | None,
        typer.Option(metavar="RUN", help="A run of `probe` to score on the same points; again for each further one."),
    ] = None,
    common: Annotated[
        bool, typer.Option("--common", help="Leave out points that a run lacks, instead of refusing.")
    ] = False,
    seed: Seed = 0,
    as_json: AsJson = False,
    latex: Latex = False,
    output: Output = None,
    overwrite: Overwrite = False,
) -> None:
    """Accuracy of people on the four tasks, their agreement, and a probe's accuracy on the same points."""
    from voirdire.errors import UsageError
    from voirdire.formats.judgements import read_judgements
    from voirdire.runs import read_run
    from voirdire.scorekeeping.humans import JudgesOptions, score_judges

    check(as_json, latex, output, overwrite)
    parts = [part.strip() for part in exclude.split(",") if part.strip()]
    if bad := [part for part in parts if not part.isascii() or not part.isdigit()]:
        raise UsageError(f"--exclude: {bad[0]!r} is no number of a dialogue; numbers with commas in between may come")
    options = JudgesOptions(tuple(int(part) for part in parts), common, seed)
    runs = {folder: read_run(folder) for folder in run or ()}
    give(score_judges(read_judgements(judgements), options, runs), as_json, latex, output, overwrite)

"""`voirdire exam`: all exams for several models, to a report; `voirdire init`: its config, from a folder's files."""

from typing import Annotated

import typer

from voirdire.cli.output import EngineName, Workers, engine_of, put_out, say
from voirdire.escaping import one_line
from voirdire.options import LARGEST_SEED, MOST_IMAGES

CONFIG = "exam.yaml"
"""The config that `init` writes, and that `exam` takes, where none is named."""


def exam(
    config: Annotated[
        str | None,
        typer.Option(
            metavar="YAML",
            help="The config; `voirdire init FOLDER` writes one. Default: exam.yaml in this folder.",
        ),
    ] = None,
    world: Annotated[
        str | None, typer.Option(metavar="DIR", help="In place of a config: a world, whose witnesses are the models.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The folder for runs and report; a config may name it, too."
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST_IMAGES,
            metavar="N",
            help="Take only N images in every exam, drawn by the seed, with all that belongs to them.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(min=0, max=LARGEST_SEED, help="Seed of the images that --limit takes, and of all other draws."),
    ] = None,
    slices: Annotated[
        str | None,
        typer.Option(
            metavar="CSV", help="A table of your own labels of items, by which the report slices and filters."
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIABLE",
            help="The environment variable that holds a live model's key; MODEL=VARIABLE for several. May be given "
            "again.",
        ),
    ] = None,
    trust: Annotated[
        list[str] | None,
        typer.Option(
            metavar="VARIABLE@HOST",
            help="Grant what the config asks for: here, that the variable's value is sent to the host. May be given "
            "again.",
        ),
    ] = None,
    proxy: Annotated[str | None, typer.Option(metavar="URL", help="Reach live models through this proxy.")] = None,
    ca: Annotated[
        str | None, typer.Option(metavar="FILE", help="Certificates (PEM) that may sign those of live models' hosts.")
    ] = None,
    workers: Workers = 1,
    engine: EngineName = None,
) -> None:
    """Run all exams for all models, then write the report.

    Runs that exist already, from the same files with the same options, are reused; after a kill, the same call goes on
    where it was. A missing or wrong file is reported before any work and stops only its own exam: the others are run,
    and the exit code is 2.
    """
    import sys
    from pathlib import Path

    from voirdire.cli.session_progress import show_end, show_work
    from voirdire.errors import UsageError
    from voirdire.session.config import read_config
    from voirdire.session.session import run_session
    from voirdire.session.trust import check_trust, with_call
    from voirdire.world.witness_session import run_world_session

    if config is not None and world is not None:
        raise UsageError("give either --config or --world")
    if config is None and world is None:
        if not Path(CONFIG).is_file():
            raise UsageError(
                f"there is no {CONFIG} in this folder; `voirdire init FOLDER` writes one, or name yours with --config, "
                "or a world with --world"
            )
        config = CONFIG
        say(f"config: {CONFIG}, of this folder", err=True)
    if world is not None and output is None:
        raise UsageError("--world needs -o: the folder for the witnesses' outputs, the runs and the report")
    if world is not None and (key or trust or proxy or ca):
        raise UsageError("--key, --trust, --proxy and --ca are for the live models of a config; a world has none")
    where = engine_of(workers, engine)
    if world is not None:
        with show_work() as work:
            session = run_world_session(
                world, output or "", where, work.on_event, slices=slices, limit=limit, seed=seed
            )
    else:
        read = read_config(config or "").over(slices, limit=limit, seed=seed)
        read = with_call(read, key or (), trust or (), proxy, ca)
        is_terminal = sys.stdin.isatty() and sys.stderr.isatty()
        check_trust(read, where is None, _confirm if is_terminal else None)
        with show_work() as work:
            session = run_session(read, output, where, work.on_event, stages=work.stages)
    show_end(session, skipped=config is not None)


def _confirm(question: str) -> bool:
    return typer.confirm(one_line(question), err=True)


def init(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="A folder with data files and models' outputs.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="YAML", help="The config to write; - for standard output.")
    ] = CONFIG,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing config.")] = False,
) -> None:
    """Look at the files in a folder and write a commented config that puts each where it belongs.

    Models' outputs of other tools' layouts, POPE and A-OKVQA are converted into the folder's `converted`. Files that
    could not be placed are listed in the config as comments. Nothing is run yet.
    """
    import sys
    from contextlib import nullcontext
    from pathlib import Path

    from voirdire.atomic import check_output, write_atomic
    from voirdire.cli.progress_bars import show_progress
    from voirdire.errors import UsageError
    from voirdire.progress import silent
    from voirdire.session.init import propose

    path = Path(output)
    if output != "-":
        check_output(path)
        if path.exists() and not overwrite:
            raise UsageError(f"{path} is there already; name another file, or add --overwrite")
    place = Path.cwd() if output == "-" else path.parent
    with show_progress("init", unit="files") if sys.stderr.isatty() else nullcontext(silent) as report:
        proposal = propose(Path(folder), place, report, converts=output != "-")
    if output == "-":
        put_out(proposal.text, end="")
        return
    write_atomic(path, proposal.text.encode())
    for line in proposal.notes:
        say(line)
    call = "voirdire exam" if output == CONFIG else f"voirdire exam --config {path}"
    say(f"{path}: look through it, then: {call}")

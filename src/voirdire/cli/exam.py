"""`voirdire exam`: all exams for several models, to a report; `voirdire init`: its config, from a folder's files."""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import Workers, put_out, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from voirdire.session.carrying import Fault

__all__ = ["exam", "init"]


def exam(
    config: Annotated[
        str | None, typer.Option(metavar="YAML", help="What to examine; `voirdire init FOLDER` writes one.")
    ] = None,
    world: Annotated[
        str | None, typer.Option(metavar="DIR", help="Instead: a world, whose witnesses stand for models.")
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Where runs and report go; a config may name it, too."),
    ] = None,
    workers: Workers = 1,
) -> None:
    """Hold all exams for all models, then write the report.

    What is done already, from the same files with the same options, is not done again; killed and called again, it
    goes on where it was. A file that is wrong stops its own exam alone: the rest is done and the fault is said at the
    end, with exit code 2.
    """
    from voirdire.cli.at_work import show_work
    from voirdire.errors import UsageError
    from voirdire.figures import counted
    from voirdire.session.config import read_config
    from voirdire.session.session import hold
    from voirdire.world.session import hold_world

    if (config is None) == (world is None):
        raise UsageError("give either --config or --world")
    if world is not None and output is None:
        raise UsageError("--world needs -o: where what the witnesses say, the runs and the report go")
    with show_work() as tell:
        if world is not None:
            held = hold_world(world, output or "", workers, tell)
        else:
            held = hold(read_config(config or ""), output, workers, tell)
    for line in held.skipped if config is not None else ():
        say(f"skipped: {line}", err=True)
    for line in _told_once(held.faults):
        say(line, err=True)
    if held.runs:
        page = f"and the report: {held.report}" if held.report is not None else "and no report"
        say(f"{counted(len(held.runs), 'run')}, {page}")
    if held.faults:
        raise typer.Exit(2)


def init(
    folder: Annotated[str, typer.Argument(metavar="FOLDER", help="Where data files and models' outputs are.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="YAML", help="Where to write; - for standard output.")
    ] = "exam.yaml",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Let it take the place of a config.")] = False,
) -> None:
    """Look at the files in a folder and write a commented config that puts each where it belongs.

    What could not be placed stands in the config as a comment. Nothing is examined yet.
    """
    from pathlib import Path

    from voirdire.atomic import check_output, write_atomic
    from voirdire.errors import UsageError
    from voirdire.session.init import propose

    path = Path(output)
    if output != "-":
        check_output(path)
        if path.exists() and not overwrite:
            raise UsageError(f"{path} is there already; name another file, or add --overwrite")
    found = propose(Path(folder), Path.cwd() if output == "-" else path.parent)
    if output == "-":
        put_out(found.text, end="")
        return
    write_atomic(path, found.text.encode())
    for line in found.told:
        say(line)
    say(f"{path}: look through it, then: voirdire exam --config {path}")


def _told_once(faults: "Iterable[Fault]") -> list[str]:
    """The faults, those that say the same together."""
    titles: dict[str, list[str]] = {}
    for fault in faults:
        titles.setdefault(fault.message, []).append(fault.title)
    return [f"voirdire: {'; '.join(those)}: {message}" for message, those in titles.items()]

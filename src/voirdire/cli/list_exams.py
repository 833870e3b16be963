"""`voirdire list`: the four exams, and what they will do with the files at hand."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from voirdire.cli.beside import print_beside

__all__ = ["list_exams"]

MARGIN = " " * 14


def list_exams(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of data files, to see what each exam will do with them.")
    ] = None,
) -> None:
    """List the four exams and, for a folder, what each will do with its files."""
    from rich.console import Console

    from voirdire.exams import EXAMS, plan

    console = Console(highlight=False, markup=False)
    if folder is None:
        for exam in EXAMS:
            print_beside(console, f"{exam.name:<14}", exam.asks, "bold")
            print_beside(console, MARGIN, f"{_command()} {exam.name} --help", "dim")
        return
    files = _recognised(folder)
    for one in plan(files):
        console.print()
        print_beside(console, f"{one.exam.name:<14}", one.exam.asks, "bold")
        for name, purpose in one.uses:
            print_beside(console, MARGIN, f"{Path(name).relative_to(folder)}: {purpose}")
        for need in one.missing:
            whose = "from your model" if need.model else "missing"
            print_beside(console, MARGIN, f"{' or '.join(need.formats)} ({whose}): {need.purpose}", "yellow")
    place = shlex.quote(str(folder))
    if "scenes" in files.values():
        console.print("\nNext, hold the exams with witnesses in the place of models:", style="bold")
        words = f"exam --world {place} -o examined"
    else:
        console.print("\nNext, have a config written that puts each file where it belongs:", style="bold")
        words = f"init {place} -o exam.yaml"
    console.print(f"  {_command()} {words}", soft_wrap=True)


def _command() -> str:
    """How to call this command again: by its name where that is found, else by the path that it was called by."""
    import shutil
    import sys

    called = Path(sys.argv[0])
    return "voirdire" if called.name != "voirdire" or shutil.which("voirdire") else str(called)


def _recognised(folder: Path) -> dict[str, str]:
    """The data files of a folder that are of a known format, with its name."""
    from voirdire.errors import InputError, UsageError
    from voirdire.formats.catalogue import detect
    from voirdire.formats.files import open_source
    from voirdire.formats.validation import find_files

    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files")
    files = {}
    for path in find_files([folder])[0]:
        try:
            files[path] = detect(open_source(path)).name
        except InputError as error:
            typer.echo(f"passed over: {error}", err=True)
    return files

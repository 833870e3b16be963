"""`voirdire list`: the exams, and what they will do with the files at hand."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.beside import print_beside

if TYPE_CHECKING:
    from collections.abc import Iterator

    from voirdire.exam import Exam

__all__ = ["list_exams"]

MARGIN = " " * 14


def list_exams(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of data files, to see what each exam will do with them.")
    ] = None,
) -> None:
    """List the exams and, for a folder, what each will do with its files."""
    from rich.console import Console

    from voirdire.exam import exams

    console = Console(highlight=False, markup=False)
    if folder is None:
        for exam in exams():
            print_beside(console, f"{exam.name:<14}", exam.question, "bold")
            print_beside(console, MARGIN, f"{_command()} {exam.name} --help", "dim")
        return
    files = _recognised(folder)
    for exam in exams():
        console.print()
        print_beside(console, f"{exam.name:<14}", exam.question, "bold")
        for one in exam.inputs():
            for name, kind in files.items():
                if kind in (*one.formats, *one.specs):
                    print_beside(console, MARGIN, f"{Path(name).relative_to(folder)}: {one.help.rstrip('.')}")
        for line in _missing(exam, set(files.values())):
            print_beside(console, MARGIN, line, "yellow")
    place = shlex.quote(str(folder))
    if "scenes" in files.values():
        console.print("\nNext, hold the exams with witnesses in the place of models:", style="bold")
        words = f"exam --world {place} -o examined"
    else:
        console.print("\nNext, have a config written that puts each file where it belongs:", style="bold")
        words = f"init {place} -o exam.yaml"
    console.print(f"  {_command()} {words}", soft_wrap=True)


def _missing(exam: "Exam", formats: set[str]) -> "Iterator[str]":
    """What the parts that a session holds cannot do without, and no file is: of the data, and of the model."""
    held = [part for part in exam.held() if part.held is not None and not part.held.of_data]
    data = {one.at: one for part in held for one in part.inputs if one.needed and not one.of_model}
    for one in data.values():
        known = {*one.formats, *(kind for given in exam.session_inputs(False) if one.made for kind in given.formats)}
        if formats.isdisjoint(known):
            yield f"{' or '.join(one.formats)} (missing): {one.help.rstrip('.')}"
    given = {key for part in held if part.held is not None for key in part.held.given}
    asked = [one for one in exam.session_inputs(of_model=True) if one.at in given]
    known = dict.fromkeys(kind for one in asked for kind in one.formats)
    if asked and formats.isdisjoint(known):
        yield f"{' or '.join(known)} (from your model): {asked[0].help.rstrip('.')}"


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
    from voirdire.formats.source import open_source
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

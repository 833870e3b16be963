"""`voirdire list`: the four exams, which of them work today, and what they will do with the files at hand."""

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["list_exams"]


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
            console.print(f"{exam.name:<14}{exam.asks}", style="bold")
            console.print(f"{'':<14}{'works' if exam.works else 'not in this version yet'}", style="dim")
        return
    files = _recognised(folder)
    for one in plan(files):
        console.print(f"\n{one.exam.name:<14}{one.exam.asks}", style="bold")
        for name, purpose in one.uses:
            console.print(f"{'':<14}{Path(name).relative_to(folder)}: {purpose}")
        for need in one.missing:
            whose = "from your model" if need.model else "missing"
            console.print(f"{'':<14}{' or '.join(need.formats)} ({whose}): {need.purpose}", style="yellow")
        if not one.exam.works:
            console.print(f"{'':<14}This exam is not in this version yet.", style="dim")
    questions = next((name for name, kind in files.items() if kind == "vqa_questions"), None)
    if questions is not None and "scenes" in files.values():
        console.print("\nNext, put a witness on the stand; it answers as your model would, in the official format:")
        words = f"--questions {questions} --output {folder / 'blind_results.json'}"
        console.print(f"  voirdire world answer --witness blind {words}", soft_wrap=True)


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

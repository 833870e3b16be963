"""`voirdire init`: a config for `voirdire exam`, from the files in a folder."""

from typing import Annotated

import typer

__all__ = ["init"]


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
        typer.echo(found.text, nl=False)
        return
    write_atomic(path, found.text.encode())
    for line in found.told:
        typer.echo(line)
    typer.echo(f"{path}: look through it, then: voirdire exam --config {path}")

"""`voirdire cache`: where the kept vectors are, how much they take, and how to be rid of them."""

from typing import Annotated

import typer

__all__ = ["cache"]


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Remove all that the cache holds.")] = False,
) -> None:
    """Show or clear the vectors that encoders have computed."""
    from voirdire.text.cache import default_cache

    store = default_cache()
    if clear:
        before = store.contents()
        store.clear()
        typer.echo(f"removed {sum(count for *_, count in before.entries):,} vectors from {before.folder}")
        return
    contents = store.contents()
    typer.echo(f"folder  {contents.folder}")
    typer.echo(f"size    {_megabytes(contents.size)} of at most {_megabytes(contents.limit)}")
    for name, signature, count in contents.entries:
        typer.echo(f"{count:>12,} vectors  {name} ({signature[:12]})")
    if not contents.entries:
        typer.echo("no vectors")


def _megabytes(count: int) -> str:
    return f"{count / 1024**2:,.1f} MB"

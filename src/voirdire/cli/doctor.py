"""`voirdire doctor`: what is installed, what works, what could be added; `voirdire cache`: the vectors kept."""

from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import AsJson, put_json, say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from voirdire.doctor import Cache, Checkup, ClusterNode, Extra


def doctor(
    as_json: AsJson = False,
    engine: Annotated[
        str | None, typer.Option(metavar="ENGINE", help="Also check a cluster: ray:ADDRESS, ray:auto.")
    ] = None,
) -> None:
    """Show what is installed and works, and what each missing extra would add; for a bug report."""
    import json
    from dataclasses import asdict

    from voirdire.doctor import examine

    say("Every package is loaded once; this takes some seconds.", err=True)
    checkup = examine(engine)
    if as_json:
        put_json(json.dumps(asdict(checkup), indent=2, ensure_ascii=False))
    else:
        say(_text(checkup))
    if checkup.faults:
        raise typer.Exit(2)


def _text(checkup: "Checkup") -> str:
    cores = "1 core" if checkup.cores == 1 else f"{checkup.cores} cores"
    parts: dict[str, Sequence[tuple[str, ...]]] = {
        "Packages": [(package.name, package.found or "–", package.fault or "works") for package in checkup.packages],
        "Data inside packages": [(name, fault or "works") for name, fault in checkup.data.items()],
        "Extras": [row for extra in checkup.extras for row in _extra(extra)],
        "Threads": [(name, str(count)) for name, count in checkup.threads.items()],
        "Kept on disk": [(cache.name, _size(cache), cache.folder) for cache in checkup.caches],
        "Cluster": [row for node in checkup.cluster for row in _node(node)],
        "Environment": list(checkup.settings.items()),
        "Faults": [(fault,) for fault in checkup.faults],
    }
    lines = [f"voirdire {checkup.voirdire}, {checkup.python}, {checkup.system}, {cores}"]
    for head, rows in parts.items():
        lines += ["", head, *_aligned(rows)] if rows else []
    return "\n".join([*lines, *([] if checkup.faults else ["", "Nothing is wrong."])])


def _node(node: "ClusterNode") -> list[tuple[str, ...]]:
    sees = "sees this folder" if node.sees_folder else "does not see this folder: results go through this process"
    has = f"{node.cpus:g} processors, {node.memory / 1024**3:.1f} GB ({node.processor or 'unknown'})"
    versions = ", ".join(f"{name} {version}" for name, version in node.versions.items())
    return [(node.name, has), *(("", line) for line in (versions, sees) if line)]


def _extra(extra: "Extra") -> list[tuple[str, ...]]:
    if extra.installed:
        return [(extra.name, "installed")]
    lacks = ", ".join(f"{package.name} ({package.fault})" for package in extra.packages if package.fault)
    return [(extra.name, f"lacks {lacks}"), ("", f"gives {extra.gives}"), ("", extra.install)]


def _size(cache: "Cache") -> str:
    most = "" if cache.limit is None else f" of at most {cache.limit / 1024**2:,.0f} MB"
    return f"{_megabytes(cache.size)}{most}"


def _aligned(rows: "Sequence[tuple[str, ...]]") -> list[str]:
    """Rows of cells, each column as wide as its widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Empty the cache.")] = False,
) -> None:
    """Show or clear the vectors that encoders have computed."""
    from voirdire.text.cache import default_cache

    store = default_cache()
    if clear:
        before = store.contents()
        store.clear()
        say(f"removed {sum(count for *_, count in before.entries):,} vectors from {before.folder}")
        return
    contents = store.contents()
    say(f"folder  {contents.folder}")
    say(f"size    {_megabytes(contents.size)} of at most {_megabytes(contents.limit)}")
    for name, signature, count in contents.entries:
        say(f"{count:>12,} vectors  {name} ({signature[:12]})")
    if not contents.entries:
        say("no vectors")


def _megabytes(count: int) -> str:
    return f"{count / 1024**2:,.1f} MB"

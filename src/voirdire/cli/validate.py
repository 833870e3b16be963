"""`voirdire validate`: what files are, what they hold, what is wrong; `voirdire list`: what exams do with them.

`voirdire doctor`: what is installed, what works, what could be added; `voirdire cache`: the vectors kept.
"""

import contextlib
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from voirdire.cli.output import AsJson, plain_console, print_beside, print_line, put_json, say, show_json
from voirdire.cli.progress_bars import show_progress
from voirdire.options import renamed
from voirdire.progress import silent

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Console

    from voirdire.doctor import Cache, Checkup, ClusterNode, Extra
    from voirdire.exam import Exam
    from voirdire.progress import Progress
    from voirdire.validation import CrossCheck, Examined, Validation


SHOWN = 10
MARGIN = " " * 14


def validate(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Files, folders, or - for standard input.")],
    against: Annotated[
        str | None, typer.Option(metavar="FILE", help="Compare the ids of each file with those of this one.")
    ] = None,
    round_base: Annotated[
        int | None,
        typer.Option(min=0, max=1, help="The number of the first round, in files that leave it open."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="With --against: fail where files that should have the same ids do not.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show what each file is, how much it contains, what is wrong, and which exams can use it.

    The exit code is 0 if every file is good, and 2 if anything is wrong.
    """
    from voirdire import validation

    with _progress() as report:
        result = validation.validate(files, against, round_base, report, strict)
    if as_json:
        show_json(result.to_dict(), indent=-1)
    else:
        _show(result)
    if not result.ok:
        raise typer.Exit(2)


@contextlib.contextmanager
def _progress() -> "Iterator[Progress]":
    """A bar on stderr where that is a terminal, else nothing."""
    if not sys.stderr.isatty():
        yield silent
        return
    with show_progress("validate", unit="files") as report:
        yield report


def _show(result: "Validation") -> None:
    console = plain_console()
    for file in result.files:
        _show_file(console, file)
    shown = None
    for check in result.checks:
        if check.path != shown:
            print_line(console, f"compared  {check.path} against {check.against}", "bold")
        _show_check(console, check)
        shown = check.path
    if result.skipped:
        print_line(console, "not a data file", "dim")
        rest = len(result.skipped) - SHOWN
        for path in [*result.skipped[:SHOWN], *([f"… and {rest:,} more"] if rest > 0 else [])]:
            print_line(console, f"{'':<10}{path}", "dim")
    print_line(console, "\n" + _summary(result), "bold green" if result.ok else "bold red")


def _summary(result: "Validation") -> str:
    from voirdire.figures import counted

    good = sum(file.ok for file in result.files)
    parts = [counted(len(result.files), "file") + " examined", f"{good:,} good"]
    if good < len(result.files):
        parts.append(f"{len(result.files) - good:,} with faults")
    if result.checks:
        bad = sum(not check.ok for check in result.checks)
        parts.append(counted(len(result.checks), "comparison") + f", {bad:,} with faults")
    return ", ".join(parts)


def _show_file(console: "Console", file: "Examined") -> None:
    mark, style = ("ok", "green") if file.ok else ("fault", "red")
    print_line(console, f"{mark:<10}{file.path}", style)
    if file.title is not None:
        _list(console, "what", [f"{file.title} ({file.format})"])
    if file.holds is not None:
        _list(console, "holds", [file.holds])
    if file.exams:
        _list(console, "exams", [", ".join(file.exams)])
    _list(console, "notes", file.notes, "yellow")
    _list(console, "faults", file.fault.lines if file.fault else (), "red")


def _show_check(console: "Console", check: "CrossCheck") -> None:
    counts = f"{check.common:,} in both, {check.missing:,} missing, {check.unknown:,} unknown"
    where = " (counted from 0)" if check.kind in ("round", "dialogue") else ""
    _list(console, "ok" if check.ok else "fault", [f"{check.kind}s{where}: {counts}"], "green" if check.ok else "red")
    if check.ok:
        return
    _list(console, "reason", [check.reason] if check.reason else [], "red")
    for name, count, first in (
        ("missing", check.missing, check.first_missing),
        ("unknown", check.unknown, check.first_unknown),
    ):
        more = f", … and {count - len(first):,} more" if count > len(first) else ""
        if count:
            _list(console, name, [", ".join(map(_id, first)) + more])


def _id(value: object) -> str:
    return f"{value[0]} round {value[1]}" if isinstance(value, tuple) else str(value)


def _list(console: "Console", name: str, items: "Iterable[str]", style: str = "") -> None:
    """A name in the margin, once, and texts beside it."""
    for item in items:
        print_beside(console, f"{'':<10}{name:<8}", renamed(item, {"round_base": "--round-base"}), style)
        name = ""


def list_exams(
    folder: Annotated[
        Path | None, typer.Argument(help="A folder of data files, to see what each exam will do with them.")
    ] = None,
) -> None:
    """List the exams and, for a folder, what each will do with its files."""
    from voirdire.exam import exam_texts, exams

    console = plain_console()
    if folder is None:
        for name, question in exam_texts("question").items():
            print_beside(console, f"{name:<14}", question, "bold")
            print_beside(console, MARGIN, f"{_command()} {name} --help", "dim")
        return
    files = _recognised(folder)
    for exam in exams():
        print_line(console, "")
        print_beside(console, f"{exam.name:<14}", exam.question, "bold")
        for source in exam.inputs():
            for name, kind in files.items():
                if kind in source.kinds:
                    print_beside(console, MARGIN, f"{Path(name).relative_to(folder)}: {source.help.rstrip('.')}")
        for line in _missing(exam, set(files.values())):
            print_beside(console, MARGIN, line, "yellow")
    place = shlex.quote(str(folder))
    if "scenes" in files.values():
        print_line(console, "\nNext, run the exams with witnesses in the place of models:", "bold")
        words = f"exam --world {place} -o examined"
    else:
        print_line(console, "\nNext, have a config written that puts each file where it belongs:", "bold")
        words = f"init {place} -o exam.yaml"
    print_line(console, f"  {_command()} {words}")


def _missing(exam: "Exam", formats: set[str]) -> "Iterator[str]":
    """What the parts that a session runs cannot do without, and no file is: of the data, and of the model."""
    parts = [part for part in exam.in_session() if part.session is not None and not part.session.of_data]
    needed = {source.name: source for part in parts for source in part.inputs if source.needed and not source.of_model}
    for source in needed.values():
        sources = set(exam.sources_of(source))
        known = {kind for given in exam.session_inputs(False) if given.name in sources for kind in given.kinds}
        if formats.isdisjoint(known):
            yield f"{' or '.join(source.kinds)} (missing): {source.help.rstrip('.')}"
    given = {name for part in parts if part.session is not None for name in part.session.given}
    outputs = [source for source in exam.session_inputs(of_model=True) if source.name in given]
    kinds = dict.fromkeys(kind for source in outputs for kind in source.kinds)
    if outputs and formats.isdisjoint(kinds):
        yield f"{' or '.join(kinds)} (from your model): {outputs[0].help.rstrip('.')}"


def _command() -> str:
    """How to call this command: by its name where the shell finds it, else by its path."""
    import shutil
    import sys

    called = Path(sys.argv[0])
    return "voirdire" if called.name != "voirdire" or shutil.which("voirdire") else str(called)


def _recognised(folder: Path) -> dict[str, str]:
    """The data files of a folder that are of a known format, with its name."""
    from voirdire.errors import InputError, UsageError
    from voirdire.formats.catalogue import detect
    from voirdire.formats.files import open_source
    from voirdire.validation import find_files

    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder; name one that holds data files")
    files = {}
    for path in find_files([folder])[0]:
        try:
            files[path] = detect(open_source(path)).name
        except InputError as error:
            say(f"passed over: {error}", err=True)
    return files


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

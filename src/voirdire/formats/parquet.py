"""Parquet files of users: one that cannot be read is one error, however the decoder fails.

Polars' decoder panics on some damaged files: before it raises, it prints a page on standard error, and where a second
thread panics meanwhile it ends the process. So a file is first decoded in a process of its own (`check_parquet`), and
what the decoder prints later is shown only where it succeeds (`reading_parquet`).
"""

import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import cast

from voirdire.errors import InputError, Problem, shorten_text
from voirdire.formats.files import Source, check_file, once, open_bytes
from voirdire.formats.strict import Problems
from voirdire.lazy import pl

PARQUET_MAGIC = b"PAR1"
TAIL = 4 + len(PARQUET_MAGIC)
"""Bytes at the end of a file: the length of its footer, and the magic again."""
AGAIN = "It may have been cut short or damaged; make, fetch or copy it again."

_READING = threading.RLock()


@contextlib.contextmanager
def reading_parquet(name: str) -> Iterator[None]:
    """One error for a Parquet file that cannot be read; the decoder raises many."""
    try:
        with _READING, _stderr_withheld():
            yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise _damaged(name, str(error)) from None


def check_parquet(file: Path | Source) -> None:
    """Refuse a file that the decoder cannot read to its end, tried in a process of its own."""
    if isinstance(file, Source):
        _check_ends(file.name, io.BytesIO(file.data))
        _check(file.name, "-", file.data)
    else:
        check_file(file)
        _check_path(file)


def parquet_table(source: Source) -> "pl.DataFrame":
    """The table of a file; one that cannot be read is an error."""
    check_parquet(source)
    with reading_parquet(source.name):
        return pl.read_parquet(io.BytesIO(source.data))


def parquet_as_lines(source: Source) -> Source:
    """The same rows as JSON lines under the same name."""
    lines = io.BytesIO()
    parquet_table(source).write_ndjson(lines)
    return Source(source.name, lines.getvalue())


def check_columns(
    name: str,
    schema: "pl.Schema",
    kinds: Mapping[str, str],
    optional: Collection[str] = (),
    empty: Collection[str] = (),
) -> None:
    """Refuse a table whose columns are not of these kinds; those in `optional` may lack, those in `empty` hold nothing.

    kinds  by column whole numbers, texts, or lists of one of the two
    """
    problems = Problems(name)
    for field, kind in kinds.items():
        if field not in schema:
            hint = f"The columns are {', '.join(schema) or 'none'}."
            if field not in optional:
                problems.add("", field, "nothing", f"a column of {kind}", hint)
        elif _kind(schema[field]) != kind and not (field in empty and str(schema[field]) == "Null"):
            problems.add("", field, f"a column of {schema[field]}", f"a column of {kind}")
    problems.check()


def _kind(dtype: "pl.DataType") -> str:
    """What a column holds, in the words of `check_columns`; empty for any other type."""
    if isinstance(dtype, pl.List):
        return f"lists of {_kind(cast('pl.DataType', dtype.inner))}"
    return "whole numbers" if dtype.is_integer() else "texts" if dtype == pl.String else ""


def is_utf8(path: Path) -> bool:
    """Whether the decoder can be given the name of a file, or of one that it is to write."""
    return not any("\ud800" <= character <= "\udfff" for character in str(path))


@once
def _check_path(path: Path) -> None:
    if not is_utf8(path):
        problem = Problem(
            "", "", "a Parquet file whose name is not UTF-8", "one that its decoder can open", "Rename it."
        )
        raise InputError(str(path), [problem])
    with open_bytes(path) as file:
        _check_ends(str(path), file)
    _check(str(path), str(path.absolute()), b"")


def _check_ends(name: str, file: io.BufferedIOBase) -> None:
    """Most damaged files were cut short, which their ends show at once."""
    start, size = file.read(len(PARQUET_MAGIC)), file.seek(0, os.SEEK_END)
    file.seek(max(0, size - TAIL))
    tail = file.read()
    if start != PARQUET_MAGIC or tail[4:] != PARQUET_MAGIC:
        raise _damaged(name, f"its {'start' if start != PARQUET_MAGIC else 'end'} is that of none")
    footer = int.from_bytes(tail[:4], "little")
    if footer > size - TAIL - len(PARQUET_MAGIC):
        raise _damaged(name, f"it has {size:,} bytes and says that {footer:,} of them are its footer")


def _check(name: str, path: str, data: bytes) -> None:
    call = [sys.executable, "-P", "-c", f"from {__name__} import try_parquet; try_parquet()", path]
    try:
        done = subprocess.run(call, input=data, capture_output=True, check=False)
    except OSError as error:
        hint = "Close other programs and try again."
        why = f"a Parquet file that no process could be started to check ({error.strerror})"
        raise InputError(name, [Problem("", "", why, "room for one", hint)]) from None
    if done.returncode:
        ended = f"its decoder was ended by {signal.Signals(-done.returncode).name}" if done.returncode < 0 else ""
        raise _damaged(name, done.stdout.decode(errors="replace") or ended or "its decoder failed")


def try_parquet() -> None:
    """In a process of its own: decode the file that the call names, or standard input; print what is wrong."""
    file = io.BytesIO(sys.stdin.buffer.read()) if sys.argv[1] == "-" else Path(sys.argv[1])
    try:
        pl.read_parquet_metadata(file)
        if isinstance(file, io.BytesIO):
            file.seek(0)
        # Not in batches: these end silently where a thread of the decoder panics.
        pl.scan_parquet(file, glob=False).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        print(shorten_text(" ".join(str(error).split()), 300))
        sys.stdout.flush()
        os._exit(1)
    # Threads of a decoder that has met damage may never end.
    os._exit(0)


@contextlib.contextmanager
def _stderr_withheld() -> Iterator[None]:
    """Show what is written on standard error inside afterwards, or not at all where an error is raised."""
    try:
        sys.stderr.flush()
        kept = os.dup(2)
    except (OSError, ValueError, AttributeError):  # There is none.
        yield
        return
    with tempfile.TemporaryFile() as output:
        os.dup2(output.fileno(), 2)
        try:
            yield
        finally:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
        output.seek(0)
        if text := output.read():
            os.write(2, text)


def _damaged(name: str, why: str) -> InputError:
    found = f"a Parquet file that cannot be read ({shorten_text(' '.join(why.split()), 300)})"
    return InputError(name, [Problem("", "", found, "a whole one", AGAIN)])

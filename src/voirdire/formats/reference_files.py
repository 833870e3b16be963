"""Reference sets of any size, as `answers densify` writes them: Parquet, JSON lines, JSON, and their gzip.

The layout is that of `references`. A file is read in blocks, and a text that occurs often is in memory once: a set
takes about 150 bytes, and eight for each of its answers. The reader of the format reads each block of JSON, so that
both accept the same; blocks end where a record ends with its line, and a list that has no such place is one block. Only
a file with a fault is read again, whole, by the reader of the format, which reports it. The rows of a block of Parquet
are checked all at once; a bad one goes to the reader of the format, so that messages are those for JSON.
"""

import gzip
import hashlib
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.atomic import atomic_path, hidden_folder
from voirdire.errors import SHOWN, InputError, Problem
from voirdire.formats.catalogue import read_as
from voirdire.formats.files import BOM, GZIP_MAGIC, Source, once, open_bytes, write_records
from voirdire.formats.parquet import PARQUET_MAGIC, check_columns, check_parquet, reading_parquet
from voirdire.formats.references import FLAGS, FORMAT, References, parse_references
from voirdire.formats.round_files import MOST, ROUNDS, label_round, resolve_base, usual
from voirdire.formats.strict import Problems
from voirdire.lazy import pl

ENDINGS = (".parquet", ".jsonl", ".jsonl.gz", ".json", ".json.gz")
SIZE = 1 << 23  # Bytes of JSON in a block.
GROUP = 65_536  # Rows that Parquet groups; fixed, so that the same sets are the same bytes.
ROWS = GROUP  # Rows of Parquet in a block.
FIELDS = {
    "image_id": "whole numbers",
    "round_id": "whole numbers",
    "in_cluster_idxs": "lists of whole numbers",
    "refs": "lists of texts",
    "question": "texts",
    "gt_answer": "texts",
}

_RECORD_END = re.compile(rb"\}\s*,\s*$")

Bool = npt.NDArray[np.bool_]
Int64 = npt.NDArray[np.int64]


@once
def read_sets(path: str | Path, base: int | None = None) -> References:
    """Reference sets of any layout; `base` is that of their rounds where the file leaves it open."""
    path = Path(path)
    # Standard input and pipes can be read only once.
    if str(path) != "-" and path.is_file():
        parquet = False
        try:
            with open_bytes(path) as file:
                start = file.read(len(PARQUET_MAGIC))
                file.seek(0)
                if parquet := start.startswith(PARQUET_MAGIC):
                    blocks = _parquet_blocks(path)
                    return _joined(str(path), blocks, base, lambda: hashlib.file_digest(file, "sha256").hexdigest())
                data = hashlib.sha256()
                with gzip.GzipFile(fileobj=file) if start.startswith(GZIP_MAGIC) else file as plain:
                    return _joined(str(path), _json_blocks(plain, str(path), data.update), base, data.hexdigest)
        except (InputError, EOFError, OSError, zlib.error):
            if parquet:
                raise
    sets: References = read_as(path, FORMAT.name, base)
    return sets


def _joined(name: str, blocks: Iterator[References], base: int | None, fingerprint: Callable[[], str]) -> References:
    """The blocks of one file as one record."""
    known: dict[str, str] = {}
    texts, questions, truths = list[str](), list[str](), list[str]()
    arrays = list[tuple[npt.NDArray[np.generic], ...]]()
    for block in blocks:
        if arrays and arrays[0][2].shape[1] != block.in_set.shape[1]:
            found = f"{block.in_set.shape[1]} options from row {sum(len(columns[0]) for columns in arrays) + 1} on"
            expected = f"{arrays[0][2].shape[1]}, as before"
            raise InputError(name, [Problem("", FLAGS, found, expected)])
        arrays.append((block.image_ids, block.rounds + block.base, block.in_set, np.diff(block.first)))
        for all_, new in ((texts, block.texts), (questions, block.questions), (truths, block.gt_answers)):
            all_.extend(map(known.setdefault, new, new))
    problems = Problems(name)
    problems.require(arrays, "record")
    problems.check()
    images, ids, in_set, sizes = (np.concatenate(parts) for parts in zip(*arrays, strict=True))
    _refuse_repeated(images, ids, problems)
    counted_from = resolve_base(ids, None, Source(name, b""), otherwise=base)
    first = np.append(0, np.cumsum(sizes))
    return References(
        images, ids - counted_from, in_set, texts, first, questions, truths, counted_from, fingerprint=fingerprint()
    )


def _refuse_repeated(images: Int64, ids: Int64, problems: Problems) -> None:
    order = np.lexsort((ids, images))
    again = (np.diff(images[order]) == 0) & (np.diff(ids[order]) == 0)
    for row in np.sort(order[1:][again]).tolist():
        problems.add(
            f"row {row + 1}, image {images[row]}, round_id {ids[row]}", "", "this round twice", "each round once"
        )
    problems.check()


def _json_blocks(file: BinaryIO | gzip.GzipFile, name: str, update: Callable[[bytes], None]) -> Iterator[References]:
    """The sets of each block, rounds counted as the file does; `update` gets the bytes, unpacked."""
    block, opening = b"".join(file.readlines(SIZE)).removeprefix(BOM), b""
    listed = block.lstrip().startswith(b"[")
    while block:
        if listed:
            block = _up_to_record(block, file)
        update(block)
        following = b"".join(file.readlines(SIZE))
        text = opening + block
        if listed and following:
            text = text.rstrip().removesuffix(b",") + b"]"
        if text.strip():
            # A block may lack the rounds that show the base; that of all blocks is resolved together.
            yield parse_references(Source(name, text), otherwise=0)
        block, opening = following, b"[" if listed else b""


def _up_to_record(block: bytes, file: BinaryIO | gzip.GzipFile) -> bytes:
    """The block with the lines up to one that ends a record; no field is an object, so that a brace ends its record."""
    lines = [block]
    while not _RECORD_END.search(lines[-1][-80:]) and (line := file.readline()):
        lines.append(line)
    return b"".join(lines)


def _parquet_blocks(path: Path) -> Iterator[References]:
    """The sets of each block, rounds counted as the file does."""
    check_parquet(path)
    with reading_parquet(str(path)):
        table = pl.scan_parquet(path, glob=False)
        schema = table.collect_schema()
    # Sets of dialogues without options have no flags.
    check_columns(str(path), schema, FIELDS, optional=(FLAGS,))
    table, at = table.select([field for field in FIELDS if field in schema]), 0
    while True:
        with reading_parquet(str(path)):
            rows = table.slice(at, ROWS).collect()
        if not rows.height:
            return
        yield _parquet_block(str(path), rows, at)
        at += rows.height


def _parquet_block(name: str, rows: "pl.DataFrame", at: int) -> References:
    refs = pl.col("refs").list
    good = [
        pl.col("image_id").is_between(0, 2**63 - 1),
        pl.col("round_id").is_between(0, ROUNDS),
        (refs.len() > 0) & ~refs.contains(None),
        pl.col("question", "gt_answer").is_not_null(),
    ]
    width = usual(rows[FLAGS].list.len().drop_nulls().to_list()) if FLAGS in rows.columns else 0
    if width:
        flags = pl.col(FLAGS).list
        good += [
            (flags.len() == width) & (width <= MOST) & (flags.min() >= 0) & (flags.max() <= 1) & ~flags.contains(None),
            flags.sum() == refs.len(),
        ]
    fine = rows.select(pl.all_horizontal(*good).fill_null(False)).to_series()
    if not fine.all():
        _refuse(name, rows, np.flatnonzero(~fine.to_numpy()), at, width)
    return References(
        rows["image_id"].cast(pl.Int64).to_numpy(),
        rows["round_id"].cast(pl.Int64).to_numpy(),
        rows[FLAGS].explode().to_numpy().reshape(-1, width).astype(np.bool_)
        if width
        else np.zeros((rows.height, 0), np.bool_),
        rows["refs"].explode().to_list(),
        np.append(0, np.cumsum(rows["refs"].list.len().to_numpy(), dtype=np.int64)),
        rows["question"].to_list(),
        rows["gt_answer"].to_list(),
    )


def _refuse(name: str, rows: "pl.DataFrame", bad: npt.NDArray[np.intp], at: int, width: int) -> None:
    """Raise the problems that the reader of the format finds in these rows."""
    problems = Problems(name)
    for place in bad[:SHOWN].tolist():
        record = rows.row(place, named=True)
        where = ", ".join(part for part in (f"row {at + place + 1}", label_round(record)) if part)
        try:
            parse_references(Source(name, msgspec.json.encode([record])), otherwise=0)
        except InputError as error:
            for problem in error.problems:
                problems.add(where, problem.field, problem.found, problem.expected)
        else:
            found = f"{len(record[FLAGS])} options"
            problems.add(where, FLAGS, found, f"{width}, as most sets of the file have")
    problems.stop()


class RoundColumns(Protocol):
    """The rounds whose sets are written, as `densify.Rounds` has them."""

    def __getattr__(self, name: str) -> npt.NDArray[Any]: ...
    def texts(self, name: str) -> list[str]: ...


def write_sets(rounds: RoundColumns, flags: Iterator[Bool], output: str | Path) -> int:
    """Write the sets as they come; return how many answers there are in all of them."""
    answers = 0

    def counted() -> Iterator[Bool]:
        nonlocal answers
        for block in flags:
            answers += int(block.sum())
            yield block

    if str(output).endswith(".parquet"):
        _write_parquet(rounds, counted(), Path(output))
    else:
        write_records(_records(rounds, counted()), output)
    return answers


def _records(rounds: RoundColumns, flags: Iterable[Bool]) -> Iterator[dict[str, Any]]:
    answers, questions, at = rounds.texts("answers"), rounds.texts("questions"), 0
    columns = [getattr(rounds, name) for name in ("image_ids", "numbers", "question", "gt_index", "options")]
    for block in flags:
        here = [np.asarray(column[at : at + len(block)]) for column in columns]
        at += len(block)
        for image, number, question, truth, options, inside in zip(*(c.tolist() for c in here), block, strict=True):
            yield {
                "image_id": image,
                "round_id": number,
                "in_cluster_idxs": inside.astype(int).tolist(),
                "refs": [answers[options[place]] for place in np.flatnonzero(inside).tolist()],
                "question": questions[question],
                "gt_answer": answers[options[truth]],
            }


def _write_parquet(rounds: RoundColumns, flags: Iterable[Bool], path: Path) -> None:
    """Parts of a fixed number of rows first, then all of them streamed into one file."""
    answers, questions = pl.Series(rounds.texts("answers")), pl.Series(rounds.texts("questions"))
    with hidden_folder(path) as folder:
        parts: list[Path] = []
        at = 0
        for block in flags:
            frame = _frame(rounds, answers, questions, block, at)
            at += len(block)
            part = folder / f"{len(parts):06}.parquet"
            frame.write_parquet(part)
            parts.append(part)
        with atomic_path(path) as unfinished:
            pl.scan_parquet(parts).sink_parquet(unfinished, row_group_size=GROUP, maintain_order=True)


def _frame(rounds: RoundColumns, answers: Any, questions: Any, block: Bool, at: int) -> Any:
    here = slice(at, at + len(block))
    options = np.asarray(rounds.options[here])
    truth = options[np.arange(len(block)), np.asarray(rounds.gt_index[here])]
    sizes = block.sum(axis=1)
    refs = pl.DataFrame({"row": np.repeat(np.arange(len(block)), sizes), "refs": answers[options[block]]})
    return pl.DataFrame(
        {
            "image_id": np.asarray(rounds.image_ids[here]),
            "round_id": np.asarray(rounds.numbers[here]).astype(np.int8),
            "in_cluster_idxs": pl.Series(block.astype(np.uint8)).cast(pl.List(pl.UInt8)),
            "refs": refs.group_by("row", maintain_order=True).agg("refs")["refs"],
            "question": questions[np.asarray(rounds.question[here])],
            "gt_answer": answers[truth],
        }
    )

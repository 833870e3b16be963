"""Reference sets in Parquet: a table with the fields of the published layout, a row a set, in blocks of rows.

A block's rows are checked all at once. One that does not pass is shown to the reader of the format, so that people are
told the same as of a record in JSON.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire.errors import SHOWN, InputError, Problem
from voirdire.formats.files import Source
from voirdire.formats.references import References, parse_references
from voirdire.formats.rounds import ROUNDS, label_round, parse_with_base
from voirdire.formats.strict import Problems

if TYPE_CHECKING:
    import polars as pl

__all__ = ["is_parquet", "parquet_blocks"]

MAGIC = b"PAR1"
# As many rows as `dense_output` writes in a group.
ROWS = 65_536
OPTIONS = 100

FIELDS = {
    "image_id": "whole numbers",
    "round_id": "whole numbers",
    "in_cluster_idxs": "lists of whole numbers",
    "refs": "lists of texts",
    "question": "texts",
    "gt_answer": "texts",
}


def is_parquet(path: Path) -> bool:
    """Whether a file begins as Parquet does; one that cannot be read does not."""
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def parquet_blocks(path: Path) -> Iterator[References]:
    """The sets of each block, rounds counted as the file does."""
    import polars as pl

    try:
        table = pl.scan_parquet(path, glob=False)
        _check_columns(str(path), table.collect_schema())
        table, at = table.select(list(FIELDS)), 0
        while (rows := table.slice(at, ROWS).collect()).height:
            yield _block(str(path), rows, at)
            at += rows.height
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        found = f"a Parquet file that cannot be read ({' '.join(str(error).split())})"
        hint = "It may have been cut short or damaged; write or copy it again."
        raise InputError(str(path), [Problem("", "", found, "a whole one", hint)]) from None


def _check_columns(name: str, schema: "pl.Schema") -> None:
    problems = Problems(name)
    for field, kind in FIELDS.items():
        if field not in schema:
            there = f"The columns are {', '.join(schema) or 'none'}."
            problems.add("", field, "nothing", f"a column of {kind}", there)
        elif _kind(schema[field]) != kind:
            problems.add("", field, f"a column of {schema[field]}", f"a column of {kind}")
    problems.check()


def _kind(dtype: "pl.DataType") -> str:
    """What a column holds, as FIELDS says it; empty where it says nothing of the sort."""
    import polars as pl

    if isinstance(dtype, pl.List):
        return f"lists of {_kind(cast('pl.DataType', dtype.inner))}"
    return "whole numbers" if dtype.is_integer() else "texts" if dtype == pl.String else ""


def _block(name: str, rows: "pl.DataFrame", at: int) -> References:
    import polars as pl

    flags, refs = pl.col("in_cluster_idxs").list, pl.col("refs").list
    good = rows.select(
        pl.all_horizontal(
            pl.col("image_id").is_between(0, 2**63 - 1),
            pl.col("round_id").is_between(0, ROUNDS),
            (flags.len() == OPTIONS) & (flags.min() >= 0) & (flags.max() <= 1) & ~flags.contains(None),
            (flags.sum() == refs.len()) & (refs.len() > 0) & ~refs.contains(None),
            pl.col("question", "gt_answer").is_not_null(),
        ).fill_null(False)
    ).to_series()
    if not good.all():
        _refuse(name, rows, np.flatnonzero(~good.to_numpy()), at)
    return References(
        rows["image_id"].cast(pl.Int64).to_numpy(),
        rows["round_id"].cast(pl.Int64).to_numpy(),
        rows["in_cluster_idxs"].explode().to_numpy().reshape(-1, OPTIONS).astype(np.bool_),
        rows["refs"].explode().to_list(),
        np.append(0, np.cumsum(rows["refs"].list.len().to_numpy(), dtype=np.int64)),
        rows["question"].to_list(),
        rows["gt_answer"].to_list(),
    )


def _refuse(name: str, rows: "pl.DataFrame", bad: npt.NDArray[np.intp], at: int) -> None:
    """Raise what the format says of these rows."""
    problems = Problems(name)
    for place in bad[:SHOWN].tolist():
        record = rows.row(place, named=True)
        where = ", ".join(part for part in (f"row {at + place + 1}", label_round(record)) if part)
        try:
            parse_with_base(parse_references, Source(name, msgspec.json.encode([record])), 0)
        except InputError as error:
            for problem in error.problems:
                problems.add(where, problem.field, problem.found, problem.expected)
    problems.stop()

"""Parquet tables: read whole, or as the JSON lines of their rows, for readers that know records."""

import io
from typing import TYPE_CHECKING

from voirdire.formats.source import Source

if TYPE_CHECKING:
    import polars as pl

__all__ = ["PARQUET_MAGIC", "parquet_as_lines", "parquet_table"]

PARQUET_MAGIC = b"PAR1"


def parquet_table(source: Source) -> "pl.DataFrame":
    """The table of a file; one that cannot be read is an error."""
    import polars as pl

    try:
        return pl.read_parquet(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        found = f"a Parquet file that cannot be read ({' '.join(str(error).split())})"
        hint = "It may have been cut short or damaged; write or copy it again."
        raise source.fail("", "", found, "a whole one", hint) from None


def parquet_as_lines(source: Source) -> Source:
    """The same rows as JSON lines under the same name."""
    lines = io.BytesIO()
    parquet_table(source).write_ndjson(lines)
    return Source(source.name, lines.getvalue())

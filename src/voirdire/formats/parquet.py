"""A Parquet table as the JSON lines of its rows, for readers that know records."""

import io

from voirdire.formats.source import Source

__all__ = ["PARQUET_MAGIC", "parquet_as_lines"]

PARQUET_MAGIC = b"PAR1"


def parquet_as_lines(source: Source) -> Source:
    """The same rows as JSON lines under the same name; a file that cannot be read is an error."""
    import polars as pl

    try:
        table = pl.read_parquet(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        found = f"a Parquet file that cannot be read ({' '.join(str(error).split())})"
        hint = "It may have been cut short or damaged; write or copy it again."
        raise source.fail("", "", found, "a whole one", hint) from None
    lines = io.BytesIO()
    table.write_ndjson(lines)
    return Source(source.name, lines.getvalue())

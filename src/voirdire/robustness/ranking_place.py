"""Whether a ranking may be written to a place: one that is there is neither made again nor replaced unasked."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from voirdire.atomic import check_output
from voirdire.errors import InputError, UsageError
from voirdire.formats.question_ranking import COLUMNS, certificates_file, pool_file, scan_table
from voirdire.robustness.ranking_signature import unlike

__all__ = ["check_name", "is_finished"]

REMEDY = "Name another file, or ask for it to be overwritten (--overwrite)."


def check_name(output: Path) -> None:
    """Refuse a path at which no ranking can be put; to be asked before the work is done, too."""
    if output.suffix != ".parquet":
        raise UsageError(f"{output}: a ranking is written to a file whose name ends in .parquet")
    check_output(output)


def is_finished(output: Path, signature: Mapping[str, Any]) -> bool:
    """Whether `output` is the ranking of this signature, whole; an error where it is anything else.

    One of the same signature that was cut short, or has lost what belongs beside it, may be made again.
    """
    import polars as pl

    if not output.exists():
        return False
    try:
        table, about = scan_table(output, COLUMNS)
    except InputError as error:
        raise UsageError(
            f"{output}: is there already and is no whole ranking ({error.problems[0]}). {REMEDY}"
        ) from None
    said = about.get("signature", {})
    if found := unlike({name: said[name] for name in signature if name in said}, signature):
        raise UsageError(f"{output}: another ranking is there already ({found}). {REMEDY}")
    rows = table.select(pl.len()).collect().item()
    return rows == about["rows"] and certificates_file(output).exists() and pool_file(output).exists()

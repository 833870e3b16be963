"""The sets of a whole dataset on their way to a file: JSON as published, or Parquet with the same fields."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from voirdire.atomic import atomic_path
from voirdire.formats.files import write_records

__all__ = ["ENDINGS", "write_sets"]

ENDINGS = (".parquet", ".jsonl", ".jsonl.gz", ".json", ".json.gz")
# Rows that Parquet groups; fixed, so that the same sets are the same bytes.
GROUP = 65_536

Bool = npt.NDArray[np.bool_]


class Laid(Protocol):
    """The rounds whose sets are written, as `densify.Rounds` has them."""

    def __getattr__(self, name: str) -> npt.NDArray[Any]: ...
    def texts(self, name: str) -> list[str]: ...


def write_sets(rounds: Laid, flags: Iterator[Bool], output: str | Path) -> int:
    """Write the sets as they come, and say how many answers they hold together."""
    counted = _Counted(flags)
    if str(output).endswith(".parquet"):
        _write_parquet(rounds, counted, Path(output))
    else:
        write_records(_records(rounds, counted), output)
    return counted.answers


class _Counted:
    """The blocks of flags, with the number of those set so far."""

    def __init__(self, flags: Iterator[Bool]) -> None:
        self._flags = flags
        self.answers = 0

    def __iter__(self) -> Iterator[Bool]:
        for block in self._flags:
            self.answers += int(block.sum())
            yield block


def _records(rounds: Laid, flags: Iterable[Bool]) -> Iterator[dict[str, Any]]:
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


def _write_parquet(rounds: Laid, flags: Iterable[Bool], path: Path) -> None:
    """Parts of a fixed number of rows first, then all of them streamed into one file."""
    import polars as pl

    path.parent.mkdir(parents=True, exist_ok=True)
    answers, questions = pl.Series(rounds.texts("answers")), pl.Series(rounds.texts("questions"))
    with TemporaryDirectory(dir=path.parent, prefix=".densify.") as folder:
        parts: list[Path] = []
        at = 0
        for block in flags:
            frame = _frame(rounds, answers, questions, block, at)
            at += len(block)
            part = Path(folder) / f"{len(parts):06}.parquet"
            frame.write_parquet(part)
            parts.append(part)
        with atomic_path(path) as unfinished:
            pl.scan_parquet(parts).sink_parquet(unfinished, row_group_size=GROUP, maintain_order=True)


def _frame(rounds: Laid, answers: Any, questions: Any, block: Bool, at: int) -> Any:
    import polars as pl

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

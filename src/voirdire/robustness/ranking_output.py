"""A ranking as Parquet, and beside it the certificates and the pool.

    OUT.parquet               image_id, question_id, main_question, rank, pool_index, basic_question, score
    OUT.certificates.parquet  one row a main question: image_id, question_id, main_question, neighbours (how many),
                              left_out (its own place in the pool, null where it is not in it), and what the ranker
                              proves of its list: of LASSO `gap`, `support`, `status`, `reason`
    OUT.pool.parquet          pool_index, basic_question: the whole pool

Each file says under `voirdire.ranking` in its metadata what the ranking depends on. The ranking itself comes last, so
that where it is, the others are.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from voirdire.atomic import atomic_path
from voirdire.formats.question_ranking import METADATA, certificates_file, pool_file
from voirdire.robustness.ranking_lists import Lists
from voirdire.robustness.ranking_work import Laid

if TYPE_CHECKING:
    import polars as pl

__all__ = ["write_ranking"]

# Main questions a piece in memory, and rows that Parquet groups: fixed, so that the same lists are the same bytes.
BLOCK, GROUP = 8192, 131_072


def write_ranking(laid: Laid, lists: Lists, signature: Mapping[str, Any], output: Path) -> None:
    """Write the three files, each whole or not at all."""
    import polars as pl

    text = np.asarray(laid.array("text"))
    asked = pl.Series(laid.questions(), dtype=pl.String)
    pool = pl.DataFrame({"pool_index": np.arange(len(laid.pool), dtype=np.int32), "basic_question": laid.pool})
    rows = int(lists.lengths()[text[text >= 0]].sum())
    about = {"signature": dict(signature), "main_questions": len(text), "rows": rows}
    metadata = {METADATA: json.dumps(about, ensure_ascii=False, sort_keys=True)}
    output.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(pool_file(output)) as partial:
        pool.write_parquet(partial, row_group_size=GROUP, metadata=metadata)
    with atomic_path(certificates_file(output)) as partial:
        _certificates(laid, lists, text, asked).write_parquet(partial, row_group_size=GROUP, metadata=metadata)
    with TemporaryDirectory(dir=laid.folder, prefix="parts.") as folder:
        parts: list[Path] = []
        for frame in _frames(laid, lists, text, asked, pool["basic_question"]):
            parts.append(Path(folder) / f"{len(parts):06}.parquet")
            frame.write_parquet(parts[-1])
        with atomic_path(output) as partial:
            pl.scan_parquet(parts).sink_parquet(partial, row_group_size=GROUP, maintain_order=True, metadata=metadata)


def _frames(
    laid: Laid, lists: Lists, text: "np.ndarray[Any, Any]", asked: "pl.Series", pool: "pl.Series"
) -> Iterator["pl.DataFrame"]:
    import polars as pl

    images, ids = laid.array("image_ids"), laid.array("question_ids")
    for start in range(0, len(text), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(text)))
        rows = rows[text[rows] >= 0]
        places, scores = np.asarray(lists.places[text[rows]]), np.asarray(lists.scores[text[rows]])
        there = places >= 0
        of, rank = np.nonzero(there)
        yield pl.DataFrame(
            {
                "image_id": np.asarray(images[rows])[of],
                "question_id": np.asarray(ids[rows])[of],
                "main_question": asked.gather(rows[of]),
                "rank": (rank + 1).astype(np.int32),
                "pool_index": places[there],
                "basic_question": pool.gather(places[there]),
                "score": scores[there],
            }
        )


def _certificates(laid: Laid, lists: Lists, text: "np.ndarray[Any, Any]", asked: "pl.Series") -> "pl.DataFrame":
    import polars as pl

    # A question without text has no place: a last entry stands for it.
    lengths = np.append(lists.lengths(), 0)[text]
    own = np.append(np.asarray(laid.array("own")), -1)[text]
    return pl.DataFrame(
        {
            "image_id": np.asarray(laid.array("image_ids")),
            "question_id": np.asarray(laid.array("question_ids")),
            "main_question": asked,
            "neighbours": lengths.astype(np.int32),
            "left_out": pl.Series(own.astype(np.int32)).replace(-1, None),
            **{
                name: pl.Series([*values, None]).gather(text % (len(values) + 1))
                for name, values in lists.certificates.items()
            },
        }
    )

"""Seeds of the robustness exam's own format for the mutation of formats."""

import io
import json

import polars as pl
from format_cases import Case

from voirdire.formats.question_ranking import METADATA

__all__ = ["CASES"]


def question_ranking() -> list[bytes]:
    count = 6
    table = pl.DataFrame(
        {
            "image_id": [1 + row // 4 for row in range(count)],
            "question_id": [10 + row // 2 for row in range(count)],
            "main_question": [f"Is it {row // 2}?" for row in range(count)],
            "rank": [1 + row % 2 for row in range(count)],
            "pool_index": list(range(count)),
            "basic_question": [f"Why {row}?" for row in range(count)],
            "score": [1.0 - 0.125 * row for row in range(count)],
        }
    )
    about = {"signature": {"ranker": "cider", "top": 2}, "main_questions": 3, "rows": count}
    files = []
    for metadata in ({METADATA: json.dumps(about)}, None):
        out = io.BytesIO()
        table.write_parquet(out, compression="uncompressed", metadata=metadata)
        files.append(out.getvalue())
    return files


CASES = (Case("question_ranking", question_ranking, suffix=".parquet"),)

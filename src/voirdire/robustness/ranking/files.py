"""The files of a ranking: where they are, whether they may be written, and how.

    OUT.parquet               image_id, question_id, main_question, rank, pool_index, basic_question, score
    OUT.certificates.parquet  one row per main question: image_id, question_id, main_question, neighbours (how many),
                              filled (how many rows more only fill its list up, at score 0), left_out (its own place
                              in the pool, null where it is not in it), and what the ranker proves of its list: of
                              LASSO `gap`, `support`, `status`, `reason`
    OUT.pool.parquet          pool_index, basic_question: the whole pool
    OUT.parquet.work/         what is finished of a ranking that is not whole yet, see `ranking.unfinished`

Each file says under `voirdire.ranking` in its metadata what the ranking depends on, which is told and compared as of
any other run. The ranking itself comes last, so that where it is, the others are. One that is there is neither made
again nor replaced unasked.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from voirdire.atomic import atomic_path, check_output
from voirdire.errors import InputError, UsageError
from voirdire.formats.question_ranking import (
    COLUMNS,
    METADATA,
    Ranking,
    certificates_file,
    fail,
    pool_file,
    scan_table,
)
from voirdire.formats.strict import Problems
from voirdire.runs import Signature, differences

if TYPE_CHECKING:
    import polars as pl

    from voirdire.robustness.ranking.lists import FoundLists, MainAndPool

# Rows that Parquet groups: fixed, so that the same lists are the same bytes.
GROUP = 131_072
REMEDY = "Name another file, or ask for it to be overwritten (`overwrite`)."
OWN = frozenset({"main", "limit"})
"""What may differ between parts of one ranking."""
# Parts of what a ranking depends on that are hashes.
HASHES = ("main", "pool", "encoder_hash", "data")


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


def as_signature(about: Mapping[str, Any]) -> Signature:
    """The signature of a ranking from what its file says of itself; the version is empty where that says nothing."""
    rest = dict(about)
    return Signature(
        version=rest.pop("version", ""),
        data={name: rest.pop(name) for name in HASHES if name in rest},
        tokeniser=rest.pop("tokeniser", None),
        encoder=rest.pop("encoder", None),
        options=rest,
    )


def unlike(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """In what two rankings differ, for a message; empty where they do not. Of hashes the beginnings are shown."""
    found = differences(as_signature(first), as_signature(second))
    return "; ".join(str(one).removeprefix("data.").removeprefix("options.") for one in found)


def join_rankings(rankings: Sequence[Ranking]) -> Ranking:
    """Several rankings as one, in the order in which they are given.

    They are parts of one ranking where all that they depend on, except the main questions, is the same.
    """
    whole, *others = rankings
    for part in others:
        ours, theirs = (
            {name: value for name, value in one.signature.items() if name not in OWN} for one in (whole, part)
        )
        if said := unlike(ours, theirs):
            hint = "Rank all parts with the same options and the same pool."
            raise fail(part.name, f"a part that differs from {rankings[0].name} ({said})", "parts of one ranking", hint)
        twice = np.intersect1d(whole.question_ids, part.question_ids)
        if len(twice):
            problems = Problems(part.name)
            for one in twice.tolist():
                problems.add(f"question {one}", "question_id", "a question that an earlier part has", "each once")
            problems.check()
        whole = _joined(whole, part)
    return whole


def _joined(a: Ranking, b: Ranking) -> Ranking:
    def both(name: str) -> Any:
        return np.concatenate([getattr(a, name), getattr(b, name)])

    return Ranking(
        both("image_ids"),
        both("question_ids"),
        [*a.questions, *b.questions],
        np.concatenate([a.first, b.first[1:] + a.first[-1]]),
        both("pool_indices"),
        np.concatenate([a.texts, b.texts + len(a.basic)]),
        both("scores"),
        [*a.basic, *b.basic],
        a.asked + b.asked,
        a.signature,
        f"{a.name}, {b.name}",
        a.warnings + b.warnings,
    )


def write_ranking(
    asked: "MainAndPool", lists: "FoundLists", signature: Mapping[str, Any], output: Path
) -> "pl.DataFrame":
    """Write the three files, each whole or not at all; gives the certificates."""
    import polars as pl

    questions = pl.Series(asked.main.questions, dtype=pl.String)
    pool = pl.DataFrame({"pool_index": np.arange(len(asked.pool), dtype=np.int32), "basic_question": asked.pool.texts})
    table = _table(asked, lists, questions, pool["basic_question"])
    about = {"signature": dict(signature), "main_questions": len(questions), "rows": len(table)}
    metadata = {METADATA: json.dumps(about, ensure_ascii=False, sort_keys=True)}
    certificates = _certificates(asked, lists, questions)
    for path, frame in ((pool_file(output), pool), (certificates_file(output), certificates), (output, table)):
        with atomic_path(path) as partial:
            frame.write_parquet(partial, row_group_size=GROUP, metadata=metadata)
    return certificates


def _table(asked: "MainAndPool", lists: "FoundLists", questions: "pl.Series", pool: "pl.Series") -> "pl.DataFrame":
    import polars as pl

    rows = np.flatnonzero(asked.text >= 0)
    places = lists.places[asked.text[rows]]
    there = places >= 0
    of, rank = np.nonzero(there)
    rows = rows[of]
    return pl.DataFrame(
        {
            "image_id": asked.main.image_ids[rows],
            "question_id": asked.main.question_ids[rows],
            "main_question": questions.gather(rows),
            "rank": (rank + 1).astype(np.int32),
            "pool_index": places[there],
            "basic_question": pool.gather(places[there]),
            "score": lists.scores[asked.text[rows], rank],
        }
    )


def _certificates(asked: "MainAndPool", lists: "FoundLists", questions: "pl.Series") -> "pl.DataFrame":
    import polars as pl

    # A question without text has no place: a last entry stands for it.
    text = asked.text
    return pl.DataFrame(
        {
            "image_id": asked.main.image_ids,
            "question_id": asked.main.question_ids,
            "main_question": questions,
            "neighbours": np.append(lists.lengths() - lists.filled, 0)[text].astype(np.int32),
            "filled": np.append(lists.filled, 0)[text].astype(np.int32),
            "left_out": pl.Series(np.append(asked.own, -1)[text].astype(np.int32)).replace(-1, None),
            **{
                name: pl.Series([*values, None]).gather(text % (len(values) + 1))
                for name, values in lists.certificates.items()
            },
        }
    )

"""The files of a ranking: where they are, whether they may be written, and what is kept while it runs.

    OUT.parquet               image_id, question_id, main_question, rank, pool_index, basic_question, score
    OUT.certificates.parquet  one row per main question: image_id, question_id, main_question, neighbours (how many),
                              filled (how many rows more only fill its list up, at score 0), left_out (its own place
                              in the pool, null where it is not in it), and what the ranker proves of its list: of
                              LASSO `gap`, `support`, `status`, `reason`
    OUT.pool.parquet          pool_index, basic_question: the whole pool
    OUT.parquet.work/         what is finished of a ranking that is not whole yet
        signature.json        what this run is: a run with other options may not go on here
        questions.msgpack     its main questions and its pool, for a look at what is finished
        vectors.npy           the vectors of both, where several processes share them, sealed
        main.npy, columns/    of a pool that is split into parts: the vectors of the main questions, and those of the
                              pool, laid out for the parts (`robustness.lasso.layout`); until that is done, `pool.npy`
        robustness.rank-…/    the finished shards

Each Parquet file lists under `voirdire.ranking` in its metadata what the ranking depends on, which is shown and
compared like the signature of any other run. The ranking itself comes last, so that where it is, the others are. One
that exists is neither made again nor replaced unasked. The folder of unfinished work exists until the ranking is whole;
what it holds can be read all the time.
"""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire.atomic import atomic_path, check_output, lock_folder, read_sealed, sweep, write_atomic, write_sealed
from voirdire.engine import Span, Task, shards
from voirdire.engine.mapping import Store
from voirdire.errors import InputError, UsageError
from voirdire.formats.question_ranking import (
    COLUMNS,
    METADATA,
    Ranking,
    certificates_file,
    fail,
    pool_file,
    read_ranking,
    scan_table,
    work_folder,
)
from voirdire.formats.strict import Problems
from voirdire.lazy import pl
from voirdire.robustness.ranking.lists import FoundLists, MainAndPool, collect, distinct_texts, longest
from voirdire.runs import Signature, differences

# Rows that  Parquet groups: fixed, so that the same lists are the same bytes.
GROUP = 131_072
REMEDY = "Name another file, or ask for it to be overwritten (`overwrite`)."
OWN = frozenset({"main", "limit"})
"""What may differ between parts of one ranking."""
# Parts of what a ranking depends on that are hashes.
HASHES = ("main", "pool", "encoder_hash", "data")
SHARD = 128
"""Distinct main questions per shard: part of what is kept."""
VERSION = 4
SIGNATURE_FILE, QUESTIONS_FILE = "signature.json", "questions.msgpack"


def check_name(output: Path) -> None:
    """Refuse a path at which no ranking can be put; called before the work is done, too."""
    if output.suffix != ".parquet":
        raise UsageError(f"{output}: a ranking is written to a file whose name ends in .parquet")
    check_output(output)


def is_finished(output: Path, signature: Mapping[str, Any]) -> bool:
    """Whether `output` is the ranking of this signature, whole; an error where it is anything else.

    One of the same signature that was cut short, or has lost what belongs beside it, may be made again.
    """
    if not output.exists():
        return False
    try:
        table, about = scan_table(output, COLUMNS)
    except InputError as error:
        raise UsageError(
            f"{output}: is there already and is no whole ranking ({error.problems[0]}). {REMEDY}"
        ) from None
    theirs = about.get("signature", {})
    if differing := signature_difference({name: theirs[name] for name in signature if name in theirs}, signature):
        raise UsageError(f"{output}: another ranking is there already ({differing}). {REMEDY}")
    rows = table.select(pl.len()).collect().item()
    return rows == about["rows"] and certificates_file(output).exists() and pool_file(output).exists()


def as_signature(about: Mapping[str, Any]) -> Signature:
    """The signature of a ranking from the metadata of its file; the version is empty where that has none."""
    rest = dict(about)
    return Signature(
        version=rest.pop("version", ""),
        data={name: rest.pop(name) for name in HASHES if name in rest},
        tokeniser=rest.pop("tokeniser", None),
        encoder=rest.pop("encoder", None),
        options=rest,
    )


def signature_difference(first: Mapping[str, Any], second: Mapping[str, Any]) -> str:
    """In what two rankings differ, for a message; empty where they do not. Of hashes the beginnings are shown."""
    differing = differences(as_signature(first), as_signature(second))
    return "; ".join(str(difference).removeprefix("data.").removeprefix("options.") for difference in differing)


def join_rankings(rankings: Sequence[Ranking]) -> Ranking:
    """Several rankings as one, in the order in which they are given.

    They are parts of one ranking where all that they depend on, except the main questions, is the same.
    """
    whole, *others = rankings
    for part in others:
        ours, theirs = (
            {name: value for name, value in ranking.signature.items() if name not in OWN} for ranking in (whole, part)
        )
        if differing := signature_difference(ours, theirs):
            hint = "Rank all parts with the same options and the same pool."
            raise fail(
                part.name, f"a part that differs from {rankings[0].name} ({differing})", "parts of one ranking", hint
            )
        twice = np.intersect1d(whole.question_ids, part.question_ids)
        if len(twice):
            problems = Problems(part.name)
            for id_ in twice.tolist():
                problems.add(f"question {id_}", "question_id", "a question that an earlier part has", "each once")
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


def write_ranking(asked: MainAndPool, lists: FoundLists, signature: Mapping[str, Any], output: Path) -> "pl.DataFrame":
    """Write the three files, each whole or not at all; gives the certificates."""
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


def _table(asked: MainAndPool, lists: FoundLists, questions: "pl.Series", pool: "pl.Series") -> "pl.DataFrame":
    rows = np.flatnonzero(asked.text >= 0)
    places = lists.places[asked.text[rows]]
    listed = places >= 0
    of, rank = np.nonzero(listed)
    rows = rows[of]
    return pl.DataFrame(
        {
            "image_id": asked.main.image_ids[rows],
            "question_id": asked.main.question_ids[rows],
            "main_question": questions.gather(rows),
            "rank": (rank + 1).astype(np.int32),
            "pool_index": places[listed],
            "basic_question": pool.gather(places[listed]),
            "score": lists.scores[asked.text[rows], rank],
        }
    )


def _certificates(asked: MainAndPool, lists: FoundLists, questions: "pl.Series") -> "pl.DataFrame":
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


class _Kept(msgspec.Struct, frozen=True):
    """Main questions, with their ids as int64, and the texts of the pool."""

    question_ids: bytes
    image_ids: bytes
    questions: tuple[str, ...]
    pool: tuple[str, ...]


def vectors_file(work: Path, split: bool = False) -> Path:
    """Where the vectors are that several processes share: those of the pool, then those of the ranked texts.

    split  whether the pool is split into parts: then those of the ranked texts alone
    """
    return work / ("main.npy" if split else "vectors.npy")


def pool_vectors(work: Path) -> Path:
    """Where the vectors of a pool are that is split into parts, until they are laid out."""
    return work / "pool.npy"


def columns_folder(work: Path) -> Path:
    """Where the vectors of a pool that is split into parts are once they are laid out."""
    return work / "columns"


def _remove_vectors(work: Path) -> None:
    for path in (vectors_file(work), vectors_file(work, split=True), pool_vectors(work)):
        path.unlink(missing_ok=True)
    shutil.rmtree(columns_folder(work), ignore_errors=True)


def rank_task(signature: Mapping[str, Any], prepare: Callable[[], Callable[[Span], bytes]]) -> Task[Span]:
    """The map from spans of ranked texts to their neighbours."""
    return Task("robustness.rank", VERSION, prepare, signature)


@contextlib.contextmanager
def locked_work(work: Path, signature: Mapping[str, Any], asked: MainAndPool) -> Iterator[None]:
    """Lock `work` for one run; what another run has finished is not touched."""
    questions = work / QUESTIONS_FILE
    before = _signature_in(work)
    if before not in (None, signature) and next(work.glob("*/[!.]*.shard"), None) is not None:
        raise UsageError(
            f"{work}: holds the unfinished work of another run ({signature_difference(before or {}, signature)}). "
            "Call with the options of that run to go on with it, write to another file, or remove the folder."
        )
    with Store(work).opened(rank_task(signature, _not_run)):
        if before != signature:
            _remove_vectors(work)
        write_atomic(work / SIGNATURE_FILE, (json.dumps(signature, indent=2, ensure_ascii=False) + "\n").encode())
        ids, images = (np.asarray(part, "<i8").tobytes() for part in (asked.main.question_ids, asked.main.image_ids))
        data = msgspec.msgpack.encode(_Kept(ids, images, asked.main.questions, asked.pool.texts))
        if read_sealed(questions) != data:
            write_sealed(questions, [data], len(data))
        yield


def _signature_in(work: Path) -> dict[str, Any] | None:
    """The signature of the run in this folder; None where there is none, or it cannot be read."""
    try:
        signature = json.loads((work / SIGNATURE_FILE).read_bytes())
    except (OSError, ValueError):
        return None
    return signature if isinstance(signature, dict) else None


def remove_work(work: Path, signature: Mapping[str, Any]) -> None:
    """Remove what this run kept, and nothing else that the folder may hold."""
    shutil.rmtree(Store.of(work, rank_task(signature, _not_run)).folder, ignore_errors=True)
    # The last of them still tells a later call whose folder it is.
    _remove_vectors(work)
    for path in (work / name for name in (QUESTIONS_FILE, "run.json", "lock", SIGNATURE_FILE)):
        path.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        work.rmdir()


def remove_finished_work(work: Path, signature: Mapping[str, Any]) -> None:
    """Remove what a run that was killed after its last file kept; not where another run works, or it is another's."""
    with contextlib.suppress(UsageError, OSError):
        if _signature_in(work) == signature:
            with lock_folder(work):
                sweep(work)
                remove_work(work, signature)
        else:
            work.rmdir()  # Only where it is empty.


def read_any_ranking(path: str | Path) -> Ranking:
    """A ranking; while it is still being made, as much of it as is finished."""
    unfinished = None if Path(path).exists() else read_unfinished(path)
    return read_ranking(path) if unfinished is None else unfinished


def read_unfinished(output: str | Path) -> Ranking | None:
    """The lists that are finished of a ranking that still runs, or was stopped; None if there are none."""
    work = work_folder(output)
    signature, data = _signature_in(work), read_sealed(work / QUESTIONS_FILE)
    if signature is None or data is None:
        return None
    asked = msgspec.msgpack.decode(data, type=_Kept)
    ranked, text = distinct_texts(asked.questions)
    task = rank_task(signature, _not_run)
    store, spans = Store.of(work, task), shards(len(ranked), SHARD)
    top = longest(int(signature["top"]), len(asked.pool))
    lists = collect((store.read(task.key(span)) for span in spans), spans, top)
    # A question without text has no place: a last entry stands for it, which is finished and empty.
    rows = np.flatnonzero(np.append(lists.done, True)[text])
    places = np.append(lists.places, np.full((1, lists.places.shape[1]), -1, np.int32), axis=0)[text[rows]]
    scores = np.append(lists.scores, np.zeros((1, lists.scores.shape[1])), axis=0)[text[rows]]
    listed = places >= 0
    return Ranking(
        np.frombuffer(asked.image_ids, "<i8")[rows],
        np.frombuffer(asked.question_ids, "<i8")[rows],
        [asked.questions[row] for row in rows.tolist()],
        np.concatenate([[0], np.cumsum(listed.sum(axis=1))]).astype(np.int64),
        places[listed].astype(np.int64),
        places[listed].astype(np.int64),
        scores[listed],
        asked.pool,
        len(text),
        {**signature, **lists.signature},
        str(output),
        (f"{output}: {len(text) - len(rows):,} of {len(text):,} main questions are not ranked yet.",),
    )


def _not_run() -> Callable[[Span], bytes]:
    """Stands for the function of a map that is only read."""
    raise NotImplementedError

"""The nearest questions of a pool for every main question, in shards that survive being killed.

The texts of the main questions are cut into fixed shards; a worker makes its ranker once and gives it the questions of
a shard in batches of the size that the ranker asks for. What is finished is kept in a folder beside the output, and the
same call goes on from there; the folder is removed when the output is whole. The bytes of the output do not depend on
the number of workers or on interruptions.

The vectors that a ranking needs are in memory, in a file that processes share, or of a pool that is split into parts. A
pool is split where its vectors are more than one memory holds. They are written to disk by pieces as the encoder makes
them, then laid out as a dictionary there (different columns, their lengths), and the first file is removed: for a
moment the disk holds them twice. Whoever ranks then maps the parts, and works on them one after the other; on an engine
with nodes of its own, which has a method `connect`, each part is an actor instead, with its columns in the memory of a
node.
"""

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.atomic import is_sealed
from voirdire.engine import Engine, Here, Span, run_map, shards
from voirdire.engine.mapping import Store
from voirdire.engine.notes import has_listener, listening, noting
from voirdire.engine.shared_files import SharedFile, map_array, write_array
from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam import Outcome
from voirdire.formats.question_ranking import work_folder
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.progress import UNSEEN, Progress, Stages, watch_compiling
from voirdire.robustness.exam import BLEU, LASSO, METEOR, RankQuestionsOptions
from voirdire.robustness.pool import Pool, make_pool, yes_no_questions
from voirdire.robustness.rankers import FORMULAS, RANKERS, Make, Ranker
from voirdire.robustness.ranking.files import (
    SHARD,
    check_name,
    columns_folder,
    is_finished,
    locked_work,
    pool_vectors,
    rank_task,
    remove_finished_work,
    remove_work,
    vectors_file,
    write_ranking,
)
from voirdire.robustness.ranking.lists import MainAndPool, collect, fill_up, fingerprint, itself_first, longest, packed
from voirdire.robustness.ranking.summary import LEFT_OUT, Ranked, as_run, read_summary, summarise
from voirdire.runs.limit import draw
from voirdire.text.encoders import Encoder, encoder
from voirdire.text.encoders.protocol import encode_pieces

if TYPE_CHECKING:
    from voirdire.robustness.lasso.layout import ColumnLayout
    from voirdire.robustness.lasso.parts import SplitColumns

PREPARING = "preparing"
"""What a worker notes before its first result."""
COMPILE_SECONDS = {"lasso": 10, "meteor": 20}
"""How long rankers take to compile on first use; `benchmarks/compiling.py` prints it."""
PIECE = 4096
"""Texts that are encoded at once, and vectors that are in memory at once while they are laid out."""

Float32 = npt.NDArray[np.float32]


def make_ranking(
    main: VqaQuestions,
    pool: Sequence[VqaQuestions],
    output: str,
    pool_annotations: Sequence[VqaAnnotations] = (),
    options: RankQuestionsOptions | None = None,
    stages: Stages = UNSEEN,
    engine: Engine | None = None,
    overwrite: bool = False,
) -> Outcome:
    """Rank the questions of several files for those of `main`, and report how much that was; see `rank_questions`.

    pool_annotations  annotations of the pool, with `yes_no`: they say which questions are yes/no
    """
    options = options or RankQuestionsOptions()
    if options.ranker != LASSO and (options.lam, options.encoder, options.objective) != (
        RankQuestionsOptions.lam,
        RankQuestionsOptions.encoder,
        RankQuestionsOptions.objective,
    ):
        raise UsageError(f"`lambda`, `encoder` and `objective` are for lasso; {options.ranker} has none of them")
    if options.yes_no != bool(pool_annotations):
        raise UsageError("`yes_no` and `pool_annotations` go together: the annotations say which questions are yes/no")
    if options.ranker == METEOR:
        from voirdire.metrics import meteor

        meteor.prepare(stages("index for METEOR, made once", "steps"))
    drawn = draw(main.image_ids, options)
    offered = yes_no_questions(pool, pool_annotations) if options.yes_no else pool
    vectors = encoder(options.encoder) if options.ranker == LASSO else None
    with contextlib.nullcontext() if stages is UNSEEN else listening(stages.note):
        ranked = rank_questions(
            main, make_pool(offered), output, options, vectors, engine=engine, overwrite=overwrite, stages=stages
        )
    run = drawn.sign(as_run(ranked, options))
    done = "there already, with the same options from the same questions" if ranked.finished else "written"
    return Outcome((*ranked.lines(), f"{done}: {output}"), warnings=run.warnings, run=run)


def rank_questions(
    main: VqaQuestions,
    pool: Pool,
    output: str | Path,
    options: RankQuestionsOptions | None = None,
    encoder: Encoder | None = None,
    *,
    engine: Engine | None = None,
    make: Make | None = None,
    overwrite: bool = False,
    stages: Stages = UNSEEN,
) -> Ranked:
    """Write the neighbours of all main questions to `output` (.parquet), with certificates and pool beside it.

    encoder    what makes vectors of questions; only where the ranker needs them
    make       how a worker makes its ranker, if it is none of ours: a function of a module, since it travels
    overwrite  whether another ranking may be replaced; without it the same one is not made again
    """
    started = time.monotonic()
    options, engine, output = options or RankQuestionsOptions(), engine or Here(), Path(output)
    check_name(output)
    if not len(main):
        wanted = "at least one main question"
        raise InputError(main.name or "main questions", [Problem("", "questions", "no question", wanted)])
    if make is None:
        RANKERS.make(options.ranker)
    drawn = draw(main.image_ids, options)
    main = drawn.of(main)
    signature = _sign(main, pool, options, encoder) | drawn.signed
    work = work_folder(output)
    if not overwrite and is_finished(output, signature):
        remove_finished_work(work, signature)
        return read_summary(output)
    asked, top = MainAndPool.of(main, pool, options.keep_main), longest(options.top, len(pool))
    count, spans = len(asked.ranked), shards(len(asked.ranked), SHARD)
    with locked_work(work, signature, asked), contextlib.ExitStack() as stack:
        job = _Job(asked.ranked, asked.own, pool.texts, options, top, make)
        task = replace(rank_task(signature, job), first=lambda span: repr(asked.ranked[span.start]))
        store = Store.of(work, task)
        left = sum(store.read(task.key(span)) is None for span in spans)
        if encoder is not None and left:
            # Processes that work side by side map one file; this process alone needs none.
            split = options.pool_parts > 1 and make is None
            shared = None if isinstance(engine, Here) else vectors_file(work, split)
            if split:
                job.columns = stack.enter_context(split_pool(work, pool.texts, encoder, options, engine, stages))
                job.pool = ()
            job.vectors = encode([*job.pool, *asked.ranked], encoder, shared, stages, engine)
            job.encoder = encoder.name, encoder.signature

        ranking = stages("rank", "questions")

        def progress(done: int, _: int) -> None:
            ranking(min(done * SHARD, count), count)

        with run_map(task, spans, engine=engine, store=work, progress=progress) as parts:
            lists = collect(parts, spans, top)
        if options.keep_main:
            lists = itself_first(lists, asked.itself, alone=options.ranker == LASSO)
        if options.fills_up:
            lists = fill_up(lists, asked.own, len(pool))
        about = dict(sorted({**signature, **lists.signature}.items()))
        certificates = write_ranking(asked, lists, about, output)
    remove_work(work, signature)
    kept = min((len(spans) - left) * SHARD, count)
    return summarise(certificates, len(pool), about, kept, time.monotonic() - started)


def _sign(main: VqaQuestions, pool: Pool, options: RankQuestionsOptions, encoder: Encoder | None) -> dict[str, Any]:
    """What the lists depend on; a run with another signature is another run."""
    signature: dict[str, Any] = {"version": __version__, "ranker": options.ranker}
    if options.ranker == LASSO:
        signature |= {"lambda": options.penalty, "objective": FORMULAS[options.objective]}
    if encoder is not None:
        signature |= {"encoder": encoder.name, "encoder_hash": encoder.signature}
    if options.ranker in BLEU:
        signature["smoothing"] = options.smoothing
    return signature | {
        "top": options.top,
        "own_question": "kept" if options.keep_main else LEFT_OUT,
        "fill_up": options.fills_up,
        "yes_no": options.yes_no,
        "pool": pool.fingerprint,
        "main": fingerprint(main),
    }


class _Encoded:
    """Vectors that are there already, under the name and signature of the encoder that made them.

    vectors  those of the pool, then those of the main questions' texts; it knows no other texts
    """

    def __init__(self, name: str, signature: str, pool: Sequence[str], ranked: Sequence[str], vectors: Float32) -> None:
        self.name = name
        self.signature = signature
        self._pool, self._vectors = pool, vectors
        self._rows = {text: row for row, text in enumerate([*pool, *ranked])}

    @property
    def dimension(self) -> int:
        return int(self._vectors.shape[1])

    def encode(self, texts: Sequence[str]) -> Float32:
        """One row per text; those of the pool as a whole are not copied."""
        if texts is self._pool:
            return self._vectors[: len(self._pool)]
        return np.asarray(self._vectors[[self._rows[text] for text in texts]])


@dataclass(eq=False)
class _Job:
    """What a worker needs; called in the worker, it makes the function from a span of texts to their neighbours.

    ranked, own  the texts of the main questions; the place in the pool that each may not have, −1 where there is none
    pool         the texts of the pool
    top          how many neighbours are looked for: no more than the pool has questions
    make         how the ranker is made where it is none of ours
    vectors      of the pool, then of the texts, as an array or as a file to be mapped; None where the ranker needs none
    encoder      name and signature of what made them
    columns      makes the columns of a pool that is split into parts; `vectors` are those of the texts alone then
    """

    ranked: list[str]
    own: npt.NDArray[np.int64]
    pool: tuple[str, ...]
    options: RankQuestionsOptions
    top: int
    make: Make | None
    vectors: Float32 | SharedFile | None = None
    encoder: tuple[str, str] = ("", "")
    columns: "Callable[[], SplitColumns] | None" = None

    def __call__(self) -> Callable[[Span], bytes]:
        with _noting_work(self.options.ranker, PREPARING):
            ranker = self._ranker()

        def compute(span: Span) -> bytes:
            batches = []
            for start in range(span.start, span.stop, ranker.batch):
                stop = min(start + ranker.batch, span.stop)
                left_out = [self.own[row : row + 1][self.own[row : row + 1] >= 0] for row in range(start, stop)]
                with _noting_work(self.options.ranker):
                    batches.append(ranker.rank(self.ranked[start:stop], left_out, self.top))
            return packed(batches, ranker.signature)

        return compute

    def _ranker(self) -> Ranker:
        vectors = self.vectors.array() if isinstance(self.vectors, SharedFile) else self.vectors
        encoded = None if vectors is None else _Encoded(*self.encoder, self.pool, self.ranked, vectors)
        make: Any = self.make or RANKERS.make(self.options.ranker)
        # What only one of our own rankers takes; the options have checked that it is given to no other.
        only: dict[str, Any] = {}
        if self.make is None and self.options.ranker == LASSO:
            only["objective"] = self.options.objective
            only["columns"] = self.columns and self.columns()
        if self.options.smoothing != "none":
            only["smoothing"] = self.options.smoothing
        ranker: Ranker = make(self.pool, encoded, self.options.penalty, **only)
        return ranker


@contextlib.contextmanager
def _noting_work(ranker: str, text: str = "") -> Iterator[None]:
    """In a worker: note `text` for the length of the block, and whenever numba compiles note that instead."""
    if not has_listener():
        yield
        return
    compilation = contextlib.ExitStack()
    about = f", about {COMPILE_SECONDS[ranker]} s of one processor" if ranker in COMPILE_SECONDS else ""

    def show(compiling: str) -> None:
        compilation.enter_context(noting(f"{compiling}{about}")) if compiling else compilation.close()

    with noting(text), watch_compiling(show), compilation:
        yield


@contextlib.contextmanager
def split_pool(
    work: Path,
    texts: Sequence[str],
    encoder: Encoder,
    options: RankQuestionsOptions,
    engine: Engine,
    stages: Stages,
) -> Iterator["Callable[[], SplitColumns]"]:
    """A function that makes the columns in whoever ranks; it can be sent there."""
    from voirdire.robustness.lasso.layout import ColumnLayout, MappedParts, part_actors

    layout = ColumnLayout(columns_folder(work))
    if not layout.is_whole():
        _lay_out(layout, work, texts, encoder, options, engine, stages)
    connect: Callable[[], None] | None = getattr(engine, "connect", None)
    if connect is None:
        yield MappedParts(layout.folder, options.pool_parts)
        return
    connect()
    with part_actors(layout, options.pool_parts) as actors:
        yield actors


def _lay_out(
    layout: "ColumnLayout",
    work: Path,
    texts: Sequence[str],
    encoder: Encoder,
    options: RankQuestionsOptions,
    engine: Engine,
    stages: Stages,
) -> None:
    from voirdire.robustness.lasso.layout import lay_out
    from voirdire.robustness.rankers.lasso import as_columns

    file = pool_vectors(work)
    encode(texts, encoder, file, stages, engine, "encode the pool")
    vectors = map_array(file) if texts else np.empty((0, encoder.dimension), np.float32)
    progress = stages("lay the pool out", "steps")

    def pieces() -> Iterable[npt.NDArray[np.float32]]:
        for start in range(0, len(vectors), PIECE):
            yield np.asarray(as_columns(vectors[start : start + PIECE], options.objective))

    progress(0, 1)
    lay_out(layout.folder, pieces, encoder.dimension)
    file.unlink()
    progress(1, 1)


def encode(
    texts: Sequence[str], encoder: Encoder, shared: Path | None, stages: Stages, engine: Engine, stage: str = "encode"
) -> Float32 | SharedFile:
    """One vector per text: an array or, where `shared` names one, a file; one that was finished before is taken."""
    shape, pieces = (len(texts), encoder.dimension), _pieces(texts, encoder, stages(stage, "texts"), engine)
    if shared is None:
        vectors, at = np.empty(shape, np.float32), 0
        for piece in pieces:
            vectors[at : at + len(piece)] = piece
            at += len(piece)
        return vectors
    exists = shared.exists()
    if not exists or not is_sealed(shared):
        if exists:
            stages.say(f"{shared}: not as it was written; the vectors are made anew")
        write_array(shared, pieces, shape, np.float32)
    return SharedFile(shared)


def _pieces(texts: Sequence[str], encoder: Encoder, progress: Progress, engine: Engine) -> Iterator[Float32]:
    starts = range(0, len(texts), PIECE)
    progress(0, len(texts))
    # One piece alone is sooner done here than a worker has started.
    where = engine if len(starts) > 1 else Here()
    encoded = encode_pieces(encoder, (texts[start : start + PIECE] for start in starts), where)
    for start, vectors in zip(starts, encoded, strict=True):
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            infinite = f"a vector of {texts[start + int(np.argmin(finite))]!r} with a number that is not finite"
            raise InputError(f"encoder {encoder.name}", [Problem("", "", infinite, "finite vectors")])
        progress(start + len(vectors), len(texts))
        yield vectors

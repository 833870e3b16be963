"""The nearest questions of a pool for every main question, in shards that survive being killed.

The texts of the main questions are cut into fixed shards; a worker makes its ranker once and gives it the questions of
a shard in batches of the size that the ranker asks for. What is finished is kept in a folder beside the output, and the
same call goes on from there; the folder is removed when the output is whole. The bytes of the output do not depend on
the number of workers or on interruptions.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite, isinf
from pathlib import Path
from typing import Any

from voirdire._version import __version__
from voirdire.engine import Engine, Here, Span, run_map, shards
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.reports import Report, silent
from voirdire.robustness.pool import Pool
from voirdire.robustness.rankers import RANKERS, Ranker, make_ranker
from voirdire.robustness.ranking_lists import collect, packed
from voirdire.robustness.ranking_notes import PREPARING, noting
from voirdire.robustness.ranking_output import write_ranking
from voirdire.robustness.ranking_place import check_name, is_finished
from voirdire.robustness.ranking_summary import LEFT_OUT, Ranked, summarise
from voirdire.robustness.ranking_work import SHARD, Laid, fingerprint, opened, rank_task, tidy, work_folder
from voirdire.text.encoders import Encoder

__all__ = ["LASSO", "Make", "RankOptions", "rank_questions"]

LASSO = "lasso"
OBJECTIVE = "1/2 |Ax - b|^2 + lambda |x|_1"
"""The scaling that λ is in: not the one that divides the squared error by the number of dimensions."""


@dataclass(frozen=True)
class RankOptions:
    """How basic questions are ranked; the defaults are the paper's.

    ranker     lasso, bleu1 to bleu4, rouge_l, cider or meteor
    lam        λ of ½‖Ax − b‖² + λ‖x‖₁, for lasso
    top        how many neighbours are kept
    leave_out  whether a main question that is in the pool is left out of it for that question
    """

    ranker: str = LASSO
    lam: float = 1e-6
    top: int = 21
    leave_out: bool = True

    def __post_init__(self) -> None:
        if self.top < 1:
            raise UsageError(f"top: {self.top} neighbours came, at least 1 may come")
        if not (isfinite(self.lam) and self.lam > 0):
            raise UsageError(f"lambda: {self.lam} came, a finite number above 0 may come; {_why_not(self.lam)}")


def _why_not(lam: float) -> str:
    if lam == 0:
        return (
            "without a penalty every question of the pool would have a part in the solution, and there would be many "
            "solutions"
        )
    if lam < 0:
        return "a negative penalty would reward large entries, and there would be no least objective"
    return "with an infinite penalty no question has a part" if isinf(lam) else "this is no number"


def rank_questions(
    main: VqaQuestions,
    pool: Pool,
    output: str | Path,
    options: RankOptions | None = None,
    encoder: Encoder | None = None,
    *,
    engine: Engine | None = None,
    make: "Make | None" = None,
    overwrite: bool = False,
    encoding: Report = silent,
    ranking: Report = silent,
) -> Ranked:
    """Write the neighbours of all main questions to `output` (.parquet), with certificates and pool beside it.

    encoder             what makes vectors of questions; only where the ranker needs them
    make                how a worker makes its ranker, if it is none of ours: a function of a module, since it travels
    overwrite           whether another ranking may be replaced; without it the same one is not made again
    encoding, ranking   told how many texts are encoded, then how many distinct main questions are ranked
    """
    options, engine = options or RankOptions(), engine or Here()
    output = Path(output)
    check_name(output)
    if not len(main):
        wanted = "at least one main question"
        raise InputError(main.name or "main questions", [Problem("", "questions", "no question", wanted)])
    if make is None:
        RANKERS.make(options.ranker)
    signature = _sign(main, pool, options, encoder)
    if not overwrite and is_finished(output, signature):
        return summarise(output)
    work = work_folder(output)
    task = rank_task(signature, partial(_prepare, Laid.of(work), signature, options, make or make_ours))
    kept: list[int] = []
    with opened(work, task, main, pool, options.leave_out) as laid:
        if encoder is not None:
            laid.encode(encoder, encoding)
        count = len(laid.ranked)

        def report(done: int, _: int) -> None:
            kept.append(min(done * SHARD, count))
            ranking(kept[-1], count)

        with run_map(task, shards(count, SHARD), engine=engine, store=work, progress=report) as parts:
            lists = collect(parts, shards(count, SHARD), options.top, laid.folder)
        write_ranking(laid, lists, {**signature, **lists.signature}, output)
    tidy(work, task)
    return summarise(output, kept[0])


Make = Callable[[Laid, RankOptions, Mapping[str, Any]], Ranker]


def make_ours(laid: Laid, options: RankOptions, signature: Mapping[str, Any]) -> Ranker:
    """One of the eight rankers, over the pool that is laid out."""
    encoder = laid.encoder(signature["encoder"], signature["encoder_hash"]) if "encoder" in signature else None
    return make_ranker(options.ranker, laid.pool, encoder=encoder, lam=options.lam)


def _sign(main: VqaQuestions, pool: Pool, options: RankOptions, encoder: Encoder | None) -> dict[str, Any]:
    """What the lists depend on; a run with another signature is another run."""
    signature: dict[str, Any] = {"version": __version__, "ranker": options.ranker}
    if options.ranker == LASSO:
        signature |= {"lambda": options.lam, "objective": OBJECTIVE}
    if encoder is not None:
        signature |= {"encoder": encoder.name, "encoder_hash": encoder.signature}
    return signature | {
        "top": options.top,
        "own_question": LEFT_OUT if options.leave_out else "kept",
        "pool": pool.fingerprint,
        "main": fingerprint(main),
    }


def _prepare(laid: Laid, signature: Mapping[str, Any], options: RankOptions, make: Make) -> Callable[[Span], bytes]:
    """In a worker: from a span of main questions to their neighbours."""
    with noting(laid.folder, PREPARING):
        ranker = make(laid, options, signature)
    own = laid.array("own")

    def compute(span: Span) -> bytes:
        found = []
        for start in range(span.start, span.stop, ranker.batch):
            stop = min(start + ranker.batch, span.stop)
            left_out = [own[row : row + 1][own[row : row + 1] >= 0] for row in range(start, stop)]
            with noting(laid.folder):
                found.append(ranker.rank(laid.ranked[start:stop], left_out, options.top))
        return packed(found, ranker.signature)

    return compute

"""How much a ranking holds, and how much of it is proved: what `rank` says when it is done."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voirdire.formats.question_ranking import METADATA, certificates_file, pool_file
from voirdire.robustness.pool import fold
from voirdire.robustness.ranking_signature import as_signature
from voirdire.runs import Estimate, Run

__all__ = ["LEFT_OUT", "Ranked", "as_run", "summarise"]

LEFT_OUT = "left out"
STATUS, CERTIFIED, REASON = "status", "certified", "reason"


@dataclass(frozen=True)
class Ranked:
    """How much was ranked.

    questions  main questions, and `texts`, the distinct ones among them
    own        main questions that are in the pool and were left out of it
    rows       neighbours that were written
    short      main questions with fewer than `top` neighbours, and `empty`, those without any
    certified  of the distinct texts, those whose list is proved; None where the ranker proves nothing
    reasons    why the others are not, and how often
    kept       distinct texts that an earlier call had finished
    finished   whether an earlier call had finished all, so that nothing was written
    """

    questions: int
    texts: int
    own: int
    pool: int
    rows: int
    short: int
    empty: int
    certified: int | None
    reasons: Mapping[str, int]
    kept: int
    finished: bool
    signature: Mapping[str, Any]

    def lines(self, rate: float | None) -> list[str]:
        """The counts for a person; `rate` in distinct main questions a second."""
        found = [
            f"main questions: {self.questions:,}, {self.texts:,} of them distinct; pool: {self.pool:,} questions",
            f"neighbours: {self.rows:,}; {self.short:,} main questions have fewer than {self.signature['top']}, "
            f"{self.empty:,} have none",
            f"in the pool themselves and left out of it: {self.own:,} main questions"
            if self.signature["own_question"] == LEFT_OUT
            else "main questions that are in the pool are kept in it",
        ]
        if self.certified is not None:
            found.append(f"certified: {self.certified:,} of {self.texts:,} distinct main questions")
        if rate is not None:
            found.append(f"rate: {rate:,.1f} distinct main questions a second")
        return found


def summarise(output: Path, kept: int | None = None) -> Ranked:
    """Count what was ranked, from the files of a whole ranking; `kept` as in Ranked, None where it was there before."""
    import polars as pl

    path = certificates_file(output)
    each, signature = pl.read_parquet(path), json.loads(pl.read_parquet_metadata(path)[METADATA])["signature"]
    texts = each.filter(pl.Series([bool(fold(text)) for text in each["main_question"]], dtype=pl.Boolean))
    texts = texts.unique("main_question", keep="first", maintain_order=True)
    reasons: Counter[str] = Counter()
    if STATUS in each.columns:
        open_ = texts.filter(pl.col(STATUS) != CERTIFIED)
        reasons.update(open_[REASON if REASON in each.columns else STATUS].to_list())
    return Ranked(
        questions=len(each),
        texts=len(texts),
        own=each["left_out"].count(),
        pool=pl.scan_parquet(pool_file(output)).select(pl.len()).collect().item(),
        rows=int(each["neighbours"].sum()),
        short=int((each["neighbours"] < signature["top"]).sum()),
        empty=int((each["neighbours"] == 0).sum()),
        certified=len(texts) - reasons.total() if STATUS in each.columns else None,
        reasons=dict(reasons),
        kept=len(texts) if kept is None else kept,
        finished=kept is None,
        signature=signature,
    )


def as_run(ranked: Ranked, seconds: float) -> Run:
    """The counts as measures, for programs: `rate` is distinct main questions a second in this call."""
    import polars as pl

    new = ranked.texts - ranked.kept
    counts = {
        "main_questions": ranked.questions,
        "distinct_questions": ranked.texts,
        "pool": ranked.pool,
        "neighbours": ranked.rows,
        "in_pool": ranked.own,
        "short_lists": ranked.short,
        "empty_lists": ranked.empty,
        "certified": ranked.certified,
        "rate": new / seconds if new else None,
    }
    basis = {"certified": ranked.texts, "rate": new}
    return Run(
        exam="robustness",
        part="rank",
        options={},
        items=pl.DataFrame(),
        measures={
            name: Estimate(value, None, None, basis.get(name, ranked.questions)) for name, value in counts.items()
        },
        signature=as_signature(ranked.signature),
        warnings=tuple(
            f"{count:,} lists are not proved: {reason}." for reason, count in sorted(ranked.reasons.items())
        ),
    )

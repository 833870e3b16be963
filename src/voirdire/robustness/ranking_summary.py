"""How much a ranking holds, and how much of it is proved: what `rank` says when it is done."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from voirdire.robustness.ranking_lists import Lists
from voirdire.robustness.ranking_work import Laid
from voirdire.runs import Estimate, Run, Signature

__all__ = ["LEFT_OUT", "Ranked", "as_run", "summarise"]

LEFT_OUT = "left out"
STATUS, CERTIFIED, REASON = "status", "certified", "reason"


@dataclass(frozen=True)
class Ranked:
    """How much was ranked.

    questions  main questions, and `texts`, the distinct ones among them
    blank      main questions without text, which have no neighbours
    own        main questions that are in the pool and were left out of it
    rows       neighbours that were written
    short      main questions with fewer than `top` neighbours, and `empty`, those without any
    certified  of the distinct texts, those whose list is proved; None where the ranker proves nothing
    reasons    why the others are not, and how often
    kept       distinct texts that an earlier call had finished
    """

    questions: int
    texts: int
    blank: int
    own: int
    pool: int
    rows: int
    short: int
    empty: int
    certified: int | None
    reasons: Mapping[str, int]
    kept: int
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


def summarise(laid: Laid, lists: Lists, kept: int, signature: Mapping[str, Any]) -> Ranked:
    """Count what was ranked."""
    text, own = laid.array("text"), laid.array("own")
    ranked = text[text >= 0]
    lengths, top = lists.lengths(), lists.places.shape[1]
    blank = len(text) - len(ranked)
    status = lists.certificates.get(STATUS)
    said = lists.certificates.get(REASON, status)
    reasons = Counter(why for one, why in zip(status or (), said or (), strict=True) if one != CERTIFIED)
    return Ranked(
        questions=len(text),
        texts=len(lengths),
        blank=blank,
        own=int((own[ranked] >= 0).sum()),
        pool=len(laid.pool),
        rows=int(lengths[ranked].sum()),
        short=int((lengths[ranked] < top).sum()) + blank,
        empty=int((lengths[ranked] == 0).sum()) + blank,
        certified=None if status is None else len(status) - reasons.total(),
        reasons=dict(reasons),
        kept=kept,
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
    signature = dict(ranked.signature)
    return Run(
        exam="robustness",
        part="rank",
        options={},
        items=pl.DataFrame(),
        measures={
            name: Estimate(value, None, None, basis.get(name, ranked.questions)) for name, value in counts.items()
        },
        signature=Signature(
            version=signature.pop("version"),
            data={name: signature.pop(name) for name in ("main", "pool")},
            encoder=signature.pop("encoder", None),
            options=signature,
        ),
        warnings=tuple(
            f"{count:,} lists are not proved: {reason}." for reason, count in sorted(ranked.reasons.items())
        ),
    )

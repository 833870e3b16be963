"""Small runs made by hand, with the figures that their views give."""

from dataclasses import replace

import numpy as np
import polars as pl

from voirdire.exam import views_of
from voirdire.runs import Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.runs.view import estimate_views

SIGNATURE = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0)


def made(exam, part, items, options, signature=SIGNATURE):
    bare = Run(exam, options, items, Measures(), signature, part=part)
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


def ranked(ranks, images=None, rounds=None, ndcg=None, signature=SIGNATURE):
    """A run of `answers rank`: two rounds an image unless it is said otherwise; None where there is no truth."""
    count = len(ranks)
    columns = {
        "image_id": np.arange(count) // 2 if images is None else images,
        "round": np.arange(count) % 2 if rounds is None else rounds,
        "rank": pl.Series(ranks, dtype=pl.Int64),
    }
    if ndcg is not None:
        columns["ndcg"] = pl.Series(ndcg, dtype=pl.Float64)
    return made("answers", "rank", pl.DataFrame(columns), {"cutoff": "relevant", "seed": 0}, signature)


def games(*played, signature=SIGNATURE):
    """A run of `questions score`: a game is (id, image, objects, status, [whether each question is effective])."""
    rows = []
    for id_, image, objects, status, effective in played:
        game = {"game_id": id_, "image_id": image, "objects": objects, "status": status}
        for turn, flag in enumerate(effective, start=1):
            rows.append(game | {"turn": turn, "last": turn == len(effective), "effective": flag, "referring": False})
        rows[-1] |= {
            "questions": len(effective),
            "success": {"success": True, "failure": False}.get(status),
            "effectiveness": sum(effective) / len(effective),
        }
    names = ("questions", "success", "effectiveness")
    frame = pl.DataFrame([dict.fromkeys(names) | row for row in rows]).with_columns(
        pl.lit(False).alias("referring_other"), pl.lit(True).alias("target_left")
    )
    return made("questions", "score", frame, {"answers": "oracle", "max_questions": None, "seed": 0}, signature)


def by_name(compared):
    return {row.measure.name: row for row in compared}

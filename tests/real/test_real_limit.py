"""Published files under a limit: the items of the full run on the images that are taken, and nothing else."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from voirdire.call import Call
from voirdire.exam import part_named
from voirdire.runs import Run

pytestmark = pytest.mark.slow

LIMIT, SEED = 20, 5
SETS = "visdial/dense/refs_H_human_val.json"
CASES: dict[str, tuple[str, dict[str, str], dict[str, Any], str, int]] = {
    # CIDEr counts documents over all 2,064 sets, also under a limit.
    "answers score": (
        "images",
        {"generations": "visdial/dense/cca_aq_g_val_generations.json", "references": SETS},
        {"measures": ("cider", "bleu")},
        "image_id",
        2_064,
    ),
    "answers bounds": ("images", {"references": SETS}, {"measures": ("cider",)}, "image_id", 2_064),
    "questions kinds": ("images", {"games": "guesswhat/vdst_1606_games.jsonl"}, {}, "image_id", 1_416),
    "questions agreement": ("games", {"answers": "guesswhat/oracle_answers_test.csv.gz"}, {}, "game_id", 0),
    # 20 questions have no images.
    "questions score": (
        "games",
        {"games": "guesswhat/twenty_questions/16_mcrae_oracle_annotations.json"},
        {},
        "game_id",
        0,
    ),
    "scorekeeping humans": ("dialogues", {"judgements": "scorekeeping/human_judgements.csv"}, {}, "dialogue", 0),
}


@pytest.mark.parametrize("title", CASES)
def test_a_limited_run_is_the_full_run_of_some_images(real_data: Path, title: str) -> None:
    noun, files, fixed, column, total = CASES[title]
    part = part_named(title)
    given = {role: str(real_data / name) for role, name in files.items()}
    full, some = (Call(part, given, part.options(**fixed, seed=SEED, **more)).run() for more in ({}, {"limit": LIMIT}))
    assert isinstance(full, Run)
    assert isinstance(some, Run)
    ids = full.items[column].unique().sort().to_numpy()
    assert len(ids) == (total or len(ids))
    kept = np.random.default_rng([SEED, 3]).permutation(ids)[:LIMIT]
    assert_frame_equal(some.items, full.items.filter(pl.col(column).is_in(kept.tolist())), rel_tol=1e-9)
    assert some.limit == f"{LIMIT} of {len(ids):,} {noun}, seed {SEED}"
    assert some.signature.references == full.signature.references

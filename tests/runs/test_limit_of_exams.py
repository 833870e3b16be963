"""A limit takes the same images in every part of every exam, and its run is the full run's items of these images."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from voirdire.call import Call
from voirdire.errors import UsageError
from voirdire.exam import Outcome, part_named
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.runs import Run
from voirdire.runs.store import read_covered, write_run
from voirdire.verdict.comparison import compare_runs
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import answer_file, play_file, states_file, survey_file

pytestmark = pytest.mark.slow

LIMIT, SEED = 5, 3
LETTERS = {"measures": ("cider", "bleu", "rouge")}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files of a small world, and what witnesses say of them."""
    folder = tmp_path_factory.mktemp("limit")
    build_world(folder, 120, 1)
    dialogues = str(folder / "visdial_val.json")
    answer_file("forgetful", dialogues, str(folder / "said.json"))
    answer_file("forgetful", dialogues, str(folder / "ranks.json"), ranks=True)
    questions = str(folder / "vqa_val_questions.json")
    for number, witness in enumerate(("truthful", "blind", "forgetful", "uncertain")):
        answer_file(witness, questions, str(folder / f"vqa_{number}.json"), seed=number)
    play_file("keen", str(folder / "guesswhat_val.jsonl"), str(folder / "games.jsonl"))
    survey_file(str(folder / "visdial_train.json"), str(folder / "survey.json"))
    states_file("scorekeeper", str(folder / "survey.json"), str(folder / "states.npz"))
    rows = ["image_id,round_id,set,judge,candidate,selected"]
    for row in json.loads((folder / "visdial_val_references_true.json").read_text()):
        for judge in ("a", "b"):
            rows += [f"{row['image_id']},{row['round_id']},S,{judge},{n},{n % 2}" for n in range(3)]
    (folder / "judged.csv").write_text("\n".join(rows) + "\n")
    return folder


def of(world: Path, **names: str) -> dict[str, Any]:
    return {role: str(world / name) for role, name in names.items()}


REFERENCES = "visdial_val_references_true.json"
CASES: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "answers score": ({"generations": "said.json", "references": REFERENCES}, LETTERS),
    "answers bounds": ({"references": REFERENCES}, LETTERS),
    "answers rank": ({"visdial": "visdial_val.json", "ranks": "ranks.json", "dense": "visdial_val_dense.json"}, {}),
    "answers overlap": ({"references": REFERENCES, "by": REFERENCES}, {}),
    "answers audit": ({"visdial": "visdial_val.json", "ranks": "ranks.json", "dense": "visdial_val_dense.json"}, {}),
    "answers humans": ({"judgements": "judged.csv"}, {}),
    "robustness score": ({"annotations": "vqa_val_annotations.json", "clean": "vqa_0.json", "noisy": "vqa_1.json"}, {}),
    "robustness accuracy": ({"annotations": "vqa_val_annotations.json", "clean": "vqa_1.json"}, {}),
    "robustness rankers": ({"annotations": "vqa_val_annotations.json", "clean": "vqa_0.json"}, {}),
    "questions score": ({"games": "games.jsonl"}, {}),
    "questions kinds": ({"games": "games.jsonl"}, {}),
    "questions oracle-accuracy": ({"games": "guesswhat_val.jsonl"}, {}),
}


def held(world: Path, title: str, **options: Any) -> Run:
    part, (files, fixed) = part_named(title), CASES[title]
    given: dict[str, Any] = of(world, **files)
    if title == "robustness rankers":
        given["ranking"] = [f"lasso={','.join(str(world / f'vqa_{number}.json') for number in (1, 2, 3))}"]
    if title.startswith("questions") and title != "questions kinds":
        given["oracle"] = f"scenes:{world / 'scenes.jsonl'}"
    made = Call(part, given, part.options(**fixed, **options)).run()
    assert isinstance(made, Run)
    return made


@pytest.mark.parametrize("title", CASES)
def test_a_limited_run_is_the_full_run_of_some_images(world: Path, title: str, tmp_path: Path) -> None:
    full, some = held(world, title, seed=SEED), held(world, title, limit=LIMIT, seed=SEED)
    images = full.items["image_id"].unique().sort().to_numpy()
    kept = np.random.default_rng([SEED, 3]).permutation(images)[:LIMIT]
    expected = full.items.filter(pl.col("image_id").is_in(kept.tolist()))
    assert 0 < expected.height < full.items.height
    assert some.items["image_id"].n_unique() == LIMIT
    # Which answer is the commonest depends on what is scored.
    assert_frame_equal(
        some.items.drop("commonest", strict=False), expected.drop("commonest", strict=False), rel_tol=1e-9
    )
    assert some.limit == f"{LIMIT} of {len(images)} images, seed {SEED}"
    assert some.warnings[0] == f"Limited to {some.limit}."
    assert json.loads(some.to_json())["limit"] == {"images": LIMIT, "of": len(images), "seed": SEED}
    # What belongs to other images is left aside without a word.
    assert some.coverage is None or some.coverage.complete
    assert not full.limit
    assert read_covered(write_run(some, tmp_path / "run")) == some.limit
    # The figures are of these images alone, and so are their intervals.
    wide = [
        key
        for key, figure in some.measures.items()
        if figure.low is not None and full.measures.figure(key).low is not None
    ]
    assert wide
    assert all((some.measures[key].n or 0) <= (full.measures[key].n or 0) for key in wide)


@pytest.mark.parametrize("title", ["answers score", "robustness accuracy", "questions score"])
def test_a_limit_beyond_all_images_takes_all_and_says_so(world: Path, title: str) -> None:
    full, some = held(world, title), held(world, title, limit=10_000)
    assert_frame_equal(some.items, full.items)
    assert some.measures == full.measures
    assert some.signature == full.signature
    assert some.warnings[0].startswith("`limit` is 10,000; there are ")
    assert not some.limit


def test_all_exams_take_the_same_images(world: Path) -> None:
    titles = ("answers score", "answers rank", "robustness accuracy", "questions score")
    full = [set(held(world, title).items["image_id"].to_list()) for title in titles]
    found = [set(held(world, title, limit=LIMIT).items["image_id"].to_list()) for title in titles]
    for every, taken in zip(full, found, strict=True):
        # Where two datasets have the same images, the same of them are taken.
        assert every != full[0] or taken == found[0]
    assert full[0] == full[1]


def test_runs_of_other_limits_are_compared_on_what_both_have(world: Path) -> None:
    one = held(world, "answers rank", limit=LIMIT, seed=SEED)
    two = held(world, "answers rank", limit=LIMIT + 2, seed=SEED)
    (made,) = compare_runs(["one", "two"], [one, two], resamples=50)
    assert made.paired == one.items.height
    assert made.only_second == two.items.height - one.items.height
    assert (
        f"one is limited to {one.limit}; two is limited to {two.limit}: only what both have is compared."
        in made.warnings
    )
    (whole,) = compare_runs(["one", "all"], [one, held(world, "answers rank", seed=SEED)], resamples=50)
    assert f"one is limited to {one.limit}; all is not limited: only what both have is compared." in whole.warnings
    (same,) = compare_runs(["one", "again"], [one, held(world, "answers rank", limit=LIMIT, seed=SEED)], resamples=50)
    assert not any("limited" in line for line in same.warnings)
    images = sorted(held(world, "answers rank").items["image_id"].unique().to_list())
    assert len(images) > 2
    first, second = (held(world, "answers rank", limit=1, seed=seed) for seed in _apart(images))
    with pytest.raises(UsageError, match="no round in common"):
        compare_runs(["one", "two"], [first, second], resamples=50)


def _apart(images: list[int]) -> tuple[int, int]:
    """Two seeds that take another image first."""
    taken = [int(np.random.default_rng([seed, 3]).permutation(np.array(images))[0]) for seed in range(50)]
    return 0, next(seed for seed in range(50) if taken[seed] != taken[0])


def test_noise_of_some_images(world: Path, tmp_path: Path) -> None:
    rank, perturb, helpful = (part_named(f"robustness {name}") for name in ("rank", "perturb", "helpful"))
    given = of(world, main="vqa_val_questions.json", pool="vqa_train_questions.json")

    def ranked(name: str, **options: Any) -> Outcome:
        made = Call(
            rank, given, rank.options(ranker="bleu2", **options), {"output": str(tmp_path / name), "engine": None}
        ).run()
        assert isinstance(made, Outcome)
        return made

    ranked("all.parquet")
    some = ranked("some.parquet", limit=LIMIT, seed=SEED)
    assert some.run is not None
    assert some.run.limit.startswith(f"{LIMIT} of ")
    every, lists = (pl.read_parquet(tmp_path / name) for name in ("all.parquet", "some.parquet"))
    questions = read_vqa_questions(world / "vqa_val_questions.json")
    kept = np.random.default_rng([SEED, 3]).permutation(np.unique(questions.image_ids))[:LIMIT]
    # The pool stays whole, so each list is the same.
    assert_frame_equal(lists, every.filter(pl.col("image_id").is_in(kept.tolist())))
    assert lists["image_id"].n_unique() == LIMIT
    files = {}
    for name, source, options in (
        ("full", "all.parquet", {}),
        ("limited", "all.parquet", {"limit": LIMIT}),
        ("small", "some.parquet", {}),
    ):
        out = Call(
            perturb,
            {"ranking": [str(tmp_path / source)]},
            perturb.options(partition="control1", seed=SEED, **options),
            {"output": str(tmp_path / f"{name}.json"), "all": None},
        ).run()
        assert isinstance(out, Outcome)
        files[name] = read_vqa_questions(tmp_path / f"{name}.json")
        assert any("Limited to" in line for line in out.warnings) == bool(options)
    wanted = [row for row in files["full"].rows() if row.image_id in kept]
    assert files["limited"].rows() == files["small"].rows() == wanted
    assert files["limited"].meta["info"]["limit"]["images"] == LIMIT
    run = Call(
        helpful,
        {"ranking": [str(tmp_path / "all.parquet")]},
        helpful.options(limit=LIMIT, seed=SEED),
        {"questions": str(tmp_path / "helpful.json")},
    ).run()
    assert isinstance(run, Run)
    assert set(run.items["image_id"].to_list()) == set(kept.tolist())


def test_propositions_of_some_images(world: Path, tmp_path: Path) -> None:
    part = part_named("scorekeeping propositions")

    def made(**options: Any) -> Run:
        found = Call(
            part, of(world, dialogues="survey.json"), part.options(**options), {"output": str(tmp_path / "p.json")}
        ).run()
        assert isinstance(found, Outcome)
        assert found.run is not None
        return found.run

    full, some = made(captions=0.5, seed=SEED), made(captions=0.5, limit=LIMIT, seed=SEED)
    images = [dialog["image_id"] for dialog in json.loads((world / "survey.json").read_text())["data"]["dialogs"]]
    kept = set(np.random.default_rng([SEED, 3]).permutation(np.unique(images))[:LIMIT].tolist())
    places = [place for place, image in enumerate(images) if image in kept]
    assert_frame_equal(some.items, full.items.filter(pl.col("dialogue").is_in(places)))
    assert some.items["dialogue"].n_unique() > 1
    assert some.limit == f"{LIMIT} of {len(images)} images, seed {SEED}"


def test_a_probe_learns_from_all_and_scores_some_dialogues(world: Path, tmp_path: Path) -> None:
    make, probe = part_named("scorekeeping propositions"), part_named("scorekeeping probe")
    path = str(tmp_path / "p.json")
    Call(make, of(world, dialogues="survey.json"), make.options(), {"output": path}).run()
    given = {"propositions": path, "states": str(world / "states.npz")}
    small: dict[str, Any] = {"epochs": 2, "batches": "grouped", "hidden": 16, "balance": False, "seed": SEED}
    full, some = (
        Call(probe, given, probe.options(**small, **more), {"work": None}).run() for more in ({}, {"limit": LIMIT})
    )
    assert isinstance(full, Run)
    assert isinstance(some, Run)
    scored = full.items["dialogue"].unique().sort().to_numpy()
    kept = np.random.default_rng([SEED, 3]).permutation(scored)[:LIMIT]
    assert_frame_equal(some.items, full.items.filter(pl.col("dialogue").is_in(kept.tolist())))
    assert some.limit == f"{LIMIT} of {len(scored)} dialogues, seed {SEED}"


def test_a_sample_is_not_cut_down_twice(world: Path, tmp_path: Path) -> None:
    said = json.loads((world / "said.json").read_text())
    images = sorted({row["image_id"] for row in said})
    few = images[::3]
    (tmp_path / "few.json").write_text(json.dumps([row for row in said if row["image_id"] in few]))
    part = part_named("answers score")
    given = {"generations": str(tmp_path / "few.json"), "references": str(world / REFERENCES)}
    run = Call(part, given, part.options(**LETTERS, limit=LIMIT, seed=SEED)).run()
    assert isinstance(run, Run)
    assert run.items["image_id"].n_unique() == LIMIT
    assert set(run.items["image_id"].to_list()) <= set(few)
    assert run.coverage is not None
    assert run.coverage.complete

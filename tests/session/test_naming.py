"""Whose a file is, by its name."""

from pathlib import PurePath

import pytest

from voirdire.session.naming import condition, model_name, named_as_data, prefer


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("blind.json", "blind"),
        ("said/blind/partition1.json", "blind"),
        ("blind/noisy/partition1.json", "blind"),
        ("states/scorekeeper.h5", "scorekeeper"),
        ("mcan_generations_val.json", "mcan"),
        ("mcan-large_partition_3.json", "mcan-large"),
        ("vilbert.v2.ranks.json.gz", "vilbert"),
        ("outputs/MCAN large/results.json", "MCAN large"),
        ("results.json", "model"),
        ("outputs/generations.json", "model"),
        ("said/noise/states.h5", "noise"),
    ],
)
def test_names_of_models(path: str, name: str) -> None:
    assert model_name(PurePath(path)) == name


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("blind/clean.json", "clean"),
        ("blind_partition7.json", "7"),
        ("blind/noisy-3.json", "3"),
        ("blind/control1.json", "control"),
        ("blind/vqa.json", None),
    ],
)
def test_what_answers_are_to(path: str, asked: str | None) -> None:
    assert condition(PurePath(path)) == asked


def test_the_split_to_be_examined_on_comes_first() -> None:
    names = ["visdial_train.json", "visdial_1.0_test.json", "visdial_val.json"]
    assert sorted(map(PurePath, names), key=prefer)[0] == PurePath("visdial_val.json")


def test_games_of_the_dataset_are_nobodys_output() -> None:
    assert named_as_data(PurePath("data/guesswhat_val.jsonl"))
    assert named_as_data(PurePath("guesswhat.test.jsonl.gz"))
    assert not named_as_data(PurePath("keen/games.jsonl"))
    assert not named_as_data(PurePath("keen_val.jsonl"))

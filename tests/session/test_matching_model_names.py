"""Whose a file is, by its name."""

from pathlib import PurePath

import pytest

from voirdire.session.matching import called, is_certain, model_names, named_as_data, prefer


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("blind.json", "blind"),
        ("said/blind/partition1.json", "blind"),
        ("blind/noisy/partition1.json", "blind"),
        ("states/scorekeeper.h5", "scorekeeper"),
        ("mcan_generations_val.json", "mcan"),
        ("mcan-large_partition_3.json", "mcan-large"),
        ("vilbert.v2.ranks.json.gz", "vilbert-v2"),
        ("llava-1.5_generations.json", "llava-1.5"),
        ("v2_OpenEnded_mscoco_val2014_mcan_results.json", "mcan"),
        ("visdial_1.0/mcan_ranks.json", "mcan"),
        ("dense/cca_val_generations.json", "cca"),
        ("Partition_3_mcan.json", "mcan"),
        ("runs/run_3/generations.json", "run_3"),
        ("mcan (copy)/ranks.json", "mcan-copy"),
        ("(((/ranks.json", "model"),
        ("outputs/MCAN large/results.json", "MCAN large"),
        ("results.json", "model"),
        ("outputs/generations.json", "model"),
        ("said/noise/states.h5", "noise"),
    ],
)
def test_names_of_models(path: str, name: str) -> None:
    assert model_names({PurePath(path): "answers.ranks"}) == {PurePath(path): name}


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (("mcan/step100/g.json", "lxmert/step100/g.json"), ("mcan-step100", "lxmert-step100")),
        (("mcan/beam_answers.json", "mcan/greedy_answers.json"), ("mcan-beam", "mcan-greedy")),
        (("blind.json", "blind/best_answers.json"), ("blind", "blind-best")),
        # Nothing tells these apart but what they hold: they are one model's, and the first is taken.
        (("mcan/val/answers.json", "mcan/test/answers.json"), ("mcan", "mcan")),
        (("mcan/answers.json", "mcan/answers.json.gz"), ("mcan", "mcan")),
    ],
)
def test_two_files_of_one_kind_are_two_models(paths: tuple[str, str], names: tuple[str, str]) -> None:
    assert tuple(model_names({PurePath(path): "answers.generations" for path in paths}).values()) == names


def test_files_of_different_kinds_are_one_model() -> None:
    uses = {
        PurePath("mcan/beam_answers.json"): "answers.generations",
        PurePath("mcan/best_ranks.json"): "answers.ranks",
    }
    assert set(model_names(uses).values()) == {"mcan"}


def test_which_names_are_guesses() -> None:
    assert is_certain(PurePath("said/blind/partition1.json"), "blind")
    assert is_certain(PurePath("said/noise/states.h5"), "noise")
    assert not is_certain(PurePath("mcan/seed1/ranks.json"), "seed1")
    assert not is_certain(PurePath("mcan/best_ranks.json"), "mcan")
    assert not is_certain(PurePath("ranks.json"), "model")


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        ("blind/clean.json", "clean"),
        ("blind_partition7.json", "7"),
        ("blind/noisy-3.json", "3"),
        ("blind/control1.json", "control"),
        ("blind/vqa.json", None),
        ("blip2_clean.json", "clean"),
        ("blip2/vqa.json", None),
        ("controlnet_clean.json", "clean"),
        ("mcan/partition3/answers.json", "3"),
        ("mcan/noisy/clean.json", "clean"),
    ],
)
def test_what_answers_are_to(path: str, asked: str | None) -> None:
    words = {"clean": ("clean",), "noisy": ("partition{}", "noisy{}", "noise{}", "p{}"), "control": ("control",)}
    assert called(PurePath(path), words) == (f"noisy.{asked}" if asked in tuple("1234567") else asked)


def test_the_split_to_be_examined_on_comes_first() -> None:
    names = ["visdial_train.json", "visdial_1.0_test.json", "visdial_val.json"]
    assert sorted(map(PurePath, names), key=prefer)[0] == PurePath("visdial_val.json")
    names = ["v2_mscoco_train2014_annotations.json", "v2_mscoco_val2014_annotations.json"]
    assert sorted(map(PurePath, names), key=prefer)[0] == PurePath(names[1])
    assert sorted(map(PurePath, ["mcan/test/g.json", "mcan/val/g.json"]), key=prefer)[0] == PurePath("mcan/val/g.json")


def test_games_of_the_dataset_are_nobodys_output() -> None:
    assert named_as_data(PurePath("data/guesswhat_val.jsonl"))
    assert named_as_data(PurePath("guesswhat.test.jsonl.gz"))
    assert not named_as_data(PurePath("keen/games.jsonl"))
    assert not named_as_data(PurePath("keen_val.jsonl"))

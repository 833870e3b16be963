"""The oracle of the scenes: found by name, true for every question and object, and open about what it cannot read."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import ANSWERS, Game, Qa, read_games
from voirdire.formats.scenes import Scene, Thing, read_scenes
from voirdire.questions.oracles import ORACLES, make_oracle
from voirdire.world import scenes_oracle
from voirdire.world.build import build_world
from voirdire.world.scene import make_scene
from voirdire.world.scenes_oracle import ScenesOracle, game_objects, make_scenes_oracle, true_answer
from voirdire.world.understand import understand


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, 40, 3)
    return folder


def thing(number: int, colour: str, x: float) -> Thing:
    return Thing(number, "cup", 47, (x, 100.0, 40.0, 40.0), "small", colour, "paper")


def scene() -> Scene:
    things = (thing(1, "red", 0.0), thing(2, "blue", 500.0), Thing(3, "dog", 18, (300.0, 200.0, 90.0, 90.0), "medium"))
    return Scene(9, "x", 640, 480, "kitchen", True, "", "day", True, things)


def game(*questions: str) -> Game:
    image = GameImage(9, 640, 480)
    return Game(5, image, game_objects(scene()), 1, tuple(Qa(text, "yes") for text in questions), None)


def test_it_is_found_by_name(world: Path) -> None:
    assert "scenes" in ORACLES.names()
    oracle = make_oracle(f"scenes:{world / 'scenes.jsonl'}")
    assert oracle.name == f"scenes:{world / 'scenes.jsonl'}"
    assert oracle.identity.startswith("scenes ")
    assert len(oracle.identity) == len("scenes ") + 64


def test_answers_by_hand() -> None:
    oracle = ScenesOracle({9: scene()})
    (given,) = oracle.answer([game("is it a cup?", "is it red?", "is it on the left?", "qwerty?")])
    assert given.game_id == 5
    assert given.answers.dtype == np.int8
    # The dog has no colour in this scene, so that a question about it does not apply.
    assert [[ANSWERS[code] for code in row] for row in given.answers.tolist()] == [
        ["yes", "yes", "no"],
        ["yes", "no", "n/a"],
        ["yes", "no", "no"],
        ["n/a", "n/a", "n/a"],
    ]
    assert oracle.warnings == (
        "1 question is not in the world's language and has the answer n/a for every object, as 'qwerty?'.",
    )
    oracle.answer([game("is it a cup?")])
    assert oracle.warnings == ()


def test_a_game_without_a_question_has_no_answer() -> None:
    (given,) = ScenesOracle({9: scene()}).answer([game()])
    assert given.answers.shape == (0, 3)


def test_it_agrees_with_the_world(world: Path) -> None:
    games = list(read_games(world / "guesswhat_val.jsonl"))
    scenes = {scene.id: scene for scene in read_scenes(world / "scenes.jsonl")}
    results: list[tuple[int, int]] = []
    answers = make_scenes_oracle(str(world / "scenes.jsonl")).answer(games, lambda *said: results.append(said))
    for one, given in zip(games, answers, strict=True):
        things = {thing.id: thing for thing in scenes[one.image.id].things}
        assert given.answers.shape == (len(one.qas), len(one.objects))
        for qa, row in zip(one.qas, given.answers.tolist(), strict=True):
            assert [ANSWERS[code] for code in row] == [
                true_answer(qa.question, scenes[one.image.id], things[object_.id]) for object_ in one.objects
            ]
            place = [object_.id for object_ in one.objects].index(one.target_id)
            assert ANSWERS[row[place]] == qa.answer
    assert results[-1] == (len(games), len(games))


def test_a_question_is_understood_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def counting(text: str) -> object:
        read.append(text)
        return understand(text)

    monkeypatch.setattr(scenes_oracle, "understand", counting)
    ScenesOracle({9: scene()}).answer([game("is it a cup?", "is it red?"), game("is it red?", "is it a cup?")])
    assert sorted(read) == ["is it a cup?", "is it red?"]


def test_what_is_missing_is_named(world: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"game 5, field `image.id`: found 9, which has no scene"):
        ScenesOracle({}).answer([game("is it red?")])
    with pytest.raises(InputError, match=r"game 5, field `objects`: found objects that the scene does not have"):
        ScenesOracle({9: make_scene(1, 0)}).answer([game("is it red?")])
    with pytest.raises(UsageError, match="`oracle` scenes: needs a world's file"):
        make_oracle("scenes")
    with pytest.raises(InputError, match="no such file"):
        make_oracle(f"scenes:{tmp_path / 'none.jsonl'}")
    with pytest.raises(InputError, match="found GuessWhat"):
        make_oracle(f"scenes:{world / 'guesswhat_val.jsonl'}")

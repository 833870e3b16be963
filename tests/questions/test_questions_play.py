"""`voirdire questions play`: games between a questioner, an oracle and a guesser, from file to file."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import ANSWERS, Answer, Game, GameObject, Qa, read_games, write_games
from voirdire.formats.oracle_answers import ObjectAnswers
from voirdire.formats.scenes import Thing
from voirdire.progress import Progress, silent
from voirdire.validation import validate
from voirdire.world.build import build_world
from voirdire.world.witnesses import GameState, play


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, 60, 3)
    return folder


def call(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["questions", "play", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def test_a_file_of_games_in_the_official_layout(world: Path, tmp_path: Path) -> None:
    games, out = str(world / "guesswhat_val.jsonl"), str(tmp_path / "keen.jsonl")
    code, said, _ = call(
        "--questioner", "keen", "--oracle", "truth", "--guesser", "consistent", "--games", games, "-o", out
    )
    played, given = read_games(out), read_games(games)
    assert code == 0
    assert said.startswith(
        f"keen asked {sum(len(game.qas) for game in played)} questions in {len(given)} games, truth "
    )
    assert [(game.id, game.target_id, game.objects) for game in played] == [
        (game.id, game.target_id, game.objects) for game in given
    ]
    assert all(game.guess_object_id is not None for game in played)
    report = validate([Path(out)])
    assert report.ok
    assert [file.format for file in report.files] == ["guesswhat"]


def test_the_same_seed_gives_the_same_bytes(world: Path, tmp_path: Path) -> None:
    games, scenes = str(world / "guesswhat_val.jsonl"), f"scenes:{world / 'scenes.jsonl'}"
    for name, seed, oracle in (("a", "1", "truth"), ("b", "1", scenes), ("c", "2", "truth")):
        words = ["--questioner", "random", "--guesser", "random", "--games", games, "--seed", seed, "--oracle", oracle]
        call(*words, "-o", str(tmp_path / name))
    first, second, third = ((tmp_path / name).read_bytes() for name in "abc")
    assert first == second != third


def test_as_json(world: Path, tmp_path: Path) -> None:
    games, out = str(world / "guesswhat_val.jsonl"), str(tmp_path / "out.jsonl")
    words = (
        "--questioner",
        "repetitive",
        "--guesser",
        "salient",
        "--games",
        games,
        "--max-questions",
        "3",
        "-o",
        out,
        "--json",
    )
    printed = json.loads(call(*words)[1])
    played = read_games(out)
    assert max(len(game.qas) for game in played) == 3
    assert printed == {
        "games": len(played),
        "won": sum(game.status == "success" for game in played),
        "questions": sum(len(game.qas) for game in played),
        "path": out,
    }


OBJECTS = (
    GameObject(11, "cup", 47, 20.0, (1.0, 2.0, 8.0, 4.0)),
    GameObject(12, "cup", 47, 60.0, (21.0, 2.0, 18.0, 4.0)),
    GameObject(13, "dog", 18, 30.0, (41.0, 2.0, 8.0, 4.0)),
)
QAS = tuple(Qa(question, "yes", number) for number, question in enumerate(("a cup?", "the left one?"), start=1))
REAL = [Game(id_, GameImage(50 + id_, 64, 48, "5.jpg"), OBJECTS, 11, QAS, "success") for id_ in (1, 2)]


def by_look(game: Game, question: str, one: GameObject) -> Answer:
    """An oracle as a function: it knows cups and the left."""
    right = one.category == "cup" if "cup" in question else one.bbox[0] < 20
    return "yes" if right else "no"


class Look:
    """The same as an oracle of a plug-in."""

    identity = "look"

    def answer(self, games: Sequence[Game], progress: Progress = silent, /) -> list[ObjectAnswers]:
        rows = [[[ANSWERS.index(by_look(g, qa.question, thing)) for thing in g.objects] for qa in g.qas] for g in games]
        return [ObjectAnswers(game.id, np.array(row, np.int8)) for game, row in zip(games, rows, strict=True)]


class Categories:
    """A questioner of a plug-in: is it this category, of each that is there."""

    name = "categories"

    def ask(self, state: GameState) -> str | None:
        names = sorted({thing.category for thing in state.candidates})
        return f"is it a {names[len(state.qas)]}?" if len(state.qas) < len(names) else None


class First:
    """A guesser of a plug-in."""

    name = "first"

    def guess(self, state: GameState) -> Thing:
        return state.candidates[0]


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Players that another package brings through entry points."""
    made = {
        "voirdire.oracles": ("look", Look),
        "voirdire.questioners": ("categories", Categories),
        "voirdire.guessers": ("first", First),
    }

    class Point:
        def __init__(self, name: str, player: type) -> None:
            self.name, self.player = name, player

        def load(self) -> Callable[[str | None], object]:
            return lambda argument: self.player()

    def points(group: str, name: str | None = None) -> list[Point]:
        return [Point(*made[group])] if group in made and name in (None, made[group][0]) else []

    monkeypatch.setattr("voirdire.providers.entry_points", points)


@pytest.mark.usefixtures("plugins")
@pytest.mark.parametrize(
    ("questioner", "guesser", "asked", "guess"),
    [
        ("categories", "first", ["is it a cup?", "is it a dog?"], 11),
        ("categories", "salient", ["is it a cup?", "is it a dog?"], 12),
        ("recorded", "first", ["a cup?", "the left one?"], 11),
        # Both answers are true of the target alone, by the oracle's word.
        ("recorded", "consistent", ["a cup?", "the left one?"], 11),
    ],
)
def test_real_games_are_played_without_scenes(
    tmp_path: Path, questioner: str, guesser: str, asked: list[str], guess: int
) -> None:
    games, out = tmp_path / "games.jsonl", tmp_path / "out.jsonl"
    write_games(REAL, games)
    words = ("--questioner", questioner, "--oracle", "look", "--guesser", guesser)
    assert call(*words, "--games", str(games), "-o", str(out))[0] == 0
    played = read_games(out)
    assert [[qa.question for qa in game.qas] for game in played] == [asked] * 2
    assert [game.guess_object_id for game in played] == [guess] * 2
    assert {game.status for game in played} == {"success" if guess == 11 else "failure"}
    assert all(game.objects == OBJECTS and game.qas[0].id is None for game in played)
    assert call(*words, "--games", str(games), "-o", "-")[1].encode() == out.read_bytes()


@pytest.mark.usefixtures("plugins")
def test_a_world_above_real_games_is_not_theirs(world: Path, tmp_path: Path) -> None:
    games = world / "real.jsonl"
    away = [msgspec.structs.replace(game, image=GameImage(900_000 + game.id, 64, 48)) for game in REAL]
    write_games(away, games)
    words = ("--questioner", "recorded", "--oracle", "look", "--guesser", "first")
    assert call(*words, "--games", str(games), "-o", str(tmp_path / "out.jsonl"))[0] == 0


@pytest.mark.usefixtures("plugins")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--questioner", "keen", "--oracle", "look"), "game 1 has no scene, which this player needs"),
        (("--questioner", "recorded"), "there are no scenes"),
    ],
)
def test_who_needs_scenes_is_told(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    games = tmp_path / "games.jsonl"
    write_games(REAL, games)
    with pytest.raises(UsageError, match=message):
        call(*words, "--games", str(games), "-o", str(tmp_path / "out.jsonl"))
    assert not (tmp_path / "out.jsonl").exists()


def test_players_may_be_functions() -> None:
    played = play(
        lambda state: "a cup?" if not state.qas else None,
        REAL,
        oracle=by_look,
        guesser=lambda state: state.candidates[1 if state.qas == (("a cup?", "yes"),) else 0].id,
    )
    assert [(len(game.qas), game.guess_object_id, game.status) for game in played] == [(1, 12, "failure")] * 2


@pytest.mark.parametrize(
    ("ask", "say", "guess", "message"),
    [
        (
            lambda state: " ",
            by_look,
            lambda state: 11,
            "a questioner must ask, or give None to stop, got ' ' in game 1",
        ),
        (lambda state: 7, by_look, lambda state: 11, "a questioner must ask"),
        (
            lambda state: "a?",
            lambda *about: "maybe",
            lambda state: 11,
            "an oracle must answer yes, no or n/a, got 'maybe'",
        ),
        (lambda state: None, by_look, lambda state: 99, "a guesser must name a candidate or its id, got 99 in game 1"),
    ],
)
def test_what_a_function_must_not_give(ask: Any, say: Any, guess: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        play(ask, REAL, oracle=say, guesser=guess)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--questioner", "truthful"), "there is no questioner 'truthful'"),
        (("--questioner", "keen", "--guesser", "clever"), "there is no guesser 'clever'"),
        (
            ("--questioner", "keen", "--oracle", "delphi"),
            "there is no oracle 'delphi' to play with; there are: model, scenes, truth",
        ),
        (("--questioner", "keen", "--oracle", "truth:x"), "there is no oracle 'truth:x'"),
        (("--questioner", "keen", "--oracle", "table:x.jsonl"), "a table has answers to questions that were asked"),
        (("--questioner", "keen", "-o", "-", "--json"), "--json prints to standard output"),
        (("--questioner", "keen", "-o", "{games}"), "is the file that is read"),
    ],
)
def test_what_cannot_be_is_refused(world: Path, tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    games = str(world / "guesswhat_val.jsonl")
    before = Path(games).read_bytes()
    out = () if "-o" in words else ("-o", str(tmp_path / "out.jsonl"))
    with pytest.raises(UsageError, match=message):
        call("--games", games, *(word.replace("{games}", games) for word in words), *out)
    assert not (tmp_path / "out.jsonl").exists()
    assert Path(games).read_bytes() == before

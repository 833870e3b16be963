"""`voirdire questions play`: games between a questioner, an oracle and a guesser, from file to file."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.guesswhat import read_games
from voirdire.validation import validate
from voirdire.world.build import build_world


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
        "--limit",
        "3",
        "-o",
        out,
        "--json",
    )
    said = json.loads(call(*words)[1])
    played = read_games(out)
    assert max(len(game.qas) for game in played) == 3
    assert said == {
        "games": len(played),
        "won": sum(game.status == "success" for game in played),
        "questions": sum(len(game.qas) for game in played),
        "path": out,
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--questioner", "truthful"), "there is no questioning witness 'truthful'"),
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

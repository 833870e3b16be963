"""Witnesses in the seats of a live game: the same bytes as in games from files."""

import asyncio
from pathlib import Path

import pytest

from voirdire.errors import UsageError
from voirdire.formats.guesswhat import read_games, write_games
from voirdire.live.model import AnswerTask, AskTask, BoxedObject, GuessTask, PointTask, VisualInput
from voirdire.progress import UNSEEN
from voirdire.questions.exam import AskGamesOptions
from voirdire.questions.games import read_games_file
from voirdire.questions.live_games import ask_games
from voirdire.world.build import build_world
from voirdire.world.witnesses.live_model import Player, plays
from voirdire.world.witnesses.outputs import play_file
from voirdire.world.world_folder import scenes_by_id


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("world")
    build_world(folder, 60, 3)
    return folder


class ScriptedInterview:
    """Witnesses by name, with a seed."""

    dry, stages, pictures = False, UNSEEN, None

    def __init__(self, folder, name, seed, scenes):
        self.folder, self.seed, self.scenes = folder, seed, scenes
        self.model, self.notes, self.terms = Player(name, seed, scenes), [], {}

    def other(self, spec):
        return Player(spec.removeprefix("witness:"), self.seed, self.scenes)

    def askable(self, images):
        return images

    def showable(self, images):
        assert set(images) <= set(self.scenes)
        return set(images)

    def seen(self, image):
        return VisualInput(image)

    def ask_all(self, scripts, unit="questions", look=None):
        async def ask(task, spec=""):
            return await (self.other(spec) if spec else self.model).reply(task)

        async def go():
            return list(await asyncio.gather(*(script(ask) for script in scripts)))

        return asyncio.run(go())


@pytest.mark.parametrize("questioner", ["keen", "confirming", "repetitive", "random"])
@pytest.mark.parametrize(
    ("guesser", "seed"),
    [
        ("consistent", 0),
        pytest.param("random", 5, marks=pytest.mark.slow),
        pytest.param("salient", 1, marks=pytest.mark.slow),
    ],
)
def test_the_same_bytes_as_from_files(world, tmp_path, questioner, guesser, seed):
    games, scenes = world / "guesswhat_val.jsonl", str(world / "scenes.jsonl")
    play_file(questioner, str(games), str(tmp_path / "file.jsonl"), scenes, seed, 6, guesser=guesser)
    interview = ScriptedInterview(tmp_path, questioner, seed, scenes_by_id(scenes))
    options = AskGamesOptions(
        oracle="witness:truth", guesser=f"witness:{guesser}", seed=seed, max_questions=6, table="never"
    )
    ask_games(read_games_file(str(games)), options=options, interview=interview)
    assert (tmp_path / "games.jsonl").read_bytes() == (tmp_path / "file.jsonl").read_bytes()
    assert len(read_games(tmp_path / "games.jsonl")) > 10


def test_who_asks_plays_all_seats_as_in_files(world, tmp_path):
    games, scenes = world / "guesswhat_val.jsonl", str(world / "scenes.jsonl")
    play_file("keen", str(games), str(tmp_path / "file.jsonl"), scenes, 2)
    ask_games(
        read_games_file(str(games)),
        options=AskGamesOptions(seed=2, table="never"),
        interview=ScriptedInterview(tmp_path, "keen", 2, scenes_by_id(scenes)),
    )
    assert (tmp_path / "games.jsonl").read_bytes() == (tmp_path / "file.jsonl").read_bytes()


def test_the_table_of_truth_is_what_the_scenes_say(world, tmp_path):
    from voirdire.questions.score import score_questions

    scenes = str(world / "scenes.jsonl")
    interview = ScriptedInterview(tmp_path, "random", 4, scenes_by_id(scenes))
    ask_games(read_games_file(str(world / "guesswhat_val.jsonl")), options=AskGamesOptions(seed=4), interview=interview)
    played = read_games(tmp_path / "games.jsonl")
    by_table = score_questions(played, f"table:{tmp_path / 'oracle.jsonl'}")
    assert by_table.items.equals(score_questions(played, f"scenes:{scenes}").items)


def test_what_each_can_do():
    assert plays("keen") == plays("random") == {"ask", "guess", "point"}
    assert plays("salient") == plays("consistent") == {"guess"}
    assert plays("truth") == {"point"}
    assert plays("recorded") == plays("forgetful") == frozenset()


def test_nobody_is_asked_for_what_he_cannot_do():
    dog = BoxedObject("dog", (0.0, 0.0, 0.5, 0.5), 12)
    with pytest.raises(UsageError, match="witness:salient is not asked for such a thing"):
        asyncio.run(Player("salient", 0, {}).reply(PointTask(VisualInput(1), "is it red?", dog)))
    with pytest.raises(UsageError, match="witness:keen:2 is not asked"):
        asyncio.run(Player("keen", 2, {}).reply(AnswerTask(VisualInput(1), "is it red?")))


def test_what_it_does_not_know(world):
    player = Player("keen", 0, scenes_by_id(str(world / "scenes.jsonl")))
    dog = BoxedObject("dog", (0.0, 0.0, 0.5, 0.5), 12)
    with pytest.raises(UsageError, match="no scene of image 99999"):
        player.say(PointTask(VisualInput(99999), "is it red?", dog))
    with pytest.raises(UsageError, match="object 12 is no thing of scene"):
        player.say(AskTask(VisualInput(min(player.scenes)), (), 5, (dog,)))
    with pytest.raises(UsageError, match="has no scene"):
        player.say(AskTask(VisualInput(99999), (), 5, (dog,)))
    with pytest.raises(UsageError, match="not with words"):
        player.say(AskTask(VisualInput(0), (), 5, ("fox", "hen")))
    large = BoxedObject("cat", (0.0, 0.0, 1.0, 0.5), 13)
    assert Player("salient", 0, {}).say(GuessTask(VisualInput(99999), (), (dog, large))).value == 1


def test_real_games_by_players_who_need_no_scene(world, tmp_path):
    given = [game for game in read_games(world / "guesswhat_val.jsonl") if len(game.objects) > 2][:5]
    write_games(given, tmp_path / "real.jsonl")
    interview = ScriptedInterview(tmp_path, "random", 0, {})
    interview.showable = set
    options = AskGamesOptions(questioner="recorded", oracle="witness:truth", table="never")
    with pytest.raises(UsageError, match="no scene"):
        ask_games(read_games_file(str(tmp_path / "real.jsonl")), options=options, interview=interview)

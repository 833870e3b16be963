"""Games of live models through the command: witnesses, and a chatty model behind an endpoint."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from chatty import Chatty
from PIL import Image
from scripted import serving

from voirdire.exam import read_run
from voirdire.formats.guesswhat import read_games
from voirdire.formats.oracle_answers import read_object_answers
from voirdire.formats.twenty_questions import FORMAT as TWENTY
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import play_file

pytestmark = pytest.mark.slow
SAID = Path("said/live/questions-score")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live") / "world"
    build_world(folder, 30, 3, pictures=True)
    return folder


@pytest.fixture
def ask(called):
    """Calls `voirdire ask questions`, which must end well."""

    def call(out, *words, fails=False):
        code, printed, told = called("ask", "questions", *words, "-o", out, "--name", "live")
        assert (code == 0) != fails, told
        return printed + told

    return call


def asked(out):
    return json.loads((out / SAID / "asked.json").read_text())


@pytest.mark.parametrize("questioner", ["keen", "confirming", "repetitive", "random"])
def test_a_witness_on_the_stand_plays_as_from_files(ask, world, tmp_path, questioner):
    games = str(world / "guesswhat_val.jsonl")
    play_file(questioner, games, str(tmp_path / "file.jsonl"), seed=3)
    seats = ("--oracle", "witness:truth", "--guesser", "witness:consistent:3")
    ask(tmp_path, "--model", f"witness:{questioner}:3", "--data", world, *seats)
    assert (tmp_path / SAID / "games.jsonl").read_bytes() == (tmp_path / "file.jsonl").read_bytes()
    run = read_run(tmp_path / "runs/live/questions")
    assert run.signature.options["oracle"].startswith("scenes ")
    told = {name: run.signature.options["asked"][name] for name in ("questioner", "oracle", "guesser", "max_questions")}
    assert told == {
        "questioner": "self",
        "oracle": "witness:truth",
        "guesser": "witness:consistent:3",
        "max_questions": 8,
    }
    assert read_run(tmp_path / "runs/live/questions-kinds").measures


def test_a_chatty_model_plays_against_the_datas_oracle(ask, world, tmp_path):
    model = Chatty()
    with serving(model) as server:
        words = ("--model", f"openai:m@{server.url}", "--data", world, "--max-questions", 4)
        ask(tmp_path, *words)
        sent = sum(model.counts.values())
        played = read_games(tmp_path / SAID / "games.jsonl")
        assert len(played) == 6
        assert all(
            [qa.question for qa in game.qas] == ["Is it a person?", "Is it on the left?", "Is it large?"]
            for game in played
        )
        assert model.counts == {"ask": 24, "point": 0, "guess": 6, "sight": model.counts["sight"]}
        assert all(game.guess_object_id is not None for game in played)
        assert asked(tmp_path)["notes"][1:] == ["6 turns without a question that could be read: spent."]
        assert not (tmp_path / SAID / "oracle.jsonl").exists()
        # Nothing is asked again: neither by the same call, nor where the files are lost and the journal is left.
        ask(tmp_path, *words)
        before = (tmp_path / SAID / "games.jsonl").read_bytes()
        (tmp_path / SAID / "games.jsonl").unlink()
        ask(tmp_path, *words)
        assert (tmp_path / SAID / "games.jsonl").read_bytes() == before
        assert sum(model.counts.values()) == sent


def test_a_model_that_answers_itself_fills_the_table_by_which_it_is_scored(ask, world, tmp_path):
    model = Chatty()
    with serving(model) as server:
        data = ("--data", world / "guesswhat_val.jsonl", "--images", world / "pictures", "--boxes", "coordinates")
        told = ask(tmp_path, "--model", f"openai:m@{server.url}", *data, "--max-questions", 4)
    played = read_games(tmp_path / SAID / "games.jsonl")
    pairs = sum(len({qa.question for qa in game.qas}) * len(game.objects) for game in played)
    assert f"an answer for every object: 18 questions of 6 games, {pairs} requests (questions × objects)" in told
    # Those about the target were heard in the game.
    assert model.counts["point"] == pairs
    rows = read_object_answers(tmp_path / SAID / "oracle.jsonl")
    assert [(row.game_id, row.question) for row in rows] == [(game.id, place) for game in played for place in range(3)]
    assert {answer for row in rows for answer in row.answers.values()} == {"yes", "no", "n/a"}
    assert all(rows[3 * place].answers[game.target_id] == game.qas[0].answer for place, game in enumerate(played))
    run = read_run(tmp_path / "runs/live/questions")
    assert run.signature.options["oracle"].startswith("table ")
    assert run.measures["questions"].value == 3
    unread = sum(len(game.objects) for game in played)
    assert f"{unread} answers about objects that could not be read: n/a is recorded." in asked(tmp_path)["notes"]


def test_a_dry_run_tells_how_much_it_would_be(ask, world, tmp_path):
    model = Chatty()
    with serving(model) as server:
        data = ("--data", world / "guesswhat_val.jsonl", "--images", world / "pictures", "--boxes", "coordinates")
        said = ask(tmp_path, "--model", f"openai:m@{server.url}", *data, "--max-questions", 4, "--dry-run")
    objects = sum(len(game.objects) for game in read_games(world / "guesswhat_val.jsonl"))
    assert f"ask questions score, template plain: {3 + 6 * (4 + 4 + 1) + 4 * objects} requests" in said
    assert sum(model.counts.values()) == 0


def test_a_table_for_somebodys_games(ask, called, world, tmp_path):
    games = world / "guesswhat_val.jsonl"
    words = ("--data", games, "--scenes", world / "scenes.jsonl", "--table", "alone")
    ask(tmp_path, "--model", "witness:keen", *words)
    assert read_games(tmp_path / SAID / "games.jsonl") == read_games(games)
    run = read_run(tmp_path / "runs/live/questions")
    assert run.measures["questions"].value > 1
    table = f"table:{tmp_path / SAID / 'oracle.jsonl'}"
    code, said, _ = called("questions", "oracle-accuracy", "--games", games, "--oracle", table, "--json")
    assert code == 0
    assert json.loads(said)["measures"]["accuracy"]["value"] == 1


def test_who_cannot_play_is_told_so(ask, world, tmp_path):
    said = ask(tmp_path / "a", "--model", "witness:truthful", "--data", world, fails=True)
    assert "the model cannot ask" in said
    said = ask(tmp_path / "b", "--model", "witness:keen", "--data", world, "--guesser", "witness:truth", fails=True)
    assert "--guesser must be somebody else: witness:truth cannot guess" in said
    said = ask(tmp_path / "c", "--model", "witness:keen", "--data", world, "--oracle", "witness:nobody", fails=True)
    assert "there is no witness 'nobody'; there are: " in said
    said = ask(tmp_path / "d", "--model", "witness:keen", "--data", world, "--boxes", "drawn", fails=True)
    assert "none is shown of image" in said
    with serving(Chatty()) as server:
        said = ask(tmp_path / "e", "--model", f"openai:m@{server.url}", "--data", world / "scenes.jsonl", fails=True)
    assert "--to-play" in said or "to_play" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": 1, "bad"', "expected valid JSON"),
        (
            '[{"dialogue_id": 1, "candidates": ["elk"], "target": "cow", "questions": []}]',
            "found 'cow', expected one of",
        ),
        ('{"image_id": 5, "qas": [], "target_id": 3, "success": true}', "left out: "),
    ],
)
def test_data_that_cannot_be_played_is_told_with_its_reason(ask, tmp_path, text, said):
    (tmp_path / "given.jsonl").write_text(text)
    told = ask(tmp_path / "out", "--model", "witness:keen", "--data", tmp_path / "given.jsonl", fails=True)
    assert said in told
    assert "--data has nothing that questions could be asked about" in told


def test_data_may_be_named_from_here_and_from_the_root(ask, world, tmp_path, monkeypatch):
    monkeypatch.chdir(world)
    data = ("--data", "guesswhat_val.jsonl", "--data", world / "scenes.jsonl", "--scenes", "scenes.jsonl")
    told = ask(tmp_path, "--model", "witness:keen", *data)
    assert "questions.oracle: scenes:" in told
    assert "the data's oracle answered" in asked(tmp_path)["notes"][0]


def test_a_config_runs_no_code_for_a_seat(called, world, tmp_path):
    (tmp_path / "mine.py").write_text("raise SystemExit(7)")
    config = tmp_path / "exam.yaml"
    config.write_text(
        f"output: {tmp_path / 'out'}\ndata: {{questions: {{to_play: {world / 'guesswhat_val.jsonl'}}}}}\n"
        f"models: {{keen: {{model: witness:keen, scenes: {world / 'scenes.jsonl'}}}}}\n"
        f"options: {{questions: {{oracle: 'python:{tmp_path / 'mine.py'}:reply', max_questions: 2}}}}\n"
    )
    code, _, told = called("exam", "--config", config)
    assert code == 2
    assert "options.questions.oracle" in told
    assert "no code of Python's" in told
    config.write_text(config.read_text().replace(f"python:{tmp_path / 'mine.py'}:reply", "witness:truth"))
    code, _, told = called("exam", "--config", config)
    assert code == 0, told
    assert read_run(tmp_path / "out/runs/keen/questions").signature.options["asked"]["oracle"] == "witness:truth"


def test_real_pictures_with_their_boxes_drawn(ask, real_data, tmp_path):
    pictures = real_data / "pictures"
    if not pictures.is_dir():
        pytest.skip("needs the pictures of the real data")
    model = Chatty()
    with serving(model) as server:
        data = ("--data", pictures / "instances.json", "--images", pictures, "--boxes", "drawn")
        ask(tmp_path, "--model", f"openai:m@{server.url}", *data, "--max-questions", 2, "--limit", 5)
    played = read_games(tmp_path / SAID / "games.jsonl")
    assert len(played) == 5
    assert all(3 <= len(game.objects) <= 20 and len(game.qas) == 2 for game in played)
    assert model.counts["point"] == 2 * sum(len(game.objects) for game in played)
    sizes = {(game.image.width, game.image.height) for game in played}
    for picture in model.shown:
        assert picture is not None
        with Image.open(io.BytesIO(picture)) as shown:
            assert shown.size in sizes
            red, green, blue = np.moveaxis(np.asarray(shown.convert("RGB")), 2, 0)
        assert ((red > 200) & (green < 60) & (blue < 60)).sum() > 20
    run = read_run(tmp_path / "runs/live/questions")
    assert run.signature.options["asked"]["boxes"] == "drawn"
    assert run.measures["questions"].value == 2
    # The same about each object, told by coordinates, is another request.
    with serving(model) as server:
        again = ("--data", pictures / "instances.json", "--images", pictures)
        ask(tmp_path / "told", "--model", f"openai:m@{server.url}", *again, "--max-questions", 2, "--limit", 5)
    first = {row.question: row.answers for row in read_object_answers(tmp_path / SAID / "oracle.jsonl")}
    assert (
        first[0]
        == {row.question: row.answers for row in read_object_answers(tmp_path / "told" / SAID / "oracle.jsonl")}[0]
    )


@pytest.mark.parametrize("name", ["8_mcrae_oracle_annotations.json", "8_mcrae_dialogues.txt"])
def test_twenty_questions_about_published_lists(ask, real_data, tmp_path, name):
    words = real_data / "guesswhat" / "twenty_questions" / name
    listed = {game.id: game for game in TWENTY.read(words.with_name("8_mcrae_oracle_annotations.json"))}

    class Names(Chatty):
        """Asks for one candidate after the other."""

        def say(self, messages):
            texts = [str(one["content"]) for one in messages]
            if "The candidates: " in texts[1]:
                named = texts[1].partition("The candidates: ")[2].partition(".")[0].split(", ")
                return f"Hm. Is it a {named[sum(one['role'] == 'assistant' for one in messages)]}?"
            return super().say(messages)

    with serving(Names()) as server:
        ask(tmp_path, "--model", f"openai:m@{server.url}", "--data", words, "--limit", 6)
        assert not any("image_url" in json.dumps(body) for _, _, body in server.seen)
    played = TWENTY.read(tmp_path / SAID / "games.jsonl")
    assert len(played) == 6
    for game in played:
        assert (game.candidates, game.target) == (listed[game.id].candidates, listed[game.id].target)
        assert game.win_turn == game.candidates.index(game.target) + 1
        assert (game.answers == 0).sum() == game.win_turn
    run = read_run(tmp_path / "runs/live/questions")
    assert run.measures["task_success"].value == 1
    assert run.signature.options["asked"]["shown"] == "nothing"

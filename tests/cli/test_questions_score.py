"""`voirdire questions score`, `show` and `plot` as they are called, and bad input."""

import copy
import gzip
import json

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import VoirDireError
from voirdire.runs import read_run

BOX = {"category": "cup", "category_id": 47, "area": 30.5}
GAME = {
    "id": 1,
    "image": {"id": 5, "width": 64, "height": 48, "file_name": "5.png"},
    "objects": [{"id": 7 + place, **BOX, "bbox": [4 + 20 * place, 5, 10, 10]} for place in range(3)],
    "object_id": 8,
    "qas": [
        {"question": "on the left?", "answer": "No", "id": 1},
        {"question": "in the middle?", "answer": "Yes", "id": 2},
        {"question": "a cup?", "answer": "Yes", "id": 3},
    ],
    "status": "success",
    "guess_object_id": 8,
}
LOST = {**GAME, "id": 2, "status": "failure", "guess_object_id": 9, "qas": GAME["qas"][:1]}
SAID = [["yes", "no", "no"], ["no", "yes", "no"], ["yes", "yes", "yes"]]
TWENTY = {
    "dialogue_id": 4,
    "candidates": ["elk", "hen"],
    "target": "hen",
    "questions": [{"question_step": 1, "question": "a bird?", "item_specific_answers": {"elk": "no", "hen": "yes"}}],
}


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def files(tmp_path):
    write(tmp_path / "games.jsonl", GAME, LOST)
    ids = [thing["id"] for thing in GAME["objects"]]
    lines = [
        {"game_id": game["id"], "question": place, "answers": dict(zip(map(str, ids), SAID[place], strict=True))}
        for game in (GAME, LOST)
        for place in range(len(game["qas"]))
    ]
    write(tmp_path / "said.jsonl", *lines)
    return tmp_path


def call(*words):
    """Exit code, stdout and stderr (with the message that `run` would print)."""
    done = CliRunner().invoke(app, ["questions", *map(str, words)], env={"COLUMNS": "100"})
    if isinstance(done.exception, VoirDireError):
        return 2, done.stdout, done.stderr + str(done.exception)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def score(files, *words, games="games.jsonl", oracle="said.jsonl"):
    return call("score", "--games", files / games, "--oracle", f"table:{files / oracle}", *words)


def refused(files, game, *words):
    """The message for a file with one changed game."""
    code, out, err = score(files, *words, games=write(files / "bad.jsonl", game, LOST).name)
    assert code == 2
    assert out == ""
    return err


def changed(**fields):
    return {**copy.deepcopy(GAME), **fields}


def test_the_table_and_the_json(files):
    code, out, _ = score(files)
    assert code == 0
    assert "effectiveness_success  0.6667" in out
    assert "|options.answers:oracle|" in out
    code, out, _ = score(files, "--json")
    told = json.loads(out)
    assert code == 0
    assert (told["exam"], told["warnings"]) == ("questions", [])
    names = (
        *("questions", "task_success", "effectiveness", "effectiveness_success", "effectiveness_failure"),
        *("effectiveness_micro", "last_effective", "last_referring", "referring", "success_if_referring"),
        "success_if_not",
    )
    found = {name: told["measures"][name]["value"] for name in names}
    assert found == pytest.approx(
        {
            "questions": 2,
            "task_success": 0.5,
            "effectiveness": (2 / 3 + 1) / 2,
            "effectiveness_success": 2 / 3,
            "effectiveness_failure": 1,
            "effectiveness_micro": 3 / 4,
            "last_effective": 0.5,
            "last_referring": 0,
            "referring": 0.25,
            "success_if_referring": None,
            "success_if_not": 0.5,
        },
        nan_ok=True,
    )
    assert all(0 <= value <= 1 for name, value in found.items() if value is not None and name != "questions")
    assert told["signature"]["options"]["oracle"].startswith("table ")


def test_a_run_is_written_and_drawn(files):
    code, _, _ = score(files, "-o", files / "run")
    assert code == 0
    run = read_run(files / "run")
    assert run.items.height == 4
    assert run.items["refers_to"].to_list() == [7, 8, None, 7]
    code, _, err = score(files, "-o", files / "run")
    assert code == 2
    assert "there is a run already" in err
    code, out, _ = call("plot", "--run", files / "run", "-o", files / "figure.svg")
    assert code == 0
    assert "drawn:" in out
    assert b"<svg" in (files / "figure.svg").read_bytes()


def test_truncation_and_recorded_answers(files):
    _, out, _ = score(files, "--max-questions", 1, "--json")
    told = json.loads(out)["measures"]
    assert (told["questions"]["value"], told["task_success"]["value"]) == (1, 0.5)
    _, out, _ = score(files, "--answers", "recorded", "--json")
    assert json.loads(out)["measures"]["target_dropped"]["value"] == 0


def test_both_layouts_and_gzip_give_the_same_figures(files):
    qas = [{"q": qa["question"], "a": qa["answer"], "id": qa["id"]} for qa in GAME["qas"]]
    rest = {"object_id": 8, "status": "success", "guess_object_id": 8}
    objects = {str(thing["id"]): thing for thing in GAME["objects"]}
    picture = {"width": 64, "height": 48, "file_name": "5.png"}
    two = {"dialogue_id": 1, "picture": picture, "picture_id": 5, "objects": objects, "qas": qas, **rest}
    write(files / "one.jsonl", GAME)
    (files / "two.jsonl.gz").write_bytes(gzip.compress(json.dumps(two).encode()))
    first, second = (score(files, "--json", games=name)[1] for name in ("one.jsonl", "two.jsonl.gz"))
    assert json.loads(first) == json.loads(second)


def test_twenty_questions_need_no_oracle(files):
    (files / "t.json").write_text(json.dumps([TWENTY]))
    code, out, _ = call("score", "--games", files / "t.json", "--json")
    assert code == 0
    assert json.loads(out)["measures"]["effectiveness"]["value"] == 1
    code, _, err = call("score", "--games", files / "t.json", "--oracle", f"table:{files / 'said.jsonl'}")
    assert code == 2
    assert "leave --oracle out" in err
    code, _, err = call("score", "--games", files / "t.json", "--answers", "recorded")
    assert code == 2
    assert "do not hold the answers" in err
    code, out, _ = call("show", 4, "--games", files / "t.json")
    assert code == 0
    assert "left: hen*" in out


def test_a_game_is_shown_and_drawn(files):
    table = f"table:{files / 'said.jsonl'}"
    code, out, _ = call("show", 1, "--games", files / "games.jsonl", "--oracle", table, "-o", files / "game.html")
    assert code == 0
    assert "target: cup 8, guess: cup 8, success" in out
    assert "drawn:" in out
    assert (files / "game.html").read_text().startswith("<!DOCTYPE html>")
    code, out, _ = call("show", 2, "--games", files / "games.jsonl", "--oracle", table, "--json")
    assert [turn["left"] for turn in json.loads(out)["turns"]] == [[8, 9]]
    code, _, err = call("show", 3, "--games", files / "games.jsonl", "--oracle", table)
    assert code == 2
    assert "found no game '3', expected one of its games, such as 1, 2" in err
    code, _, err = call("show", 1, "--games", files / "games.jsonl", "--oracle", table, "--pictures", files)
    assert code == 2
    assert "--pictures needs --output" in err


def test_the_target_is_not_among_the_objects(files):
    assert "game 1, field `object_id`: found 99, which is none of its 3 objects" in refused(
        files, changed(object_id=99)
    )


def test_the_guess_is_not_among_the_objects(files):
    assert "field `guess_object_id`: found 99" in refused(files, changed(guess_object_id=99))


def test_a_box_outside_the_image(files):
    game = changed()
    game["objects"][1]["bbox"] = [60, 5, 10, 10]
    err = refused(files, game)
    assert "game 1, object 8, field `bbox`: found [60.0, 5.0, 10.0, 10.0]" in err
    assert "inside the image of 64 × 48 pixels" in err


def test_an_unknown_answer(files):
    game = changed()
    game["qas"][1]["answer"] = "perhaps"
    assert "game 1, question 2, field `answer`: found 'perhaps', expected Yes, No or N/A" in refused(files, game)


def test_an_unknown_status(files):
    assert "field `status`: found 'draw'" in refused(files, changed(status="draw"))


def test_games_of_both_layouts_in_one_file(files):
    two = {key: value for key, value in GAME.items() if key not in ("id", "image")} | {"dialogue_id": 3}
    code, _, err = score(files, games=write(files / "bad.jsonl", GAME, two).name)
    assert code == 2
    assert "bad.jsonl: line 2: found a game of layout 2, expected layout 1, as the games before it" in err
    code, _, err = score(files, games=write(files / "bad.jsonl", two, GAME).name)
    assert code == 2
    assert "line 2: found a game of layout 1, expected layout 2" in err


def test_an_id_that_occurs_twice(files):
    err = refused(files, changed(id=2))
    assert "game 2, field `id`: found 2 games with this id, expected one" in err
    game = changed()
    game["objects"][1]["id"] = 7
    assert "game 1, object 7, field `id`: found 2 objects with this id" in refused(files, changed(**game))


def test_a_gzip_that_was_cut_short(files):
    whole = gzip.compress((files / "games.jsonl").read_bytes())
    (files / "cut.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    code, _, err = score(files, games="cut.jsonl.gz")
    assert code == 2
    assert "cut.jsonl.gz: found a damaged gzip stream" in err


def test_a_file_that_was_cut_short(files):
    whole = (files / "games.jsonl").read_text()
    for end in (-40, whole.index("\n") + 20):
        (files / "cut.jsonl").write_text(whole[:end])
        code, _, err = score(files, games="cut.jsonl")
        assert code == 2
        assert "cut.jsonl: line 2: found" in err
        assert "expected one JSON object" in err


def test_no_list_of_objects(files):
    bare = {key: value for key, value in GAME.items() if key != "objects"}
    code, _, err = score(files, games=write(files / "bare.jsonl", bare).name)
    assert code == 2
    assert "games without lists of objects" in err
    assert "give --coco, COCO's instances file, or --originals, the original games" in err


def test_an_unknown_category_where_a_log_is_joined(files):
    coco = {
        "images": [GAME["image"]],
        "annotations": [
            {"id": 7, "image_id": 5, "category_id": 47, "area": 1.0, "bbox": [1, 1, 5, 5], "iscrowd": 0},
        ],
        "categories": [{"id": 47, "name": "cup", "supercategory": "kitchen"}],
    }
    log = {"index": 0, "image_id": 5, "target_center_xy_ybottom": [3.5, 44.5], "status": "success"}
    log["qas"] = [{"question": "a cup?", "answer": "yes"}]
    write(files / "log.jsonl", {**log, "target_category": "wombat"})
    (files / "coco.json").write_text(json.dumps(coco))
    code, _, err = score(files, "--coco", files / "coco.json", games="log.jsonl")
    assert code == 2
    assert "game 0, field `target_category`: found 'wombat'" in err
    coco["annotations"][0]["category_id"] = 9
    (files / "coco.json").write_text(json.dumps(coco))
    code, _, err = score(files, "--coco", files / "coco.json", games="log.jsonl")
    assert code == 2
    assert "annotation 7, field `category_id`: found 9" in err


def test_an_oracle_that_lacks_a_question(files):
    lines = (files / "said.jsonl").read_text().splitlines(keepends=True)
    (files / "short.jsonl").write_text("".join(lines[1:]))
    code, _, err = score(files, oracle="short.jsonl")
    assert code == 2
    assert "short.jsonl: game 1, question 0: found no line, expected answers for its 3 objects" in err
    # Only the first questions are asked for where only they are scored.
    (files / "short.jsonl").write_text("".join((lines[0], lines[3])))
    assert score(files, "--max-questions", 1, oracle="short.jsonl")[0] == 0


def test_calls_that_cannot_be_answered(files):
    code, _, err = call("score", "--games", files / "games.jsonl")
    assert code == 2
    assert "--oracle is needed" in err
    assert "table" in err
    code, _, err = call("score", "--games", files / "games.jsonl", "--oracle", "delphi")
    assert code == 2
    assert "there is no oracle 'delphi'" in err
    assert score(files, "--answers", "people")[0] == 2
    assert score(files, "--max-questions", 0)[0] == 2
    assert score(files, "--json", "--latex")[0] == 2
    assert score(files, games="none.jsonl")[0] == 2
    code, _, err = call("plot", "--run", files / "none", "-o", files / "figure.svg")
    assert code == 2


def test_what_the_oracle_could_not_read_is_a_warning(tmp_path):
    from random import Random

    import msgspec

    from voirdire.formats.files import write_lines
    from voirdire.formats.guesswhat import Qa, write_games
    from voirdire.world.scene import make_scene
    from voirdire.world.scenes_oracle import make_game

    scene = make_scene(3, 0)
    game = msgspec.structs.replace(make_game(scene, Random(1)), qas=(Qa("does it dream of home?", "no"),))
    write_lines([scene], tmp_path / "scenes.jsonl")
    write_games([game], tmp_path / "games.jsonl")
    words = ["--games", tmp_path / "games.jsonl", "--oracle", f"scenes:{tmp_path / 'scenes.jsonl'}", "--json"]
    said = CliRunner().invoke(app, ["questions", "score", *map(str, words)], catch_exceptions=False)
    assert any("home" in warning for warning in json.loads(said.stdout)["warnings"])

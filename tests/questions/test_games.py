"""Games without lists of objects, joined with COCO or with original games; and what is said where they do not fit."""

import json

import pytest
from msgspec import structs

from voirdire.errors import InputError, UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.game_logs import GameLog
from voirdire.formats.guesswhat import Game, GameObject, Qa, write_games
from voirdire.formats.record import Rows
from voirdire.progress import Stages
from voirdire.questions.games import (
    GamesFile,
    ObjectLists,
    coco_lists,
    join_logs,
    names_alone,
    original_lists,
    read_coco_lists,
    read_games_file,
    read_original_lists,
    with_lists,
)
from voirdire.questions.oracle_accuracy import score_oracle
from voirdire.questions.score import score_questions

LISTS = ObjectLists("COCO's instances", {})


@pytest.mark.parametrize("score", [score_questions, score_oracle])
def test_an_empty_log_is_called_empty_whatever_is_given_beside_it(score) -> None:
    log = GamesFile("played.jsonl", "game_logs", Rows(()), "")
    for lists in ({"coco": LISTS}, {"originals": LISTS}, {}):
        with pytest.raises(InputError, match=r"^played.jsonl: found no game: it is empty, expected at least one game$"):
            score(log, "scenes:none.jsonl", **lists)
    with pytest.raises(UsageError, match="`games` must hold at least one game, got none"):
        score_questions([], "scenes:none.jsonl")


QAS = (Qa("a cup?", "yes"), Qa("red?", "no"))

COCO = {
    "images": [{"id": 5, "width": 64, "height": 48, "file_name": "5.jpg"}, {"id": 6, "width": 10, "height": 10}],
    "annotations": [
        {"id": 11, "image_id": 5, "category_id": 47, "area": 30.5, "bbox": [1, 2, 8, 4], "iscrowd": 0},
        {"id": 12, "image_id": 5, "category_id": 47, "area": 30.5, "bbox": [21, 2, 8, 4], "iscrowd": 0},
        {"id": 13, "image_id": 5, "category_id": 1, "area": 30.5, "bbox": [21, 2, 8, 4], "iscrowd": 0},
        {"id": 14, "image_id": 5, "category_id": 1, "area": 90.0, "bbox": [0, 0, 40, 40], "iscrowd": 1},
    ],
    "categories": [
        {"id": 47, "name": "cup", "supercategory": "kitchen"},
        {"id": 1, "name": "person", "supercategory": "person"},
    ],
}

BY_OBJECT = {"image_id": 5, "target_id": 12, "guess_id": 11, "success": False, "qas": []}

BY_INDEX = {"index": 4, "image_id": 5, "target_category": "cup", "status": "success", "qas": []}

SAID = [{"question": "a cup?", "answer": "Yes"}, {"question": "red?", "answer": "no"}]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "coco.json").write_text(json.dumps(COCO))
    things = tuple(
        GameObject(annotation["id"], "cup", 47, 30.5, tuple(map(float, annotation["bbox"])))
        for annotation in COCO["annotations"][:2]
    )
    image = GameImage(5, 64, 48, "5.jpg")
    write_games([Game(100 + place, image, things, 11, QAS, "success") for place in range(2)], tmp_path / "games.jsonl")
    lines(tmp_path / "logs.jsonl", {**BY_OBJECT, "qas": SAID})
    return tmp_path


def read_played(path, coco=None, originals=None, stages=None):
    """The games of a file, with those of a file beside it."""
    return with_lists(
        read_games_file(path),
        None if coco is None else read_coco_lists(coco),
        None if originals is None else read_original_lists(originals),
        stages or Stages(),
    )


def lines(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def joined(files, *rows):
    played = read_played(lines(files / "l.jsonl", *rows), coco=str(files / "coco.json"))
    return list(played.games)


def refused(files, *rows):
    with pytest.raises(InputError) as caught:
        joined(files, *rows)
    return str(caught.value)


def test_logs_by_object_with_coco(files):
    played = read_played(str(files / "logs.jsonl"), coco=str(files / "coco.json"))
    (game,) = played.games
    assert [thing.id for thing in game.objects] == [11, 12, 13]  # The crowd is no candidate.
    assert [thing.category for thing in game.objects] == ["cup", "cup", "person"]
    assert (game.id, game.target_id, game.guess_object_id, game.status) == (1, 12, 11, "failure")
    assert game.image == GameImage(5, 64, 48, "5.jpg")
    assert [qa.answer for qa in game.qas] == ["yes", "no"]
    assert set(played.data) == {"coco"}
    assert played.games.fingerprint != played.data["coco"]


def test_logs_with_original_games(files):
    played = read_played(str(files / "logs.jsonl"), originals=str(files / "games.jsonl"))
    (game,) = played.games
    assert [thing.id for thing in game.objects] == [11, 12]
    assert set(played.data) == {"originals"}


def test_the_target_by_category_and_centre_with_y_from_the_bottom(files):
    (game,) = joined(files, {**BY_INDEX, "target_center_xy_ybottom": [25.0, 44.2]})
    assert (game.id, game.target_id) == (4, 12)
    (game,) = joined(files, {**BY_INDEX, "target_category": "person", "target_center_xy_ybottom": [25, 44]})
    assert game.target_id == 13


def test_games_of_a_released_layout_that_lack_their_objects(files):
    write_games(read_played(str(files / "games.jsonl")).games, files / "two.jsonl", layout=2)
    for name in ("games.jsonl", "two.jsonl"):
        rows = [json.loads(line) for line in (files / name).read_text().splitlines()]
        for empty in (None, [], {}):
            bare = [{**row, "objects": empty} for row in rows]
            if empty is None:
                bare = [{key: value for key, value in row.items() if key != "objects"} for row in rows]
            path = lines(files / "bare.jsonl", *bare)
            with pytest.raises(InputError, match="give `coco`, COCO's instances file"):
                read_played(path)
            played = read_played(path, coco=str(files / "coco.json"))
            assert [[thing.id for thing in game.objects] for game in played.games] == [[11, 12, 13]] * 2
            assert [game.target_id for game in played.games] == [11, 11]


def test_one_game_of_several_that_lacks_its_objects(files):
    first, second = (json.loads(line) for line in (files / "games.jsonl").read_text().splitlines())
    del second["objects"]
    path = lines(files / "bare.jsonl", first, second)
    with pytest.raises(InputError, match="or `originals`, the original games"):
        read_played(path)
    played = read_played(path, originals=str(files / "games.jsonl"))
    assert [[thing.id for thing in game.objects] for game in played.games] == [[11, 12], [11, 12]]


@pytest.mark.parametrize(("layout", "field"), [(1, "image.id"), (2, "picture_id")])
def test_a_game_on_an_image_that_the_lists_do_not_have(files, layout, field):
    (game, _) = read_played(str(files / "games.jsonl")).games
    write_games([structs.replace(game, image=GameImage(8, 64, 48))], files / "other.jsonl", layout=layout)
    row = json.loads((files / "other.jsonl").read_text())
    del row["objects"]
    path = lines(files / "bare.jsonl", row)
    for option, title in (("coco", "COCO's instances"), ("originals", "the original games")):
        with pytest.raises(InputError, match=f"line 1, field `{field}`: found 8, which {title} do not have"):
            read_played(path, **{option: str(files / ("coco.json" if option == "coco" else "games.jsonl"))})


def test_objects_of_several_original_games_on_one_image():
    first, second = (
        Game(
            id_, GameImage(5, 64, 48), (GameObject(10 + id_, "cup", 47, 1.0, (0.0, 0.0, 1.0, 1.0)),), 10 + id_, (), None
        )
        for id_ in (1, 2)
    )
    lists = original_lists(Rows((first, second)))
    assert [image.id for image in lists.images[5][1]] == [11, 12]


def test_lists_missing_says_how_to_join(files):
    with pytest.raises(InputError) as caught:
        read_played(str(files / "logs.jsonl"))
    message = str(caught.value)
    assert "logs.jsonl: field `objects`: found games without lists of objects" in message
    assert "`coco`, COCO's instances file" in message
    assert "`originals`, the original games" in message


def test_what_does_not_fit_is_named(files):
    assert "game 1, field `target_id`: found 99, which is none of the 3 objects of image 5" in refused(
        files, {**BY_OBJECT, "target_id": 99}
    )
    # The crowd is an instance, but no candidate.
    assert "found 14" in refused(files, {**BY_OBJECT, "target_id": 14})
    assert "field `guess_id`: found 99" in refused(files, {**BY_OBJECT, "guess_id": 99})
    assert "field `image_id`: found 8, which COCO's instances do not have" in refused(
        files, {**BY_OBJECT, "image_id": 8}
    )
    centre = {"target_center_xy_ybottom": [25.0, 44.2]}
    assert "game 4, field `target_category`: found 'wombat', expected a category of the joined file" in refused(
        files, {**BY_INDEX, **centre, "target_category": "wombat"}
    )
    assert "field `target_center_xy_ybottom`: found [25.0, 4.0], where image 5 has no cup" in refused(
        files, {**BY_INDEX, "target_center_xy_ybottom": [25.0, 4.0]}
    )
    both = refused(files, {**BY_OBJECT, "target_id": 99}, {**BY_OBJECT, "guess_id": 98})
    assert "2 problems" in both
    both = refused(files, {**BY_OBJECT, "image_id": 8}, {**BY_OBJECT, "image_id": 9})
    assert "2 problems" in both


def test_games_on_images_that_the_lists_lack_are_left_out_and_counted(files):
    rows = [{**BY_OBJECT, "image_id": 8}, {**BY_OBJECT, "qas": SAID}, {**BY_OBJECT, "image_id": 9}]
    played = read_played(lines(files / "l.jsonl", *rows), coco=str(files / "coco.json"))
    # A game keeps the number of its place.
    assert [(game.id, game.target_id) for game in played.games] == [(2, 12)]
    assert played.warnings == (
        "2 of 3 games are on images that COCO's instances do not have; the other one is examined.",
    )


@pytest.mark.parametrize("layout", [1, 2])
def test_bare_games_on_images_that_the_lists_lack_are_left_out_and_counted(files, layout):
    games = read_played(str(files / "games.jsonl")).games
    away = [structs.replace(games[0], id=id_, image=GameImage(8, 64, 48)) for id_ in (7, 8)]
    write_games([away[0], *games, away[1]], files / "other.jsonl", layout=layout)
    rows = [json.loads(line) for line in (files / "other.jsonl").read_text().splitlines()]
    for row in rows:
        del row["objects"]
    path = lines(files / "bare.jsonl", *rows)
    played = read_played(path, originals=str(files / "games.jsonl"))
    assert [game.id for game in played.games] == [100, 101]
    assert played.warnings == (
        "2 of 4 games are on images that the original games do not have; the other 2 are examined.",
    )
    # The lines that are left are counted as in the file.
    rows[2]["qas"][0]["a" if layout == 2 else "answer"] = "maybe"
    with pytest.raises(InputError, match="line 3, game 101, question 1, field `answer`: found 'maybe'"):
        read_played(lines(files / "bare.jsonl", *rows), originals=str(files / "games.jsonl"))


def test_games_that_are_left_out_are_a_warning_of_the_run(files):
    path = lines(files / "l.jsonl", {**BY_OBJECT, "image_id": 8}, {**BY_OBJECT, "qas": SAID})
    table = lines(
        files / "table.jsonl",
        *({"game_id": 2, "question": place, "answers": dict.fromkeys(("11", "12", "13"), "yes")} for place in (0, 1)),
    )
    given = read_games_file(path), f"table:{table}"
    lists = read_coco_lists(str(files / "coco.json"))
    for run in (score_questions(*given, coco=lists), score_oracle(*given, coco=lists)):
        assert (
            "1 of 2 games are on images that COCO's instances do not have; the other one is examined." in run.warnings
        )


def test_an_image_without_instances(files):
    assert "which is none of the 0 objects of image 6" in refused(files, {**BY_OBJECT, "image_id": 6})


def test_calls_that_contradict_themselves(files):
    with pytest.raises(UsageError, match="exclude each other"):
        read_played(str(files / "logs.jsonl"), str(files / "coco.json"), str(files / "games.jsonl"))


class Heard(Stages):
    """Stages that keep what is said."""

    def __init__(self):
        self.said = []

    def say(self, text):
        self.said.append(text)


@pytest.mark.parametrize("option", ["coco", "originals"])
def test_games_that_have_their_lists_keep_them_and_that_is_said(files, option):
    beside = {option: str(files / ("coco.json" if option == "coco" else "games.jsonl"))}
    heard = Heard()
    played = read_played(str(files / "games.jsonl"), **beside, stages=heard)
    assert [[thing.id for thing in game.objects] for game in played.games] == [[11, 12]] * 2
    assert played.data == {}
    assert heard.said == [
        f"{files / 'games.jsonl'}: these games have lists of objects; the lists beside them are not used"
    ]


def test_other_files_are_named(files):
    with pytest.raises(InputError, match=r"COCO instances \(coco\), expected games or their questions \(guesswhat"):
        read_played(str(files / "coco.json"))
    (files / "history.csv").write_text("question_id,game_id,question\n1,5,red?\n")
    with pytest.raises(InputError, match=r"\(history_questions\), expected GuessWhat\?! games, logs"):
        read_played(str(files / "history.csv"))
    with pytest.raises(InputError, match=r"GuessWhat\?! games \(guesswhat\), expected COCO instances"):
        read_played(str(files / "logs.jsonl"), coco=str(files / "games.jsonl"))
    with pytest.raises(InputError, match=r"COCO instances \(coco\), expected GuessWhat\?! games"):
        read_played(str(files / "logs.jsonl"), originals=str(files / "coco.json"))


def test_logs_keep_what_they_have():
    log = GameLog(5, QAS, "incomplete", target_id=12)
    things = (GameObject(12, "cup", 47, 1.0, (0.0, 0.0, 1.0, 1.0)),)
    known = original_lists(Rows((Game(1, GameImage(5, 64, 48), things, 12, (), None),)))
    (game,) = join_logs([log], known)
    assert (game.qas, game.status, game.guess_object_id) == (QAS, "incomplete", None)


def test_coco_lists_have_every_image(files):
    from voirdire.formats.coco import read_coco

    lists = coco_lists(read_coco(files / "coco.json"))
    assert {id_: len(objects) for id_, (_, objects) in lists.images.items()} == {5: 3, 6: 0}
    assert lists.categories() == {"cup", "person"}


def test_a_key_that_occurs_twice_is_not_lost_when_objects_are_joined(files):
    rows = [json.loads(line) for line in (files / "games.jsonl").read_text().splitlines()]
    text = "".join(json.dumps({**row, "objects": {}}).replace("{", '{"status": "failure", ', 1) + "\n" for row in rows)
    (files / "l.jsonl").write_text(text)
    with pytest.raises(InputError, match=r"line 1, field `status`: found this key twice in one object"):
        read_played(str(files / "l.jsonl"), coco=str(files / "coco.json"))


@pytest.mark.parametrize(
    ("question", "named"),
    [
        *(("Is it a lion?", True), ("is it one of the lions?", True), ("Is it a sea lion?", False)),
        *(("Is it a lion or an elk?", False), ("Is it a dandelion?", False), ("Is it big?", False)),
    ],
)
def test_a_target_is_named_alone(question, named):
    assert names_alone(question, "lion", ("lion", "sea lion", "elk")) == named


def test_a_longer_name_is_named_alone():
    assert names_alone("Is it a sea lion?", "sea lion", ("lion", "sea lion", "elk"))

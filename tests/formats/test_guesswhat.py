"""GuessWhat?! games in both layouts, and logs of games: what is read, what is refused, what is written."""

import copy
import json

import pytest

from voirdire.errors import InputError
from voirdire.formats.catalogue import detect
from voirdire.formats.coco import COCO_NAMES, GameImage
from voirdire.formats.files import Source
from voirdire.formats.game_logs import FORMAT as GAME_LOGS
from voirdire.formats.game_logs import FORMAT as LOGS
from voirdire.formats.game_logs import parse_game_logs, write_game_logs
from voirdire.formats.guesswhat import (
    FORMAT,
    Game,
    GameObject,
    Qa,
    normalise_answer,
    parse_games,
    read_games,
    write_games,
)
from voirdire.world.inventory import CATEGORIES

CUP = {"category": "cup", "category_id": 47, "area": 30.5, "bbox": [1.0, 2.5, 10, 4]}
GAME1 = {
    "id": 1,
    "image": {"id": 5, "width": 64, "height": 48, "file_name": "5.jpg", "coco_url": "http://a/5"},
    "objects": [{"id": 7, **CUP, "segment": [[1, 2, 3]]}, {"id": 8, **CUP}],
    "object_id": 8,
    "qas": [
        {"question": "Is it a cup?", "answer": "Yes", "id": 30},
        {"question": "How many?", "answer": "N/A", "id": 31},
    ],
    "status": "success",
    "questioner_id": 4,
    "timestamp": "2020-01-01",
}
GAME2 = {
    "dialogue_id": 1,
    "picture": {"width": 64, "height": 48, "file_name": "5.jpg"},
    "picture_id": 5,
    "objects": {"7": CUP, "8": {"id": 8, **CUP}},
    "object_id": 8,
    "qas": [{"q": "Is it a cup?", "a": "Yes", "id": 30}, {"q": "How many?", "a": "N/A", "id": 31}],
    "status": "success",
}


def lines(*records):
    return Source("games.jsonl", "".join(json.dumps(record) + "\n" for record in records).encode())


def changed(game, **fields):
    return {**copy.deepcopy(game), **fields}


def faults(parse, *records):
    with pytest.raises(InputError) as caught:
        parse(lines(*records))
    assert str(caught.value).startswith("games.jsonl: ")
    return [str(problem) for problem in caught.value.problems]


class TestGames:
    def test_both_layouts_give_the_same_record(self):
        (each,), (two,) = parse_games(lines(GAME1)), parse_games(lines(GAME2))
        assert each == two
        box = (1.0, 2.5, 10.0, 4.0)
        assert each == Game(
            id=1,
            image=GameImage(5, 64, 48, "5.jpg"),
            objects=(GameObject(7, "cup", 47, 30.5, box), GameObject(8, "cup", 47, 30.5, box)),
            target_id=8,
            qas=(Qa("Is it a cup?", "yes", 30, "Yes"), Qa("How many?", "n/a", 31, "N/A")),
            status="success",
            guess_object_id=None,
        )

    @pytest.mark.parametrize("game", [GAME1, GAME2])
    def test_it_is_recognised_also_as_a_single_line(self, game):
        assert detect(lines(game)).name == "guesswhat"
        assert detect(lines(game, game)).name == "guesswhat"

    def test_how_much_and_which_ids(self):
        games = parse_games(lines(GAME1, changed(GAME1, id=2, status="failure", qas=[])))
        assert FORMAT.describe(games) == "2 games, 2 questions, 4 objects (1 success, 1 failure)"
        assert {kind: ids.tolist() for kind, ids in FORMAT.keys(games).items()} == {
            "game": [1, 2],
            "image": [5, 5],
            "game question": [30, 31],
        }
        assert games.notes == ("game 2: no question",)

    def test_fields_that_are_known_to_be_unread_are_not_noted_but_others_are(self):
        games = parse_games(lines(changed(GAME1, mood="good")))
        assert games.notes == ("field 'mood' is not known and was not read (1 time)",)

    @pytest.mark.parametrize(("written", "answer"), [("YES", "yes"), ("no", "no"), (" n/a ", "n/a")])
    def test_answers_in_any_case(self, written, answer):
        assert normalise_answer(written) == answer

    @pytest.mark.parametrize("written", ["maybe", "", "y", "na"])
    def test_other_answers_are_faults(self, written):
        assert normalise_answer(written) is None
        qas = [{"question": "Is it?", "answer": written, "id": 1}]
        assert faults(parse_games, changed(GAME1, qas=qas)) == [
            f"line 1, game 1, question 1, field `answer`: found {written!r}, expected Yes, No or N/A"
        ]

    def test_the_target_and_the_guess_must_be_objects(self):
        assert faults(parse_games, changed(GAME1, object_id=9, guess_object_id=10)) == [
            "line 1, game 1, field `object_id`: found 9, which is none of its 2 objects, expected one of them",
            "line 1, game 1, field `guess_object_id`: found 10, which is none of its 2 objects, expected one of them",
        ]

    @pytest.mark.parametrize("box", [[60, 0, 10, 4], [0, 46, 1, 4], [-2, 0, 1, 1], [0, -2, 1, 1], [5, 5, -1, 2]])
    def test_boxes_outside_the_image_are_faults(self, box):
        objects = [{"id": 8, **CUP, "bbox": box}]
        (problems,) = faults(parse_games, changed(GAME1, objects=objects))
        assert problems.startswith("line 1, game 1, object 8, field `bbox`: found [")
        assert problems.endswith("expected a box [x, y, w, h] inside the image of 64 × 48 pixels")

    def test_a_box_that_ends_less_than_a_pixel_outside_is_well(self):
        objects = [{"id": 8, **CUP, "bbox": [-0.3, 0, 64.9, 48.5]}]
        assert parse_games(lines(changed(GAME1, objects=objects))).notes == ()

    def test_a_box_without_area_is_noted(self):
        objects = [{"id": 8, **CUP, "bbox": [3, 3, 0, 5]}]
        assert parse_games(lines(changed(GAME1, objects=objects))).notes == ("game 1, object 8: a box without area",)

    def test_a_category_whose_name_and_id_are_not_cocos_is_noted(self):
        def notes(category, id_):
            objects = [{**each, "category": category, "category_id": id_} for each in GAME1["objects"]]
            return [note for note in parse_games(lines(changed(GAME1, objects=objects))).notes if "category" in note]

        count = len(GAME1["objects"])
        assert notes("car", 3) == notes("unicorn", 900) == []
        assert notes("car", 4) == [f"{count} objects of category 'car' with the id 4, which COCO calls 'motorcycle'"]
        assert notes("car", 12) == [f"{count} objects of category 'car' with the id 12, which COCO does not have"]
        assert notes("unicorn", 4)[0].endswith("which COCO calls 'motorcycle'")

    def test_the_names_are_those_that_the_world_has(self):
        assert {each.id: each.name for each in CATEGORIES} == COCO_NAMES

    def test_ids_that_occur_twice(self):
        twice = [GAME1["objects"][1], GAME1["objects"][1]]
        assert faults(parse_games, GAME1, changed(GAME1, objects=twice)) == [
            "line 2, game 1, object 8, field `id`: found 2 objects with this id, expected one",
            "game 1, field `id`: found 2 games with this id, expected one",
        ]

    def test_games_of_a_model_that_all_have_the_id_0(self):
        (problems,) = faults(parse_games, changed(GAME1, id=0), changed(GAME1, id=0))
        assert problems.endswith("Some model dumps write 0 for every game; give each game its id.")

    def test_a_key_twice_in_layout_2_is_not_lost(self):
        text = json.dumps(GAME2).replace('"7": ', '"8": ')
        with pytest.raises(InputError, match="line 1, game 1, objects, field `8`: found this key twice"):
            parse_games(Source("games.jsonl", text.encode()))

    def test_a_field_twice_is_refused(self):
        text = json.dumps(GAME1).replace('"status": ', '"status": "failure", "status": ')
        with pytest.raises(InputError, match="line 1, game 1, field `status`: found this key twice in one object"):
            parse_games(Source("games.jsonl", text.encode()))

    def test_an_object_of_layout_2_must_have_the_id_of_its_key(self):
        objects = {"8": {"id": 9, **CUP}}
        assert faults(parse_games, changed(GAME2, objects=objects)) == [
            "line 1, game 1, object 8, field `id`: found 9, expected 8, its key"
        ]

    def test_unknown_status_and_types_are_listed_line_by_line(self):
        assert faults(
            parse_games,
            changed(GAME1, status="won"),
            changed(GAME1, id=2, image={"id": 5}),
            {"id": 3},
        ) == [
            "line 1, game 1, field `status`: found 'won', expected success, failure or incomplete",
            "line 2, game 2, field `image.width`: found nothing, expected this field",
            "line 3, game 3, field `object_id`: found nothing, expected this field",
        ]

    def test_a_broken_line_is_named(self):
        with pytest.raises(InputError, match="line 2: found"):
            parse_games(Source("games.jsonl", json.dumps(GAME1).encode() + b'\n{"id": 2,\n'))

    def test_an_outcome_that_does_not_fit_the_guess_is_noted(self):
        games = parse_games(lines(changed(GAME1, guess_object_id=7)))
        assert games.notes == ("game 1: status success, but the guess is wrong",)

    def test_no_game_is_a_fault(self):
        with pytest.raises(InputError, match="no game"):
            parse_games(Source("games.jsonl", b"\n"))

    @pytest.mark.parametrize("layout", [1, 2])
    @pytest.mark.parametrize("name", ["g.jsonl", "g.jsonl.gz"])
    def test_written_and_read_again_it_is_the_same(self, tmp_path, layout, name):
        games = parse_games(lines(GAME1, changed(GAME1, id=2, guess_object_id=7, status="failure")))
        write_games(games, tmp_path / name, layout)
        assert read_games(tmp_path / name) == games

    def test_answers_that_did_not_come_from_a_file_are_spelled_as_released(self, tmp_path):
        game = Game(1, GameImage(5, 64, 48), (GameObject(8, "cup", 47, 1.0, (0, 0, 1, 1)),), 8, (), "success")
        qas = tuple(Qa("Is it?", answer) for answer in ("yes", "no", "n/a"))
        write_games([Game(1, game.image, game.objects, 8, qas, "success", 8)], tmp_path / "g.jsonl")
        row = json.loads((tmp_path / "g.jsonl").read_text())
        assert [qa["answer"] for qa in row["qas"]] == ["Yes", "No", "N/A"]
        assert row["guess_object_id"] == 8
        assert "file_name" not in row["image"]


QAS = [{"question": "is it a cup ?", "answer": "yes"}, {"question": "is it red ?", "answer": "No"}]
BY_INDEX = {
    "index": 0,
    "qas": QAS,
    "image_id": 5,
    "target_category": "cup",
    "target_center_xy_ybottom": [4.5, 6],
    "status": "failure",
}
BY_OBJECT = {"log": "a", "image_id": 5, "target_id": 8, "guess_id": 8, "success": True, "guess_prob": 0.5, "qas": QAS}


class TestLogs:
    def test_by_index(self):
        (game,) = parse_game_logs(lines(BY_INDEX))
        assert (game.index, game.image_id, game.status, game.target_category) == (0, 5, "failure", "cup")
        assert game.target_center == (4.5, 6.0)
        assert [qa.answer for qa in game.qas] == ["yes", "no"]
        assert (game.target_id, game.guess_id) == (None, None)

    def test_by_object(self):
        games = parse_game_logs(lines(BY_OBJECT, {**BY_OBJECT, "guess_id": 9, "success": False}))
        assert [(game.status, game.target_id, game.guess_id) for game in games] == [
            ("success", 8, 8),
            ("failure", 8, 9),
        ]
        assert games.notes == ("1 game with the log, image and target of an earlier one",)
        assert LOGS.describe(games) == "2 games, 4 questions, no object lists (1 success, 1 failure)"
        assert LOGS.keys(games)["image"].tolist() == [5, 5]

    def test_an_outcome_that_contradicts_the_guess_is_a_note_and_counts(self):
        games = parse_game_logs(lines({**BY_OBJECT, "success": False}))
        assert games[0].status == "failure"
        assert "game 1 of the file: failure, but the guess is right" in games.notes

    @pytest.mark.parametrize("record", [BY_INDEX, BY_OBJECT])
    def test_it_is_recognised(self, record):
        assert detect(lines(record)).name == "game_logs"
        assert detect(lines(record, record)).name == "game_logs"

    def test_faults(self):
        assert faults(parse_game_logs, BY_INDEX, {**BY_INDEX, "status": "won"}) == [
            "line 2, game 0, field `status`: found 'won', expected success, failure or incomplete",
            "game 0, field `index`: found 2 games with this index, expected one",
        ]
        assert faults(parse_game_logs, {**BY_OBJECT, "qas": [{"question": "a", "answer": "?"}]}) == [
            "line 1, question 1, field `answer`: found '?', expected Yes, No or N/A"
        ]

    @pytest.mark.parametrize("record", [BY_INDEX, BY_OBJECT])
    def test_written_and_read_again_it_is_the_same(self, tmp_path, record):
        games = parse_game_logs(lines(record))
        write_game_logs(games, tmp_path / "log.jsonl.gz")
        assert GAME_LOGS.read(tmp_path / "log.jsonl.gz") == games

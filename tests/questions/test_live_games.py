"""Games played by models: who sits where, what becomes of replies that cannot be used, and what is written."""

import pytest
from question_games import game
from scripted_interview import ScriptedInterview, said

from voirdire.errors import InputError, UsageError
from voirdire.formats.coco import GameImage
from voirdire.formats.guesswhat import GameObject, read_games, write_games
from voirdire.formats.oracle_answers import read_object_answers
from voirdire.live.model import AskTask, GuessTask, PointTask, Reply
from voirdire.questions.exam import AskGamesOptions
from voirdire.questions.games import ObjectLists, read_games_file
from voirdire.questions.live_games import ask_games, games_on
from voirdire.questions.score import score_questions

GAMES = [game(["ynn"], id_=1)[0], game(["nyn"], target=1, id_=2)[0]]


@pytest.fixture
def to_play(tmp_path):
    write_games(GAMES, tmp_path / "given.jsonl")
    return read_games_file(str(tmp_path / "given.jsonl"))


def put(tmp_path, to_play, reply, known=None, coco=None, interview=None, **options):
    folder = tmp_path / "said"
    folder.mkdir()
    interview = interview or ScriptedInterview(folder, reply)
    interview.folder = folder
    ask_games(to_play, coco, known, options=AskGamesOptions(**options), interview=interview)
    return interview, read_games(folder / "games.jsonl")


def sensible(task, spec):
    """Asks a question per turn, says yes of the first object, and guesses the first."""
    match task:
        case AskTask():
            return said(f"is it number {len(task.rounds)}?")
        case PointTask():
            return said("yes" if task.thing.id == 100 else "no")
        case GuessTask():
            return said(0)


def test_a_game_is_asked_answered_and_guessed(tmp_path, to_play):
    interview, played = put(tmp_path, to_play, sensible, max_questions=2, table="never")
    assert [(game.id, game.target_id, game.objects) for game in played] == [
        (game.id, game.target_id, game.objects) for game in GAMES
    ]
    assert [[(qa.question, qa.answer) for qa in game.qas] for game in played] == [
        [("is it number 0?", "yes"), ("is it number 1?", "yes")],
        [("is it number 0?", "no"), ("is it number 1?", "no")],
    ]
    assert [(game.status, game.guess_object_id) for game in played] == [("success", 100), ("failure", 100)]
    asked = [task for task, _ in interview.heard if isinstance(task, AskTask)]
    assert [(task.game, task.left, len(task.rounds)) for task in asked] == [(1, 2, 0), (1, 1, 1), (2, 2, 0), (2, 1, 1)]
    assert interview.expected == {1, 2}
    assert interview.notes == ["model asked 4 questions in 2 games, model answered, model found 1 target."]


def test_eight_questions_as_published(tmp_path, to_play):
    _, played = put(tmp_path, to_play, sensible, table="never")
    assert [len(game.qas) for game in played] == [8, 8]


def test_each_seat_may_be_anothers(tmp_path, to_play):
    interview, _ = put(
        tmp_path, to_play, sensible, questioner="q", oracle="o", guesser="self", max_questions=1, table="never"
    )
    assert [spec for _, spec in interview.heard] == ["q", "o", ""] * 2
    assert interview.notes == ["q asked 2 questions in 2 games, o answered, model found 1 target."]


def test_the_list_does_not_give_the_target_away(tmp_path, to_play):
    many, _ = game(["y" * 12], id_=9)
    write_games([many], tmp_path / "many.jsonl")
    orders = []
    for seed in (0, 0, 1):
        (tmp_path / f"{len(orders)}").mkdir()
        given = read_games_file(str(tmp_path / "many.jsonl"))
        interview, _ = put(tmp_path / f"{len(orders)}", given, sensible, max_questions=1, seed=seed, table="never")
        orders.append(interview.heard[-1][0].order)
        assert sorted(orders[-1]) == list(range(12))
    assert orders[0] == orders[1] != orders[2]
    assert orders[0] != tuple(range(12))


def test_what_cannot_be_used_does_not_end_a_game(tmp_path, to_play):
    turns = iter(["is it red?", None, "Is it RED?", Reply(fault="refusal"), "is it blue?", "is it blue?"] * 2)

    def reply(task, spec):
        match task:
            case AskTask():
                turn = next(turns)
                return turn if isinstance(turn, Reply) else said(turn)
            case PointTask():
                return said("no" if task.question == "is it red?" else None)
        return said(None if task.game == 1 else 1)

    interview, played = put(tmp_path, to_play, reply, max_questions=6, table="never")
    assert [[qa.question for qa in game.qas] for game in played] == [
        ["is it red?", "Is it RED?", "is it blue?", "is it blue?"]
    ] * 2
    assert [qa.answer for qa in played[0].qas] == ["no", "n/a", "n/a", "n/a"]
    assert [(game.status, game.guess_object_id) for game in played] == [("incomplete", None), ("success", 101)]
    assert interview.notes[1:] == [
        "4 turns without a question that could be read: spent.",
        "4 questions that had been asked before in the same game, word for word.",
        "6 answers that could not be read: n/a is recorded.",
        "1 game without a guess that could be read: incomplete.",
    ]


def test_who_stops_guesses(tmp_path, to_play):
    _, played = put(tmp_path, to_play, lambda task, spec: said("" if isinstance(task, AskTask) else 2), table="never")
    assert [(len(game.qas), game.guess_object_id) for game in played] == [(0, 102), (0, 102)]


def test_a_guess_of_no_object_is_none(tmp_path, to_play):
    reply = lambda task, spec: said(7) if isinstance(task, GuessTask) else sensible(task, spec)  # noqa: E731
    _, played = put(tmp_path, to_play, reply, max_questions=1, table="never")
    assert [game.status for game in played] == ["incomplete", "incomplete"]


def test_questions_of_the_file_and_its_outcome(tmp_path, to_play):
    interview, played = put(tmp_path, to_play, sensible, questioner="recorded", guesser="recorded", table="never")
    assert [[qa.question for qa in game.qas] for game in played] == [["question 0?"], ["question 0?"]]
    assert [qa.answer for game in played for qa in game.qas] == ["yes", "no"]
    assert [game.status for game in played] == ["success", "success"]
    assert {type(task) for task, _ in interview.heard} == {PointTask}


def test_boxes_are_drawn_where_that_is_asked_for(tmp_path, to_play):
    interview, _ = put(
        tmp_path,
        to_play,
        None,
        interview=ScriptedInterview(tmp_path, sensible, pictures=True),
        boxes="drawn",
        max_questions=1,
        table="never",
    )
    ask, point, guess = (task for task, _ in interview.heard[:3])
    assert not ask.seen.marks
    assert point.seen.marks == (point.thing.box,)
    assert guess.seen.marks == tuple(thing.box for thing in guess.listed())
    assert len({ask.seen.picture, point.seen.picture, guess.seen.picture}) == 3


@pytest.mark.parametrize(("pictures", "boxes"), [(True, "drawn"), (False, "coordinates")])
def test_boxes_are_drawn_where_pictures_are_sent_and_told_where_not(tmp_path, to_play, pictures, boxes):
    interview = ScriptedInterview(tmp_path, sensible, pictures=pictures)
    put(tmp_path, to_play, None, interview=interview, max_questions=1, table="always")
    shown = [bool(task.seen.marks) for task, _ in interview.heard if not isinstance(task, AskTask)]
    assert set(shown) == {boxes == "drawn"}
    assert interview.terms["boxes"] == boxes


def test_coordinates_are_told_where_that_is_asked_for(tmp_path, to_play):
    interview = ScriptedInterview(tmp_path, sensible, pictures=True)
    put(tmp_path, to_play, None, interview=interview, boxes="coordinates", max_questions=1, table="always")
    assert not any(task.seen.marks for task, _ in interview.heard)


def test_no_boxes_are_drawn_onto_nothing(tmp_path, to_play):
    with pytest.raises(UsageError, match="`boxes` drawn needs pictures"):
        put(tmp_path, to_play, sensible, boxes="drawn")


def test_an_oracle_of_the_data_answers_and_needs_no_table(tmp_path, to_play, monkeypatch):
    class Never:
        identity = "never"

        def answer(self, games, progress=None):
            return [game(["n" * len(one.objects)])[1] for one in games]

    monkeypatch.setattr("voirdire.questions.live_games.make_oracle", lambda spec: Never())
    interview, played = put(tmp_path, to_play, sensible, known="never:", max_questions=1)
    assert {type(task) for task, _ in interview.heard} == {AskTask, GuessTask}
    assert [qa.answer for game in played for qa in game.qas] == ["no", "no"]
    assert not (interview.folder / "oracle.jsonl").exists()
    assert "the data's oracle answered" in interview.notes[0]


def test_a_table_of_the_data_knows_no_new_questions(tmp_path, to_play):
    with pytest.raises(UsageError, match="ask new ones"):
        put(tmp_path, to_play, sensible, known="table:answers.jsonl")


@pytest.mark.parametrize(
    ("skills", "seat"),
    [(("guess", "point"), "questioner"), (("ask", "guess"), "oracle"), (("ask", "point"), "guesser")],
)
def test_a_seat_that_the_model_cannot_take_must_be_named(tmp_path, to_play, skills, seat):
    with pytest.raises(UsageError, match=f"`{seat}` must be somebody else: model cannot"):
        put(tmp_path, to_play, None, interview=ScriptedInterview(tmp_path, sensible, skills))


def test_games_on_the_images_of_coco(tmp_path):
    objects = tuple(GameObject(10 + place, "cup", 47, 4.0, (2.0 * place, 0.0, 2.0, 2.0)) for place in range(21))
    sizes = {5: 3, 6: 2, 7: 20, 8: 21}
    lists = ObjectLists("COCO", {id_: (GameImage(id_, 64, 48), objects[:size]) for id_, size in sizes.items()}, "f")
    games = games_on(lists, 0)
    assert [(game.id, len(game.objects)) for game in games] == [(5, 3), (7, 20)]
    assert {games_on(lists, seed)[1].target_id for seed in range(40)} >= {10, 20, 29}
    _, played = put(tmp_path, None, sensible, coco=lists, max_questions=1, table="never")
    assert [game.target_id for game in played] == [game.target_id for game in games]
    with pytest.raises(InputError, match="none of them with 3 to 20 objects"):
        games_on(ObjectLists("COCO", {6: lists.images[6]}), 0)
    with pytest.raises(UsageError, match="`to_play` must be given"):
        ask_games(options=AskGamesOptions(), interview=ScriptedInterview(tmp_path, sensible))


def test_a_limit_takes_images(tmp_path, to_play):
    interview, played = put(tmp_path, to_play, sensible, limit=1, max_questions=1, table="never")
    assert len(played) == 1
    assert interview.notes[0].startswith("Limited to 1 of 2 images")


def test_the_table_holds_an_answer_for_every_object_and_scores_the_games(tmp_path, to_play):
    interview, played = put(tmp_path, to_play, sensible, max_questions=2)
    rows = read_object_answers(interview.folder / "oracle.jsonl")
    assert [(row.game_id, row.question, row.answers) for row in rows] == [
        (id_, place, {100: "yes", 101: "no", 102: "no"}) for id_ in (1, 2) for place in (0, 1)
    ]
    assert interview.stages.lines == [
        "an answer for every object: 4 questions of 2 games, 12 requests (questions × objects)"
    ]
    run = score_questions(played, f"table:{interview.folder / 'oracle.jsonl'}")
    assert run.measures["effectiveness"].value == 0.5


def test_a_table_for_the_games_as_they_are(tmp_path, to_play):
    interview, played = put(tmp_path, to_play, sensible, table="alone")
    assert list(played) == list(read_games(tmp_path / "given.jsonl"))
    assert {type(task) for task, _ in interview.heard} == {PointTask}
    assert len(interview.heard) == 6


def test_answers_of_the_table_that_cannot_be_read_or_did_not_come(tmp_path, to_play):
    def reply(task, spec):
        if task.seen.image == 2 and task.thing.id == 102:
            return Reply(fault="time-out", kept=False)
        return said(None) if task.thing.id == 101 else said("yes")

    interview, _ = put(tmp_path, to_play, reply, table="alone")
    (row,) = read_object_answers(interview.folder / "oracle.jsonl")
    assert (row.game_id, row.answers) == (1, {100: "yes", 101: "n/a", 102: "yes"})
    assert interview.notes[-2:] == [
        "1 answer about objects that could not be read: n/a is recorded.",
        "1 game without a reply to some question: not in the oracle's table.",
    ]


def test_the_same_question_about_the_same_object_is_asked_once(tmp_path):
    again, _ = game(["ynn", "ynn"], id_=1)
    twice = [again, game(["ynn"], id_=3, image=1)[0]]
    write_games(twice, tmp_path / "twice.jsonl")
    interview, _ = put(tmp_path, read_games_file(str(tmp_path / "twice.jsonl")), sensible, table="alone")
    assert len(interview.heard) == 6  # "question 0?" is asked in both games on this image.
    assert len(read_object_answers(interview.folder / "oracle.jsonl")) == 3


def test_a_dry_run_counts_what_would_be_asked(tmp_path, to_play):
    interview = ScriptedInterview(tmp_path, lambda task, spec: Reply(fault="dry run"), dry=True)
    ask_games(to_play, options=AskGamesOptions(max_questions=3), interview=interview)
    kinds = [type(task) for task, _ in interview.heard]
    assert (kinds.count(AskTask), kinds.count(GuessTask), kinds.count(PointTask)) == (6, 2, 6 + 2 * 3 * 3)

"""Witnesses who listen: the states of each, turn by turn, the survey, and judgements of statements."""

import asyncio
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, OutputError, UsageError
from voirdire.formats.dialogues import read_dialogues
from voirdire.formats.model_judgements import SHARING, TRUTH, ModelJudgement
from voirdire.formats.record import Rows
from voirdire.formats.states import read_states
from voirdire.formats.visdial import read_visdial
from voirdire.live.model import LABELS, AnswerTask, JudgeTask, VisualInput
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.judge import score_judgements
from voirdire.scorekeeping.propositions.making import make_propositions
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger
from voirdire.world.build import build_world
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.scene import make_scene
from voirdire.world.truth import answers
from voirdire.world.witnesses import DialogueSoFar, make_state_witness
from voirdire.world.witnesses.listeners import JUDGES, WIDTH, Claim, board, code, topic_of
from voirdire.world.witnesses.live_model import JudgingWitness
from voirdire.world.witnesses.outputs import QUESTIONS, states_file, survey_file
from voirdire.world.world_folder import scenes_by_id


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("states") / "town"
    build_world(folder, 20, 5)
    return folder


def scene_where(**wanted):
    return next(
        scene
        for scene in (make_scene(1, number) for number in range(200))
        if all(getattr(scene, name) == value for name, value in wanted.items())
    )


def topic(kind, noun="", value="", **ref):
    return topic_of(Meaning(kind, Ref(noun=noun, **ref) if noun else None, value=value))


def held(states, topics):
    """What states hold of these topics and of nothing else: their truth and their score, turn by turn."""
    codes = np.array([code(topic, of) for of in ("true", "shared") for topic in topics])
    solution, *_ = np.linalg.lstsq(codes.T, (states - board(len(states))).T, rcond=None)
    assert np.allclose(codes.T @ solution, (states - board(len(states))).T, atol=1e-3)
    true, shared = np.split(np.round(solution, 3).T, 2, axis=1)
    return {"true": true + 0, "shared": shared + 0}


class TestClaims:
    def test_a_caption_says_what_is_there(self):
        scene = scene_where(indoors=True)
        (claims,) = DialogueSoFar(scene, "a brown dog and two cars in a kitchen", []).claims()
        assert claims == [
            Claim(topic("exists", "dog"), True),
            Claim(topic("exists", "dog", colour="brown"), True),
            Claim(topic("exists", "car"), True),
            Claim(topic("is_setting", value="kitchen"), True),
        ]

    def test_yes_no_questions_are_looked_up_in_the_scene(self):
        scene = scene_where(indoors=True)
        claims = DialogueSoFar(scene, "", ["is it indoors", "is it outdoors", "why is it so"]).claims()
        indoors, outdoors = topic("is_indoors", value="in"), topic("is_indoors", value="out")
        assert claims == [[], [Claim(indoors, True)], [Claim(outdoors, False)], []]

    def test_a_value_settles_the_yes_no_question_for_it(self):
        scene = scene_where(weather="sunny")
        claims = DialogueSoFar(scene, "", ["what is the weather like", "is it sunny"]).claims()
        assert claims[1] == claims[2] == [Claim(topic("is_weather", value="sunny"), True)]

    def test_a_pronoun_is_what_it_refers_to(self):
        scene = next(
            scene
            for scene in (make_scene(1, number) for number in range(200))
            if sum(thing.category == "dog" for thing in scene.things) == 1
        )
        dog = next(thing for thing in scene.things if thing.category == "dog")
        claims = DialogueSoFar(scene, "", ["is there a dog", "what color is it"]).claims()
        assert claims[2] == [Claim(topic("is_colour", "dog", dog.colour), True)]


class TestStates:
    @pytest.fixture
    def dialogue(self):
        return DialogueSoFar(
            scene_where(indoors=True), "a picture", ["is it indoors", "are there any people", "is it daytime"]
        )

    def test_codes_are_signs_and_nearly_orthogonal(self):
        codes = np.array([code(topic_of(meaning), of) for meaning in QUESTIONS.values() for of in ("true", "shared")])
        assert set(np.unique(codes)) == {-1.0, 1.0}
        assert codes.dtype == np.float32
        products = codes @ codes.T / WIDTH
        assert np.abs(products - np.eye(len(codes))).max() < 0.3

    def test_the_scorekeeper_knows_all_and_remembers_all(self, dialogue):
        states = make_state_witness("scorekeeper").states(dialogue)
        assert states.shape == (4, WIDTH)
        assert states.dtype == np.float32
        people = Meaning("exists", Ref(noun="person"))
        so = 1 if answers(people, dialogue.scene)[0].what == "yes" else -1
        found = held(states, [topic("is_indoors", value="in"), topic_of(people), topic("is_time", value="day")])
        assert found["true"][:, 0].tolist() == [1, 1, 1, 1]
        assert found["shared"][:, 0].tolist() == [-1, 1, 1, 1]
        assert found["true"][:, 1].tolist() == [so] * 4
        assert found["shared"][:, 1].tolist() == [-1, -1, 1, 1]
        assert found["shared"][:, 2].tolist() == [-1, -1, -1, 1]

    def test_as_a_questioner_it_knows_what_is_shared(self, dialogue):
        states = make_state_witness("scorekeeper").states(dialogue, "Q")
        found = held(
            states, [topic("is_indoors", value="in"), topic("exists", "person"), topic("is_time", value="day")]
        )
        assert found["shared"].tolist() == [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        assert np.abs(found["true"]).tolist() == found["shared"].tolist()

    def test_the_amnesic_knows_the_last_turn_only(self, dialogue):
        states = make_state_witness("amnesic").states(dialogue)
        found = held(
            states, [topic("is_indoors", value="in"), topic("exists", "person"), topic("is_time", value="day")]
        )
        assert found["shared"].tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        assert np.abs(found["true"]).tolist() == found["shared"].tolist()

    def test_a_turn_that_says_nothing_known_has_a_state_too(self, dialogue):
        dialogue = DialogueSoFar(dialogue.scene, "a picture", ["why is it so"])
        for name in ("scorekeeper", "amnesic", "noise"):
            assert make_state_witness(name).states(dialogue).any(axis=1).all()

    def test_what_is_said_twice_is_shared_from_the_first_time_on(self):
        dialogue = DialogueSoFar(
            scene_where(indoors=True), "a picture", ["is it indoors", "is it daytime", "is it inside"]
        )
        states = make_state_witness("scorekeeper").states(dialogue)
        found = held(states, [topic("is_indoors", value="in"), topic("is_time", value="day")])
        assert found["shared"][:, 0].tolist() == [-1, 1, 1, 1]

    def test_noise_depends_on_the_seed_and_the_scene_alone(self, dialogue):
        noise = make_state_witness("noise", 1)
        assert np.array_equal(noise.states(dialogue), make_state_witness("noise", 1).states(dialogue))
        assert not np.array_equal(noise.states(dialogue), make_state_witness("noise", 2).states(dialogue))
        assert not np.array_equal(noise.states(dialogue), noise.states(dialogue, "Q"))

    def test_an_unknown_one_is_named(self):
        with pytest.raises(UsageError, match="amnesic, noise, scorekeeper"):
            make_state_witness("oracle")


class TestFiles:
    def test_survey_and_states(self, town, tmp_path):
        out = tmp_path / "survey.json"
        survey = survey_file(str(town / "visdial_val.json"), str(out), str(town / "scenes.jsonl"), 3)
        assert read_visdial(out) == survey
        assert (survey.split, len(survey), set(survey.answers)) == ("val", 4, {"yes", "no"})
        for dialogue in range(len(survey)):
            assert len({survey.question_text(round_) for round_ in survey.rounds(dialogue)}) == 10
        states = states_file("scorekeeper", str(out), str(tmp_path / "s.npz"), str(town / "scenes.jsonl"))
        assert states.states.shape == (4, 11, WIDTH)
        assert np.array_equal(read_states(tmp_path / "s.npz").states, states.states)
        # Of each dialogue ten topics, all of them shared in the end and none at the start.
        for place in range(4):
            found = held(states.states[place], [topic_of(meaning) for meaning in QUESTIONS.values()])["shared"]
            assert found[0].sum() == -10
            assert found[10].sum() == 10

    def test_the_answers_of_the_survey_are_true(self, town, tmp_path):
        survey = survey_file(
            str(town / "visdial_train.json"), str(tmp_path / "survey.json"), str(town / "scenes.jsonl")
        )
        scenes = {scene.id: scene for scene in (make_scene(5, number) for number in range(20))}
        for dialogue, image in enumerate(survey.image_ids.tolist()):
            for round_ in survey.rounds(dialogue):
                asked = QUESTIONS[survey.question_text(round_)]
                assert survey.answer_text(round_) == answers(asked, scenes[image])[0].what

    def test_a_shorter_dialogue_has_zeros_after_its_end(self, town, tmp_path):
        path = tmp_path / "two.json"
        images = read_visdial(town / "visdial_val.json").image_ids.tolist()
        said = ["a picture", "is it indoors? no", "is it daytime? yes"]
        rows = [{"img": f"x_{image:04}.png", "dialog": said[: 2 + place]} for place, image in enumerate(images[:2])]
        path.write_text(json.dumps(rows))
        made = states_file("noise", str(path), str(tmp_path / "s.npz"), str(town / "scenes.jsonl")).states
        assert made.shape == (2, 11, WIDTH)
        assert made.any(axis=2).sum(axis=1).tolist() == [2, 3]

    def test_from_the_command_line(self, town, tmp_path):
        out = town / "amnesic.h5"
        words = ["world", "states", "--witness", "amnesic", "--dialogues", str(town / "visdial_val.json")]
        done = CliRunner().invoke(app, [*words, "-o", str(out)])
        assert done.exit_code == 0, done.output
        assert "amnesic: states of 4 dialogues, 11 turns, 256 dimensions" in done.output
        assert read_states(out).states.shape == (4, 11, WIDTH)

    def test_bad_calls(self, town, tmp_path):
        visdial, scenes = str(town / "visdial_val.json"), str(town / "scenes.jsonl")
        with pytest.raises(UsageError, match="the answerer"):
            states_file("noise", visdial, str(tmp_path / "s.npz"), scenes, role="B")
        with pytest.raises(UsageError, match=r"\.npz, \.h5"):
            states_file("noise", visdial, str(tmp_path / "s.txt"), scenes)
        with pytest.raises(OutputError, match="folder"):
            states_file("noise", visdial, str(tmp_path), scenes)
        with pytest.raises(UsageError, match="VQA questions"):
            states_file("noise", str(town / "vqa_val_questions.json"), str(tmp_path / "s.npz"), scenes)
        other = tmp_path / "other.json"
        other.write_text('[{"img": "x_9999.png", "dialog": ["a picture", "is it indoors? no"]}]')
        with pytest.raises(InputError, match="image 9999"):
            states_file("noise", str(other), str(tmp_path / "s.npz"), scenes)
        assert not (tmp_path / "s.npz").exists()


SCENES = (make_scene(1, number) for number in range(200))
SCENE = next(scene for scene in SCENES if scene.indoors and scene.time == "day")
QUESTIONS_ASKED = ("is it daytime?", "is this indoors?")


@pytest.fixture(scope="module")
def judged_town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judges") / "town"
    build_world(folder, 12, 5)
    survey_file(folder / "visdial_train.json", folder / "survey.json")
    return folder


def judged(name, sentence, about, questions=QUESTIONS_ASKED):
    return JUDGES.make(name).judge(DialogueSoFar(SCENE, "a picture", questions), sentence, about)


class TestScorekeeper:
    def test_it_knows_what_is_true_before_it_is_said(self):
        assert judged("scorekeeper", "it is daytime.", "truth", ()) is True
        assert judged("scorekeeper", "it is not daytime.", "truth", ()) is False
        assert judged("scorekeeper", "the image is outdoors.", "truth") is False

    def test_what_was_asked_is_settled_whichever_way(self):
        for sentence in ("it is daytime.", "it is not daytime."):
            assert judged("scorekeeper", sentence, "sharing", ()) is False
            assert judged("scorekeeper", sentence, "sharing", QUESTIONS_ASKED[:1]) is True
            assert judged("scorekeeper", sentence, "sharing") is True

    def test_what_it_does_not_understand(self):
        assert judged("scorekeeper", "all is well.", "truth") is None
        assert judged("scorekeeper", "all is well.", "sharing") is None


class TestAmnesic:
    def test_it_knows_the_last_turn_alone(self):
        assert judged("amnesic", "it is daytime.", "sharing", QUESTIONS_ASKED[:1]) is True
        assert judged("amnesic", "it is daytime.", "truth", QUESTIONS_ASKED[:1]) is True
        assert judged("amnesic", "it is daytime.", "sharing") is False
        assert judged("amnesic", "it is daytime.", "truth") is False
        assert judged("amnesic", "the image is indoors.", "truth") is True


class TestOnTheStand:
    def reply(self, task, scenes=None):
        return asyncio.run(JudgingWitness("scorekeeper", 0, scenes or {SCENE.id: SCENE}).reply(task))

    def test_yes_no_and_neither(self):
        for sentence, value, text in (
            ("it is daytime.", "yes", "yes"),
            ("it is not daytime.", "no", "no"),
            ("all is well.", None, "I cannot tell."),
        ):
            found = self.reply(JudgeTask(VisualInput(SCENE.id), "a picture", (), sentence, "truth"))
            assert (found.value, found.text, found.fault) == (value, text, "")

    def test_the_score_is_what_is_settled(self):
        for sentence, asked, value in (
            ("it is daytime.", QUESTIONS_ASKED[:1], "true"),
            ("it is not daytime.", QUESTIONS_ASKED[:1], "false"),
            ("it is daytime.", (), "open"),
            ("all is well.", (), None),
        ):
            rounds = tuple((question, "yes") for question in asked)
            task = JudgeTask(VisualInput(SCENE.id), "a picture", rounds, sentence, "score", LABELS)
            assert self.reply(task).value == value

    def test_what_it_cannot_be_asked(self):
        with pytest.raises(UsageError, match="witness:scorekeeper is not asked for such a thing"):
            self.reply(AnswerTask(VisualInput(SCENE.id), "what is it?"))
        with pytest.raises(UsageError, match="knows no scene of image 77"):
            self.reply(JudgeTask(VisualInput(77), "", (), "it is daytime.", "truth"))


def figures(judged_town, name, file, captions):
    """What the exam says of a witness that was asked of all points of some dialogues."""
    dialogues = read_dialogues(judged_town / file)
    given = make_propositions(
        dialogues, tagger(), resolver("rules"), PropositionOptions(captions=captions)
    ).propositions
    scenes, judge = scenes_by_id(judged_town / "scenes.jsonl"), JUDGES.make(name)
    rows = []
    for number, records in given.dialogues.items():
        dialogue = dialogues[number]
        for turn in range(given.turns[number]):
            asked = [question for question, _ in dialogue.rounds[:turn]]
            heard = DialogueSoFar(scenes[dialogue.image_id], dialogue.caption, asked)
            for index, one in enumerate(records):
                for question in (TRUTH, SHARING):
                    found = judge.judge(heard, one.proposition, question)
                    value = None if found is None else "yes" if found else "no"
                    rows.append(ModelJudgement(number, turn, index, question, value))
    return score_judgements(given, Rows(tuple(rows))).measures


@pytest.mark.slow
def test_the_exam_finds_no_fault_with_the_scorekeeper_on_a_survey(judged_town):
    found = figures(judged_town, "scorekeeper", "survey.json", 0.15)
    for task in ("TFxPS", "TF", "PS", "PxTSFS"):
        assert found[f"accuracy[{task}]"].value == 1
    assert found["unread"].value == 0
    assert found["shift_only_right[TFxPS]"].value == found["truth_stable[TFxPS]"].value == 1


@pytest.mark.slow
def test_the_exam_finds_what_the_amnesic_lacks(judged_town):
    found = figures(judged_town, "amnesic", "survey.json", 0.15)
    # At turn 5 of ten that are said one by one: what is said there is right, and of what is private the false half.
    assert found["accuracy@5[TFxPS]"].value == pytest.approx(0.1 + 0.5 / 2)
    assert found["accuracy@5[PS]"].value == pytest.approx(0.1 + 0.5)
    assert found["accuracy@5[TF]"].value == pytest.approx(0.1 + 0.9 / 2)
    assert found["shift_right[PS]"].value == 1
    # Only what is said in the last turn does not go back.
    assert found["shift_only_right[PS]"].value == pytest.approx(0.1)


@pytest.mark.slow
def test_free_dialogues_hold_more_than_their_labels_say(judged_town):
    found = figures(judged_town, "scorekeeper", "visdial_train.json", 0.0)
    # A caption that says already what is asked later settles it before its label does.
    assert 0.85 < found["accuracy[PS]"].value < 1
    assert found["accuracy[TF]"].value > 0.9
    # A pronoun stands for nothing yet, before its turn.
    assert 0 < found["unread"].value < 0.2

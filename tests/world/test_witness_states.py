"""Witnesses for states: what each of them holds, turn by turn, and the survey's closed vocabulary."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, OutputError, UsageError
from voirdire.formats.states import read_states
from voirdire.formats.visdial import read_visdial
from voirdire.world.build import build_world
from voirdire.world.meaning import Meaning, Ref
from voirdire.world.scene import make_scene
from voirdire.world.truth import answers
from voirdire.world.witnesses import DialogueSoFar, make_state_witness
from voirdire.world.witnesses.listeners import WIDTH, Claim, board, code, topic_of
from voirdire.world.witnesses.outputs import QUESTIONS, states_file, survey_file


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
    codes = np.array([code(one, of) for of in ("true", "shared") for one in topics])
    found, *_ = np.linalg.lstsq(codes.T, (states - board(len(states))).T, rcond=None)
    assert np.allclose(codes.T @ found, (states - board(len(states))).T, atol=1e-3)
    true, shared = np.split(np.round(found, 3).T, 2, axis=1)
    return {"true": true + 0, "shared": shared + 0}


class TestClaims:
    def test_a_caption_says_what_is_there(self):
        scene = scene_where(indoors=True)
        (found,) = DialogueSoFar(scene, "a brown dog and two cars in a kitchen", []).claims()
        assert found == [
            Claim(topic("exists", "dog"), True),
            Claim(topic("exists", "dog", colour="brown"), True),
            Claim(topic("exists", "car"), True),
            Claim(topic("is_setting", value="kitchen"), True),
        ]

    def test_yes_no_questions_are_looked_up_in_the_scene(self):
        scene = scene_where(indoors=True)
        found = DialogueSoFar(scene, "", ["is it indoors", "is it outdoors", "why is it so"]).claims()
        indoors, outdoors = topic("is_indoors", value="in"), topic("is_indoors", value="out")
        assert found == [[], [Claim(indoors, True)], [Claim(outdoors, False)], []]

    def test_a_value_settles_the_yes_no_question_for_it(self):
        scene = scene_where(weather="sunny")
        found = DialogueSoFar(scene, "", ["what is the weather like", "is it sunny"]).claims()
        assert found[1] == found[2] == [Claim(topic("is_weather", value="sunny"), True)]

    def test_a_pronoun_is_what_it_refers_to(self):
        scene = next(
            scene
            for scene in (make_scene(1, number) for number in range(200))
            if sum(thing.category == "dog" for thing in scene.things) == 1
        )
        dog = next(thing for thing in scene.things if thing.category == "dog")
        found = DialogueSoFar(scene, "", ["is there a dog", "what color is it"]).claims()
        assert found[2] == [Claim(topic("is_colour", "dog", dog.colour), True)]


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
        made = survey_file(str(town / "visdial_val.json"), str(out), str(town / "scenes.jsonl"), 3)
        assert read_visdial(out) == made
        assert (made.split, len(made), set(made.answers)) == ("val", 4, {"yes", "no"})
        for dialogue in range(len(made)):
            assert len({made.question_text(round_) for round_ in made.rounds(dialogue)}) == 10
        states = states_file("scorekeeper", str(out), str(tmp_path / "s.npz"), str(town / "scenes.jsonl"))
        assert states.states.shape == (4, 11, WIDTH)
        assert np.array_equal(read_states(tmp_path / "s.npz").states, states.states)
        # Of each dialogue ten topics, all of them shared in the end and none at the start.
        for place in range(4):
            found = held(states.states[place], [topic_of(meaning) for meaning in QUESTIONS.values()])["shared"]
            assert found[0].sum() == -10
            assert found[10].sum() == 10

    def test_the_answers_of_the_survey_are_true(self, town, tmp_path):
        made = survey_file(str(town / "visdial_train.json"), str(tmp_path / "survey.json"), str(town / "scenes.jsonl"))
        scenes = {scene.id: scene for scene in (make_scene(5, number) for number in range(20))}
        for dialogue, image in enumerate(made.image_ids.tolist()):
            for round_ in made.rounds(dialogue):
                asked = QUESTIONS[made.question_text(round_)]
                assert made.answer_text(round_) == answers(asked, scenes[image])[0].what

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
        assert "amnesic heard 4 dialogues, 11 turns, 256 dimensions" in done.output
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

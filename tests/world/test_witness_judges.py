"""Witnesses who judge: what they say of statements, and what the exam makes of it."""

import asyncio

import pytest

from voirdire.errors import UsageError
from voirdire.formats.dialogues import read_dialogues
from voirdire.formats.model_judgements import QUESTIONS, ModelJudgement
from voirdire.formats.record import Rows
from voirdire.live.model import AnswerTask, JudgeTask, Seen
from voirdire.scorekeeping.exam import PropositionOptions
from voirdire.scorekeeping.judging.score import score_judgements
from voirdire.scorekeeping.propositions.making import make_propositions
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger
from voirdire.world.build import build_world
from voirdire.world.scene import make_scene
from voirdire.world.witnesses import DialogueSoFar
from voirdire.world.witnesses.listeners import JUDGES
from voirdire.world.witnesses.live_model import JudgingWitness
from voirdire.world.witnesses.outputs import survey_file
from voirdire.world.world_folder import scenes_by_id

SCENES = (make_scene(1, number) for number in range(200))
SCENE = next(scene for scene in SCENES if scene.indoors and scene.time == "day")
QUESTIONS_ASKED = ("is it daytime?", "is this indoors?")


@pytest.fixture(scope="module")
def town(tmp_path_factory):
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
            found = self.reply(JudgeTask(Seen(SCENE.id), "a picture", (), sentence, "truth"))
            assert (found.value, found.text, found.fault) == (value, text, "")

    def test_what_it_cannot_be_asked(self):
        with pytest.raises(UsageError, match="witness:scorekeeper is not asked for such a thing"):
            self.reply(AnswerTask(Seen(SCENE.id), "what is it?"))
        with pytest.raises(UsageError, match="knows no scene of image 77"):
            self.reply(JudgeTask(Seen(77), "", (), "it is daytime.", "truth"))


def figures(town, name, file, captions):
    """What the exam says of a witness that was asked of all points of some dialogues."""
    dialogues = read_dialogues(town / file)
    given = make_propositions(
        dialogues, tagger(), resolver("rules"), PropositionOptions(captions=captions)
    ).propositions
    scenes, judge = scenes_by_id(town / "scenes.jsonl"), JUDGES.make(name)
    rows = []
    for number, records in given.dialogues.items():
        dialogue = dialogues[number]
        for turn in range(given.turns[number]):
            asked = [question for question, _ in dialogue.rounds[:turn]]
            heard = DialogueSoFar(scenes[dialogue.image_id], dialogue.caption, asked)
            for index, one in enumerate(records):
                for question in QUESTIONS:
                    found = judge.judge(heard, one.proposition, question)
                    value = None if found is None else "yes" if found else "no"
                    rows.append(ModelJudgement(number, turn, index, question, value))
    return score_judgements(given, Rows(tuple(rows))).measures


def test_the_exam_finds_no_fault_with_the_scorekeeper_on_a_survey(town):
    found = figures(town, "scorekeeper", "survey.json", 0.15)
    for task in ("TFxPS", "TF", "PS", "PxTSFS"):
        assert found[f"accuracy[{task}]"].value == 1
    assert found["unread"].value == 0
    assert found["shift_only_right[TFxPS]"].value == found["truth_stable[TFxPS]"].value == 1


def test_the_exam_finds_what_the_amnesic_lacks(town):
    found = figures(town, "amnesic", "survey.json", 0.15)
    # At turn 5 of ten that are said one by one: what is said there is right, and of what is private the false half.
    assert found["accuracy@5[TFxPS]"].value == pytest.approx(0.1 + 0.5 / 2)
    assert found["accuracy@5[PS]"].value == pytest.approx(0.1 + 0.5)
    assert found["accuracy@5[TF]"].value == pytest.approx(0.1 + 0.9 / 2)
    assert found["shift_right[PS]"].value == 1
    # Only what is said in the last turn does not go back.
    assert found["shift_only_right[PS]"].value == pytest.approx(0.1)


def test_free_dialogues_hold_more_than_their_labels_say(town):
    found = figures(town, "scorekeeper", "visdial_train.json", 0.0)
    # A caption that says already what is asked later settles it before its label does.
    assert 0.85 < found["accuracy[PS]"].value < 1
    assert found["accuracy[TF]"].value > 0.9
    # A pronoun stands for nothing yet, before its turn.
    assert 0 < found["unread"].value < 0.2

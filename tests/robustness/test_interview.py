"""The questions of every condition put to a model: which files they give, and the early look at R_score."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, write_vqa_questions
from voirdire.formats.vqa_results import read_vqa_results
from voirdire.live.model import AnswerTask, Reply, VisualInput
from voirdire.robustness.exam import AskQuestionsOptions
from voirdire.robustness.interview import ask_questions, written_keys

COUNT = 60


class ScriptedInterview:
    """Hears a model that says yes, but no once three questions are added; tells the early looks."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.looks, self.asked = folder, [], []

    def askable(self, images):
        return images

    def showable(self, images):
        return frozenset(images)

    def seen(self, image):
        return VisualInput(image)

    def ask_all(self, scripts, unit, look):
        async def ask(task: AnswerTask) -> Reply:
            self.asked.append(task)
            return Reply("no" if "added" in task.question else "yes")

        results = []
        for script in scripts:
            results.append(asyncio.run(script(ask)))
        self.looks.append(look(results) if look else None)
        return results


def questions(noise: str | None) -> VqaQuestions:
    added = " added" if noise not in (None, "clean") else ""
    rows = [VqaQuestion(number, number // 3, f"is it {number}{added}") for number in range(COUNT)]
    return VqaQuestions.from_rows(rows, {} if noise is None else {"info": {"partition": noise}})


@pytest.fixture
def annotations() -> VqaAnnotations:
    people = (VqaAnswer("yes"),) * 10
    rows = [VqaAnnotation(number, number // 3, "is it", "yes/no", people) for number in range(COUNT)]
    return VqaAnnotations.from_rows(rows)


def test_every_condition_has_its_file_and_an_early_look_has_a_figure(annotations, tmp_path: Path) -> None:
    interview = ScriptedInterview(tmp_path)
    given = [questions("clean"), *(questions(str(number)) for number in range(1, 8)), questions("control1")]
    ask_questions(annotations, given, AskQuestionsOptions(), interview)
    names = {"clean", *(f"partition{number}" for number in range(1, 8)), "control1"}
    assert {path.stem for path in tmp_path.iterdir()} == names
    assert set(read_vqa_results(tmp_path / "clean.json").answers) == {"yes"}
    assert set(read_vqa_results(tmp_path / "partition7.json").answers) == {"no"}
    assert len(interview.asked) == COUNT * len(names)
    # People say yes to all, so that nobody is above the commonest answer: R_score would rank nobody.
    assert interview.looks[0].startswith("accuracy under noise so far 0")
    # The same picture for all conditions of a question, one after the other.
    assert [task.seen.image for task in interview.asked[: len(names)]] == [interview.asked[0].seen.image] * len(names)
    assert np.unique([task.seen.image for task in interview.asked[: 9 * len(names)]]).size > 3


def test_a_limit_takes_images_with_all_their_questions(annotations, tmp_path: Path) -> None:
    interview = ScriptedInterview(tmp_path)
    ask_questions(annotations, [questions(None)], AskQuestionsOptions(limit=2, seed=1), interview)
    assert len(interview.asked) == 6
    assert {path.name for path in tmp_path.iterdir()} == {"clean.json"}
    assert interview.looks == [None]


def keys(*paths: str) -> list[str]:
    return written_keys({"questions": paths}, AskQuestionsOptions())


def test_what_files_of_questions_will_give(tmp_path: Path) -> None:
    places = {}
    for noise in ("clean", "3", "control1"):
        places[noise] = str(tmp_path / f"{noise}.json")
        write_vqa_questions(questions(noise), places[noise])
    assert keys(places["clean"]) == ["clean"]
    assert keys(*places.values()) == ["clean", "noisy", "control"]
    assert keys(str(tmp_path / "yet to be made.json")) == ["clean", "noisy", "control"]
    with pytest.raises(UsageError, match="there is only noise"):
        keys(places["3"])
    with pytest.raises(UsageError, match="are both clean"):
        keys(places["clean"], places["clean"])

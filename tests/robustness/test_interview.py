"""The questions of every condition put to a model: which files they give, and the early look at R_score."""

import asyncio
from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.formats.vqa_annotations import VqaAnnotation, VqaAnnotations, VqaAnswer
from voirdire.formats.vqa_questions import VqaQuestion, VqaQuestions, read_vqa_questions, write_vqa_questions
from voirdire.formats.vqa_results import read_vqa_results
from voirdire.live.model import AnswerTask, Reply, VisualInput
from voirdire.robustness.exam import AskQuestionsOptions
from voirdire.robustness.interview import ask_questions, written_files
from voirdire.robustness.score import score_robustness
from voirdire.runs.readings import ReadingCount
from voirdire.verdict.comparison import compare_runs

COUNT = 60


class ScriptedInterview:
    """Hears a model that says yes, but no once three questions are added; tells the early looks."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.looks, self.asked, self.notes = folder, [], [], []
        self.readings = ReadingCount()

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
    asked = {f"asked_{name}" for name in names - {"clean"}}
    assert {path.stem for path in tmp_path.iterdir()} == names | asked
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


def files(*paths: str) -> dict[str, str]:
    return written_files({"questions": paths}, AskQuestionsOptions())


def test_what_files_of_questions_will_give(tmp_path: Path) -> None:
    places = {}
    for noise in ("clean", "3", "control1"):
        places[noise] = str(tmp_path / f"{noise}.json")
        write_vqa_questions(questions(noise), places[noise])
    assert files(places["clean"]) == {"clean": "clean.json"}
    assert files(*places.values()) == {
        "clean": "clean.json",
        "noisy": "partition3.json",
        "control": "control1.json",
        "questions": "asked_partition3.json asked_control1.json",
    }
    every = files(str(tmp_path / "yet to be made.json"))
    assert list(every) == ["clean", "noisy", "control", "questions"]
    assert len(every["noisy"].split()) == 7
    assert len(every["questions"].split()) == 8
    with pytest.raises(UsageError, match="there is only noise"):
        files(places["3"])
    with pytest.raises(UsageError, match="are both clean"):
        files(places["clean"], places["clean"])


LONG = ("is it red?", "what is on the left of the big table?", "how many are there?", "who is it?")


def cut_noise() -> list[VqaQuestions]:
    """Clean questions, and a partition whose questions are cut after three words."""
    rows = [VqaQuestion(number, number // 3, "is it red what", parts=LONG) for number in range(COUNT)]
    info = {"partition": "1", "max_words": 4, "cut": COUNT, "cut_questions": [*range(COUNT)]}
    return [questions("clean"), VqaQuestions.from_rows(rows, {"info": info})]


class Answering(ScriptedInterview):
    """Answers all questions of some requests, and the first of the others."""

    def ask_all(self, scripts, unit, look):
        async def ask(task: AnswerTask) -> Reply:
            self.asked.append(task)
            return Reply("1. no\n2. a cup\n3. 2\n4. a man" if task.seen.image % 2 and task.added else "yes")

        return [asyncio.run(script(ask)) for script in scripts]


def test_noisy_questions_are_asked_whole_and_by_name(annotations, tmp_path: Path) -> None:
    interview = Answering(tmp_path)
    ask_questions(annotations, cut_noise(), AskQuestionsOptions(), interview)
    noisy = [task for task in interview.asked if task.added]
    assert len(noisy) == COUNT
    assert {(task.question, task.main, task.added) for task in noisy} == {(" ".join(LONG), LONG[0], LONG[1:])}
    asked = read_vqa_questions(tmp_path / "asked_partition1.json")
    assert set(asked.questions) == {" ".join(LONG)}
    assert asked.meta["info"] == {"partition": "1", "max_words": 0, "cut": 0, "cut_questions": []}


def test_they_can_be_asked_as_they_were_cut(annotations, tmp_path: Path) -> None:
    interview = Answering(tmp_path)
    ask_questions(annotations, cut_noise(), AskQuestionsOptions(cut=True), interview)
    assert {task.question for task in interview.asked[1::2]} == {"is it red what"}
    assert not any(task.added for task in interview.asked)
    asked = read_vqa_questions(tmp_path / "asked_partition1.json")
    assert asked.meta["info"]["max_words"] == 4
    assert asked == cut_noise()[1]


def test_of_several_answers_the_first_counts_and_the_run_says_how_many_there_are(annotations, tmp_path: Path) -> None:
    interview = Answering(tmp_path)
    ask_questions(annotations, cut_noise(), AskQuestionsOptions(), interview)
    said = read_vqa_results(tmp_path / "partition1.json")
    assert [said.answers[place] for place in (0, 3, 6, 9)] == ["yes", "no", "yes", "no"]
    assert interview.notes == [
        "Of 60 replies to questions with others added, 30 (50.0 %) answer several of them; the answer to the first "
        "counts."
    ]


def test_cut_and_whole_noise_is_not_compared(annotations, tmp_path: Path) -> None:
    runs = []
    for cut in (False, True):
        folder = tmp_path / str(cut)
        folder.mkdir()
        ask_questions(annotations, cut_noise(), AskQuestionsOptions(cut=cut), Answering(folder))
        noisy = read_vqa_questions(folder / "asked_partition1.json")
        noisy.meta["info"]["ranking"] = {"ranker": "words"}
        answers = [read_vqa_results(folder / name) for name in ("clean.json", "partition1.json")]
        runs.append(score_robustness(annotations, answers[0], answers[1:], questions=[noisy]))
    assert [run.signature.options["noise"]["max_words"] for run in runs] == [0, 4]
    cut_column = "cut:partition1"
    assert not runs[0].items[cut_column].any()
    assert runs[1].items[cut_column].all()
    with pytest.raises(UsageError, match=r"cannot be compared.*options.noise.max_words: 0 against 4") as refused:
        compare_runs(["whole", "cut"], runs)
    assert "\n" not in str(refused.value)

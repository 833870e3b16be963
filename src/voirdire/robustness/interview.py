"""The exam of robustness, put to a model: each question as it is, then with each noise, on the same picture.

All conditions of a question are asked together, with the same picture and the same words around it, so that an early
look at R_score compares like with like while the rest is still asked.

Noisy questions are asked whole, unless the options say otherwise; files of what was asked are written beside the
answers. Where a reply answers several of the questions, its answer to the first counts (`several_answers`).
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam.short_answers import by_short_answers, is_wordy
from voirdire.figures import counted, show_figure
from voirdire.formats.files import once
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions, write_vqa_questions
from voirdire.formats.vqa_results import VqaResults, write_vqa_results
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking
from voirdire.live.ways import AS_IT_IS, LIST
from voirdire.options import Options
from voirdire.robustness.accuracy import limit_images
from voirdire.robustness.exam import PARTITIONS, AskQuestionsOptions
from voirdire.robustness.noise_identity import as_whole, condition_of
from voirdire.robustness.several_answers import first_of_several
from voirdire.robustness.views import ACCURACY, CONTROL, R_SCORE, caveats, partition

CLEAN, NOISY, ASKED = "clean", "noisy", "questions"
FILES = {CLEAN: "clean.json", CONTROL: "control1.json"}
WHAT = "asked_"
"""What the name of a file begins with that has the questions of a condition as they were asked."""
ALL = (*(partition(number) for number in range(1, PARTITIONS + 1)), CONTROL)


@dataclass(frozen=True)
class Answered:
    """The answer to a question, and whether it is the first of several in a reply."""

    question: int
    text: str
    of_several: bool = False


Answers = dict[str, Answered]
"""By condition."""
Asked = tuple[str, tuple[str, ...]]
"""The text of a question, and the questions that it joins."""


def _conditions(files: Sequence[VqaQuestions]) -> dict[str, VqaQuestions]:
    """The questions by condition; a file that does not mention noise has none."""
    conditions: dict[str, VqaQuestions] = {}
    for number, file in enumerate(files, 1):
        name = file.name or f"questions {number}"
        condition = condition_of(file, name)
        key = condition or CLEAN
        if key in conditions:
            raise UsageError(f"`questions`: {conditions[key].name} and {name} are both {key}; give one of them")
        conditions[key] = file
    if CLEAN not in conditions:
        raise UsageError("`questions` must hold the questions as they are, without noise; there is only noise")
    return conditions


def _file(condition: str) -> str:
    """The file of a condition's answers."""
    return FILES.get(condition, f"{condition}.json")


def written_files(sources: Mapping[str, tuple[str, ...]], options: Options) -> dict[str, str]:
    """The model's files that these questions give: clean, and where there is noise, noisy and control, and the
    questions with noise as they were asked.

    Questions that are yet to be made have every noise.
    """
    conditions: Sequence[str] = ALL
    if all(Path(path).exists() for path in sources["questions"]):
        given = _conditions([once(read_vqa_questions)(path) for path in sources["questions"]])
        conditions = [condition for condition in ALL if condition in given]
    noisy = " ".join(_file(condition) for condition in conditions if condition != CONTROL)
    control = " ".join(_file(condition) for condition in conditions if condition == CONTROL)
    asked = " ".join(f"{WHAT}{_file(condition)}" for condition in conditions)
    files = {CLEAN: FILES[CLEAN], NOISY: noisy, CONTROL: control, ASKED: asked}
    return {key: names for key, names in files.items() if names}


def ask_questions(
    annotations: VqaAnnotations, questions: list[VqaQuestions], options: AskQuestionsOptions, interview: Interview
) -> None:
    """Write a model's answers to the questions of every condition, in the layout of VQA results."""
    conditions = {
        condition: file if options.cut else as_whole(file) for condition, file in _conditions(questions).items()
    }
    clean = conditions[CLEAN]
    askable = np.isin(clean.image_ids, list(interview.askable(set(clean.image_ids.tolist()))))
    drawn, _, of_questions = limit_images(annotations, options, clean.question_ids[askable])
    conditions = {key: drawn.of(of_questions(file)) for key, file in conditions.items()}
    clean = conditions[CLEAN]
    if not len(clean):
        raise InputError("questions", [Problem("", "", "no question of an annotated image", "some", "Another split?")])
    images_asked = list(interview.showable(clean.image_ids.tolist()))
    conditions = {
        key: file.only(np.flatnonzero(np.isin(file.image_ids, images_asked))) for key, file in conditions.items()
    }
    texts: dict[int, dict[str, Asked]] = {}
    for condition, file in conditions.items():
        for id_, text, parts in zip(file.question_ids.tolist(), file.questions, file.parts, strict=True):
            texts.setdefault(id_, {})[condition] = text, parts
    images = {
        id_: image
        for file in conditions.values()
        for id_, image in zip(file.question_ids.tolist(), file.image_ids.tolist(), strict=True)
    }
    # In an order of its own, so that an early look is one at all pictures and types of questions.
    order = np.random.default_rng([options.seed, len(texts)]).permutation(np.array(sorted(texts), np.int64)).tolist()
    scripts = [_ask_all(id_, images[id_], texts[id_], interview, options.cut) for id_ in order]
    look = partial(_early, annotations) if len(conditions) > 1 else None
    replies = interview.ask_all(scripts, "questions", look)
    for condition, file in conditions.items():
        answers = {reply[condition].question: reply[condition].text for reply in replies if condition in reply}
        results = VqaResults(file.question_ids, tuple(answers.get(id_, "") for id_ in file.question_ids.tolist()))
        write_vqa_results(results, interview.folder / _file(condition))
        if condition != CLEAN:
            write_vqa_questions(file, interview.folder / f"{WHAT}{_file(condition)}")
    interview.notes += _of_several(replies, texts)
    several = sum(answer.of_several for reply in replies for answer in reply.values())
    interview.readings.move(AS_IT_IS, LIST, several)


def _of_several(replies: Sequence[Answers], texts: Mapping[int, Mapping[str, Asked]]) -> list[str]:
    """How many replies answer several questions, among those to which several were put."""
    put = [
        answer.of_several
        for reply in replies
        for condition, answer in reply.items()
        if texts[answer.question][condition][1]
    ]
    if not put:
        return []
    return [
        f"Of {counted(len(put), 'reply', 'replies')} to questions with others added, {sum(put):,} "
        f"({100 * sum(put) / len(put):.1f} %) answer several of them; the answer to the first counts."
    ]


def _ask_all(
    id_: int, image: int, texts: Mapping[str, Asked], interview: Interview, cut: bool
) -> Callable[[Asking], Awaitable[Answers]]:
    async def script(ask: Asking) -> Answers:
        picture, answers = interview.seen(image), Answers()
        for condition, (text, parts) in texts.items():
            # Of questions that are cut the last is no question.
            main, added = (parts[0], parts[1:]) if parts and not cut else ("", ())
            reply = await ask(AnswerTask(picture, text, alone=True, main=main, added=added))
            first = first_of_several(reply.text, parts)
            answers[condition] = Answered(id_, reply.text if first is None else first, first is not None)
        return answers

    return script


def _early(annotations: VqaAnnotations, replies: list[Answers]) -> str:
    """R_score of the questions that are answered so far, by short answers where they lead, with its interval.

    Where R_score ranks nobody, as of a model that is no better than the commonest answers, accuracy under noise.
    """
    from voirdire.robustness.exam import RobustnessOptions
    from voirdire.robustness.score import score_robustness

    first = partition(1)
    done = [answers for answers in replies if CLEAN in answers and first in answers]
    if len(done) < 2:
        return ""
    ids = np.array([answers[CLEAN].question for answers in done], np.int64)
    rows = np.flatnonzero(np.isin(annotations.question_ids, ids))
    files = {
        condition: VqaResults(ids, tuple(answers[condition].text for answers in done))
        for condition in done[0]
        if all(condition in answers for answers in done)
    }
    noisy = [files[partition(number)] for number in range(1, 8) if partition(number) in files]
    run = score_robustness(annotations.only(rows), files[CLEAN], noisy, options=RobustnessOptions())
    short = is_wordy(run)
    key, accuracy = (
        by_short_answers(each, run) if short else each for each in (R_SCORE.key, ACCURACY.key.under(first))
    )
    name = "R_score"
    if key in caveats(run):
        key, name = accuracy, "accuracy under noise"
    figure = run.measures.figure(key)
    if figure.value is None:
        return ""
    interval = f" ({show_figure(figure.low)} … {show_figure(figure.high)})" if figure.low is not None else ""
    return f"{name}{' by short answers' if short else ''} so far {show_figure(figure.value)}{interval}"

"""The exam of robustness, put to a model: each question as it is, then with each noise, on the same picture.

All conditions of a question are asked together, with the same picture and the same words around it, so that an early
look at R_score compares like with like while the rest is still asked.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from voirdire.errors import InputError, Problem, UsageError
from voirdire.exam.short_answers import by_short_answers, is_wordy
from voirdire.figures import show_figure
from voirdire.formats.files import once
from voirdire.formats.vqa_annotations import VqaAnnotations
from voirdire.formats.vqa_questions import VqaQuestions, read_vqa_questions
from voirdire.formats.vqa_results import VqaResults, write_vqa_results
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking
from voirdire.options import Options
from voirdire.robustness.accuracy import limit_images
from voirdire.robustness.exam import AskQuestionsOptions
from voirdire.robustness.noise_identity import condition_of
from voirdire.robustness.views import ACCURACY, CONTROL, R_SCORE, caveats, partition

CLEAN, NOISY = "clean", "noisy"
FILES = {CLEAN: "clean.json", CONTROL: "control1.json"}

Answers = dict[str, tuple[int, str]]
"""By condition, the number of the question and the answer."""


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


def written_keys(sources: Mapping[str, tuple[str, ...]], options: Options) -> list[str]:
    """The model's files that these questions give: clean, and where there is noise, noisy and control.

    Questions that are yet to be made have every noise.
    """
    if not all(Path(path).exists() for path in sources["questions"]):
        return [CLEAN, NOISY, CONTROL]
    conditions = _conditions([once(read_vqa_questions)(path) for path in sources["questions"]])
    keys = [CLEAN]
    if any(key not in (CLEAN, CONTROL) for key in conditions):
        keys.append(NOISY)
    return [*keys, CONTROL] if CONTROL in conditions else keys


def ask_questions(
    annotations: VqaAnnotations, questions: list[VqaQuestions], options: AskQuestionsOptions, interview: Interview
) -> None:
    """Write a model's answers to the questions of every condition, in the layout of VQA results."""
    conditions = _conditions(questions)
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
    texts: dict[int, dict[str, str]] = {}
    for condition, file in conditions.items():
        for id_, text in zip(file.question_ids.tolist(), file.questions, strict=True):
            texts.setdefault(id_, {})[condition] = text
    images = {
        id_: image
        for file in conditions.values()
        for id_, image in zip(file.question_ids.tolist(), file.image_ids.tolist(), strict=True)
    }
    # In an order of its own, so that an early look is one at all pictures and types of questions.
    order = np.random.default_rng([options.seed, len(texts)]).permutation(np.array(sorted(texts), np.int64)).tolist()
    scripts = [_ask_all(id_, images[id_], texts[id_], interview) for id_ in order]
    look = partial(_early, annotations) if len(conditions) > 1 else None
    replies = interview.ask_all(scripts, "questions", look)
    for condition, file in conditions.items():
        answers = {reply[condition][0]: reply[condition][1] for reply in replies if condition in reply}
        results = VqaResults(file.question_ids, tuple(answers.get(id_, "") for id_ in file.question_ids.tolist()))
        number = condition.removeprefix("partition")
        write_vqa_results(results, Path(interview.folder) / FILES.get(condition, f"partition{number}.json"))


def _ask_all(
    id_: int, image: int, texts: Mapping[str, str], interview: Interview
) -> Callable[[Asking], Awaitable[Answers]]:
    async def script(ask: Asking) -> Answers:
        picture = interview.seen(image)
        return {
            condition: (id_, (await ask(AnswerTask(picture, text, alone=True))).text)
            for condition, text in texts.items()
        }

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
    ids = np.array([answers[CLEAN][0] for answers in done], np.int64)
    rows = np.flatnonzero(np.isin(annotations.question_ids, ids))
    files = {
        condition: VqaResults(ids, tuple(answers[condition][1] for answers in done))
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

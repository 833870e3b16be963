"""The conditions under which a model was asked: without noise, with each partition, with random questions."""

from collections.abc import Iterable, Mapping

from voirdire.errors import InputError, Problem, shorten
from voirdire.formats.vqa_questions import VqaQuestions
from voirdire.metrics.key import Key
from voirdire.robustness.asked import condition_of
from voirdire.robustness.exam import PARTITIONS
from voirdire.robustness.views import ACCURACY, ANSWER_TYPE, ANSWER_TYPES, conditions_in, partition
from voirdire.section.content import Model
from voirdire.section.context import Context

NUMBERS = {partition(number): number for number in range(1, PARTITIONS + 1)}
"""The number of each partition, by what a run calls the condition."""

Asked = Mapping[str, Mapping[int, str]]
"""VQA questions by condition and id, as they were asked there."""


def conditions_of(models: Iterable[Model]) -> list[str]:
    """The noisy conditions of any of the runs: partitions in their order, then the random questions."""
    return conditions_in(key for model in models for key in model.run.measures)


def condition_words(condition: str) -> str:
    """`partition 1`, `random`; an empty name is that of the clean questions."""
    if condition in NUMBERS:
        return f"partition {NUMBERS[condition]}"
    return "random" if condition else "clean"


def kinds_of(models: Iterable[Model]) -> list[str]:
    """The answer types that questions have, in the order of the paper's tables."""
    held = {kind for model in models for kind in model.run.items[ANSWER_TYPE].unique().to_list()}
    return [kind for kind in reversed(ANSWER_TYPES) if kind in held]


def rankers_of(model: Model) -> dict[Key, list[Key]]:
    """The rankers of a run, each as the key of accuracy under it, and the keys of its partitions in order."""
    found: dict[Key, list[Key]] = {}
    for key in model.run.measures.of(ACCURACY.key.measure):
        if key.slice and key.condition in NUMBERS:
            found.setdefault(key.under(""), []).append(key)
    return {ranker: sorted(keys, key=lambda key: NUMBERS[key.condition]) for ranker, keys in found.items()}


def of_one_noise(models: Iterable[Model]) -> list[list[Model]]:
    """Runs under the same noise, or under noise that nobody knows; a control's draws matter to nothing else."""
    found: dict[tuple[tuple[str, str], ...], list[Model]] = {}
    for model in models:
        parts = (item for item in model.run.signature.flat().items() if item[0].startswith("options.noise"))
        noise = tuple((name, str(value)) for name, value in parts if name != "options.noise.control")
        found.setdefault(noise, []).append(model)
    return list(found.values())


def asked_questions(context: Context) -> Asked:
    """What was asked, from files of questions that say their noise themselves, as `robustness perturb` writes them.

    Two files that ask one question in two ways are refused: nobody could say which of them the model was asked.
    """
    found: dict[str, dict[int, str]] = {}
    given: dict[tuple[str, int], str] = {}
    for file in context.of("vqa_questions"):
        questions: VqaQuestions = file.record
        # A file without a word of its noise has none.
        condition = condition_of(questions, file.name) or ""
        texts = found.setdefault(condition, {})
        for id_, text in zip(questions.question_ids.tolist(), questions.questions, strict=True):
            if texts.setdefault(id_, text) != text:
                other = f"{shorten(text)}, and {shorten(texts[id_])} in {given[condition, id_]}"
                hint = "Give only the files that the models of this report were asked."
                where = f"question {id_}, {condition or 'clean'}"
                raise InputError(file.name, [Problem(where, "", other, "the same in both files", hint)])
            given.setdefault((condition, id_), file.name)
    return found

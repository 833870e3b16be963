"""A live model is asked every question of a dialogue, each after the rounds before it.

Only rounds that have a set of valid answers are asked, since no other is scored. The history is the dataset's own, as
in the paper: the caption, and the questions with their true answers. With `own` it has the model's own answers, so that
its mistakes carry on. Each question is asked `samples` times; a single sample is at temperature 0, unless another is
given. A round without a usable reply has an empty answer, which is counted. Where a model gives log-likelihoods, the
candidates are scored by them.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

import numpy as np

from voirdire.answers.exam import AskAnswersOptions, AskRanksOptions
from voirdire.answers.rounds import rounds_of
from voirdire.errors import InputError, Problem
from voirdire.figures import counted
from voirdire.formats.generations import Generations, write_generations
from voirdire.formats.option_numbers import Scores, write_rounds
from voirdire.formats.references import References
from voirdire.formats.visdial import VisDial
from voirdire.live.interview import Interview
from voirdire.live.model import AnswerTask, Asking, RankTask
from voirdire.runs.limit import draw
from voirdire.text.short_answers import RULE, is_sentence, short_answer

GENERATIONS, SCORES = "generations.json", "scores.json"
Answers = list[tuple[int, list[str]]]
"""The answers in a dialogue, by the number of the round."""


@dataclass(frozen=True)
class _Dialogue:
    """One dialogue as a model is asked it, and the numbers of its rounds that are scored."""

    image: int
    caption: str
    questions: tuple[str, ...]
    answers: tuple[str, ...]
    scored: frozenset[int]


def _dialogues(visdial: VisDial, references: References) -> list[_Dialogue]:
    scored: dict[int, set[int]] = {}
    for image, round_ in zip(references.image_ids.tolist(), references.rounds.tolist(), strict=True):
        scored.setdefault(image, set()).add(round_)
    return [
        _Dialogue(
            image,
            visdial.captions[number],
            tuple(visdial.question_text(round_) for round_ in visdial.rounds(number)),
            tuple(visdial.answer_text(round_) or "" for round_ in visdial.rounds(number)),
            frozenset(scored[image]),
        )
        for number, image in enumerate(visdial.image_ids.tolist())
        if image in scored
    ]


def ask_generations(visdial: VisDial, references: References, options: AskAnswersOptions, interview: Interview) -> None:
    """Write a model's answers to every question that has a set of valid answers, in the layout of generations."""
    askable = interview.askable(visdial.image_ids.tolist())
    taken = draw(references.image_ids, options, covered=askable).of(references)
    dialogues, wanted = _dialogues(visdial, taken), len(np.unique(taken.image_ids))
    if not dialogues:
        hint = "Are they of the same split?"
        raise InputError("dialogues", [Problem("", "image_id", "no image that has reference sets", "some", hint)])
    if len(dialogues) < wanted:
        few = f"Of {counted(wanted, 'image')} with reference sets, {len(dialogues):,} are in the dialogues"
        interview.notes.append(f"{few}; nothing was asked about the others.")
        interview.stages.say(f"{few}; nothing is asked about the others")
    expected = interview.showable([dialogue.image for dialogue in dialogues])
    dialogues = [dialogue for dialogue in dialogues if dialogue.image in expected]
    if not any(0 in dialogue.scored for dialogue in dialogues):
        # Files do not say from where they count rounds: readers recognise it by round 0.
        dialogues[0] = replace(dialogues[0], scored=dialogues[0].scored | {0})
    replies = interview.ask_all([_ask_dialogue(dialogue, options, interview) for dialogue in dialogues], "dialogues")
    rows = [
        (dialogue.image, round_, texts)
        for dialogue, answers in zip(dialogues, replies, strict=True)
        for round_, texts in answers
    ]
    texts = [text for *_, answers in rows for text in answers]
    first = np.arange(len(rows) + 1, dtype=np.int64) * options.samples
    images, rounds = np.array([row[:2] for row in rows], np.int64).T
    write_generations(Generations(images, rounds, texts, first, base=0), interview.folder / GENERATIONS)
    if changed := sum(is_sentence(text, short_answer(text)) for text in texts):
        interview.notes.append(
            f"{changed:,} of {len(texts):,} answers hold a shorter one by the rule {RULE}; both are kept and scored."
        )


def _ask_dialogue(
    dialogue: _Dialogue, options: AskAnswersOptions, interview: Interview
) -> Callable[[Asking], Awaitable[Answers]]:
    own = options.history == "own"

    async def script(ask: Asking) -> Answers:
        image, scored = interview.seen(dialogue.image), Answers()
        rounds: tuple[tuple[str, str], ...] = ()
        for number, (question, true) in enumerate(zip(dialogue.questions, dialogue.answers, strict=True)):
            answers: list[str] = []
            # With a history of its own it is asked in every round, up to the last that is scored.
            samples = options.samples if number in dialogue.scored else int(own and number < max(dialogue.scored))
            for sample in range(samples):
                task = AnswerTask(image, question, dialogue.caption, rounds, temperature=options.heat, sample=sample)
                answers.append((await ask(task)).text)
            if number in dialogue.scored:
                scored.append((number, answers))
            rounds = (*rounds, (question, answers[0] if own and answers else true))
        return scored

    return script


def ask_scores(visdial: VisDial, options: AskRanksOptions, interview: Interview) -> None:
    """Write how likely a model finds each candidate of every round, in the layout of scores."""
    askable = interview.askable(visdial.image_ids.tolist())
    limited = draw(visdial.image_ids, options, covered=askable).of(visdial)
    without = np.flatnonzero(limited.options[:, 0] < 0)
    if len(without):
        problems = [Problem(limited.label(int(row)), "answer_options", "none", "options to rank") for row in without]
        raise InputError("dialogues", problems)
    expected = interview.showable(limited.image_ids.tolist())
    limited = limited.only(np.flatnonzero(np.isin(limited.image_ids, list(expected))))
    replies = interview.ask_all(
        [_ask_scores(limited, number, interview) for number in range(len(limited))], "dialogues"
    )
    scores = np.array([row for rows in replies for row in rows], np.float64)
    write_rounds(Scores(*rounds_of(limited), scores, base=1), interview.folder / SCORES)


def _ask_scores(
    visdial: VisDial, number: int, interview: Interview
) -> Callable[[Asking], Awaitable[list[tuple[float, ...]]]]:
    async def script(ask: Asking) -> list[tuple[float, ...]]:
        image = interview.seen(int(visdial.image_ids[number]))
        scores: list[tuple[float, ...]] = []
        rounds: tuple[tuple[str, str], ...] = ()
        for round_ in visdial.rounds(number):
            question, candidates = visdial.question_text(round_), tuple(visdial.option_texts(round_))
            reply = await ask(RankTask(image, question, candidates, visdial.captions[number], rounds))
            # A tie takes the worst rank of its group, so that a missing reply earns nothing.
            scores.append(reply.scores if len(reply.scores) == len(candidates) else (0.0,) * len(candidates))
            rounds = (*rounds, (question, visdial.answer_text(round_) or ""))
        return scores

    return script

"""Ask a model, turn by turn, what a dialogue has established about each proposition, and what is true.

    score    established as true, established as false, or still open?   with the dialogue alone
    truth    is it true of the picture?                                  with the picture too, where the score is open

So one question is asked about what is settled and two about the rest. The labels of the score are named in an order
that goes through all six over the turns and the pairs of a dialogue, from one that is drawn by the seed; a proposition
and its opposite have the same. A template may ask two yes/no questions instead: the truth, and the `sharing`, that is
whether it is settled.

Every question is asked alone: with the dialogue up to the turn, and none of the earlier questions and answers. The
truth is asked with the image, or what stands for it, all else with the dialogue alone.
"""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from itertools import permutations

import msgspec
import numpy as np

from voirdire.figures import counted
from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.files import write_lines
from voirdire.formats.model_judgements import HOW, OPEN, SCORE, SHARING, TRUTH, VALUES, ModelJudgement, Question
from voirdire.formats.propositions import PropositionSet
from voirdire.live.interview import Interview
from voirdire.live.model import LABELS, Asking, JudgeTask, Reply, VisualInput
from voirdire.live.scripts import Script
from voirdire.scorekeeping.asked_points import asked_points
from voirdire.scorekeeping.exam import JUDGEMENTS_FILE, AskedPointsOptions

Judgements = list[ModelJudgement]
ORDERS = tuple(permutations(LABELS))
"""All orders in which the labels may be named."""
STREAM = 5
"""Tells the draws of these orders from others of the same seed."""


def ask_judgements(
    propositions: PropositionSet, dialogues: Dialogues, options: AskedPointsOptions, interview: Interview
) -> None:
    """Write a model's judgements of each point that the options ask for."""
    numbers = {number: dialogues[number].image_id for number in propositions.dialogues if number < len(dialogues)}
    askable = set(interview.askable(set(numbers.values())))
    allowed = [number for number, image in numbers.items() if image in askable]
    asked = asked_points(propositions, dialogues, options, allowed)
    points = asked.points
    places = asked.asked.nonzero()[0].tolist()
    images = {place: dialogues[int(points.dialogue[points.proposition[place]])].image_id for place in places}
    shown = interview.showable(sorted(set(images.values())))
    places = [place for place in places if images[place] in shown]
    scripts: list[Script[Judgements]] = []
    # An image is shown for many points.
    seen = cache(interview.seen)
    first = cache(partial(_first_order, options.seed))
    for place in places:
        of = points.proposition[place]
        number, turn, index = int(points.dialogue[of]), int(points.turn[place]), int(points.index[of])
        blank = ModelJudgement(number, turn, index, TRUTH, None, proposition=asked.sentence(place))
        if interview.template.asks_score:
            labels = ORDERS[(first(number) + turn + index // 2) % len(ORDERS)]
            scripts.append(_by_score(dialogues[number], seen, blank, labels, interview.dry))
        else:
            scripts.append(_by_two(dialogues[number], seen, blank))
    through = interview.ask_all(scripts, "points", partial(_early, propositions))
    if through:
        interview.tell_requests(_requests(through, interview.dry))
    interview.terms |= {"least_mass": least} if (least := interview.model.identity.get("least_mass")) else {}
    write_lines([row for rows in through for row in rows], interview.folder / JUDGEMENTS_FILE)


def _first_order(seed: int, dialogue: int) -> int:
    """The order of the labels at the first point of a dialogue."""
    return int(np.random.default_rng([seed, STREAM, dialogue]).integers(len(ORDERS)))


def _requests(through: Sequence[Judgements], dry: bool) -> str:
    """How many requests points took, or may take."""
    requests, points = sum(map(len, through)), len(through)
    each = f"{counted(points, 'point')} in {counted(requests, 'request')}, {requests / points:.2f} per point"
    if not any(row.question == SCORE for rows in through for row in rows):
        return f"{each}: truth and sharing of each."
    if dry:
        return f"At most {each}: the score of each, and the truth of those that the model takes for open."
    return f"{each}: the score of each, and the truth of the {requests - points:,} that the model took for open."


def _early(propositions: PropositionSet, through: list[Judgements]) -> str:
    """How many of the points so far are right in truth and sharing; dialogues are asked one after the other."""
    right = 0
    for rows in through:
        proposition = propositions.dialogues[rows[0].dialogue][rows[0].index]
        so = {TRUTH: bool(proposition.a_thinks_true), SHARING: rows[0].turn >= proposition.turn_shared}
        says = {about: value for row in rows for about, value in row.says.items()}
        right += says == {about: "yes" if holds else "no" for about, holds in so.items()}
    return f"{100 * right / len(through):.1f} % right (TFxPS)"


def _by_score(
    dialogue: Dialogue, seen: Callable[[int], VisualInput], blank: ModelJudgement, labels: tuple[str, ...], dry: bool
) -> Script[Judgements]:
    """The score of a point, and its truth where that is open; the rows of the answers."""

    async def script(ask: Asking) -> Judgements:
        question = _asking(dialogue, blank, ask)
        score = await question(SCORE, VisualInput(dialogue.image_id), labels)
        if not dry and score.value != OPEN:
            return [score]
        return [score, await question(TRUTH, seen(dialogue.image_id))]

    return script


def _by_two(dialogue: Dialogue, seen: Callable[[int], VisualInput], blank: ModelJudgement) -> Script[Judgements]:
    """Both yes/no questions about a point; the rows of the answers."""

    async def script(ask: Asking) -> Judgements:
        question = _asking(dialogue, blank, ask)
        truth = await question(TRUTH, seen(dialogue.image_id))
        return [truth, await question(SHARING, VisualInput(dialogue.image_id))]

    return script


def _asking(dialogue: Dialogue, blank: ModelJudgement, ask: Asking) -> Callable[..., Awaitable[ModelJudgement]]:
    """What asks a question about a point: the row of its answer."""

    async def asked(about: Question, seen: VisualInput, labels: tuple[str, ...] = ()) -> ModelJudgement:
        context = dialogue.caption, dialogue.rounds[: blank.turn], blank.proposition
        reply = await ask(JudgeTask(seen, *context, about, labels))
        return _row(msgspec.structs.replace(blank, question=about), reply)

    return asked


def _row(blank: ModelJudgement, reply: Reply) -> ModelJudgement:
    value = reply.value if reply.value in VALUES[blank.question] else None
    # A model of a user's own may read in a way that has no name.
    how = reply.how if reply.how in HOW else "text"
    return msgspec.structs.replace(blank, value=value, how=how, text=reply.text)

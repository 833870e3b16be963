"""Ask a model, turn by turn, whether each proposition is true and whether it has been established.

Every question is asked alone: with the dialogue up to the turn, and none of the earlier questions and answers. The
truth is asked with the image, or what stands for it, the sharing with the dialogue alone.
"""

from collections.abc import Callable
from functools import cache, partial

import msgspec

from voirdire.formats.dialogues import Dialogue, Dialogues
from voirdire.formats.files import write_lines
from voirdire.formats.model_judgements import HOW, ModelJudgement
from voirdire.formats.propositions import PropositionSet
from voirdire.live.interview import Interview
from voirdire.live.model import Asking, JudgeTask, Reply, VisualInput
from voirdire.live.scripts import Script
from voirdire.scorekeeping.exam import JUDGEMENTS_FILE, AskedPointsOptions
from voirdire.scorekeeping.points import asked_points

Judgements = list[ModelJudgement]


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
    for place in places:
        of = points.proposition[place]
        number, turn, index = int(points.dialogue[of]), int(points.turn[place]), int(points.index[of])
        blank = ModelJudgement(number, turn, index, "truth", None, proposition=asked.sentence(place))
        scripts.append(_script(dialogues[number], seen, blank))
    rows = [row for answers in interview.ask_all(scripts, "points", partial(_early, propositions)) for row in answers]
    write_lines(rows, interview.folder / JUDGEMENTS_FILE)


def _early(propositions: PropositionSet, through: list[Judgements]) -> str:
    """How many of the points so far have both answers right; dialogues are asked one after the other."""
    right = 0
    for true, shared in through:
        proposition = propositions.dialogues[true.dialogue][true.index]
        so = bool(proposition.a_thinks_true), true.turn >= proposition.turn_shared
        right += (true.value, shared.value) == tuple("yes" if holds else "no" for holds in so)
    return f"{100 * right / len(through):.1f} % right (TFxPS)"


def _script(dialogue: Dialogue, seen: Callable[[int], VisualInput], blank: ModelJudgement) -> Script[Judgements]:
    """Both questions about a point; the rows of its answers."""

    async def script(ask: Asking) -> Judgements:
        context = dialogue.caption, dialogue.rounds[: blank.turn], blank.proposition
        true = await ask(JudgeTask(seen(dialogue.image_id), *context, "truth"))
        shared = await ask(JudgeTask(VisualInput(dialogue.image_id), *context, "sharing"))
        return [_row(blank, true), _row(msgspec.structs.replace(blank, question="sharing"), shared)]

    return script


def _row(blank: ModelJudgement, reply: Reply) -> ModelJudgement:
    value = reply.value if reply.value in ("yes", "no") else None
    # A model of a user's own may read in a way that has no name.
    how = reply.how if reply.how in HOW else "text"
    return msgspec.structs.replace(blank, value=value, how=how, text=reply.text)

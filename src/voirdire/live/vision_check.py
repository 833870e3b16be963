"""Does it see? The same question with two pictures and with none, before an exam that shows pictures.

    blind  ⇔  the replies to the two pictures are the same

Some servers take a picture, drop it and answer all the same. Two pictures that have nothing in common, a red disc on
white and blue stripes on black, get two replies from whoever sees them.
"""

import hashlib
import io
from collections.abc import Collection
from functools import cache

from voirdire.errors import UsageError, shorten
from voirdire.live.model import DECLINED, AnswerTask, Asking, JudgeTask, Skill, Task, VisualInput
from voirdire.runs.provenance import REFUSALS

QUESTION = "What does the picture show? Name its colours and shapes in one sentence."
SENTENCE = "There is a red disc on a white ground."
SIDE = 224


@cache
def _pictures() -> dict[str, bytes]:
    from PIL import Image, ImageDraw

    disc = Image.new("RGB", (SIDE, SIDE), "white")
    ImageDraw.Draw(disc).ellipse((40, 40, SIDE - 40, SIDE - 40), fill="red")
    stripes = Image.new("RGB", (SIDE, SIDE), "black")
    for left in range(0, SIDE, 32):
        ImageDraw.Draw(stripes).rectangle((left, 0, left + 15, SIDE), fill="blue")
    pictures = {}
    for picture in (disc, stripes):
        packed = io.BytesIO()
        picture.save(packed, "PNG")
        pictures[hashlib.sha256(packed.getvalue()).hexdigest()] = packed.getvalue()
    return pictures


def two_pictures() -> dict[str, bytes]:
    """The two pictures by the SHA-256 of their bytes."""
    return _pictures()


async def why_blind(ask: Asking, skills: Collection[Skill] = frozenset({"answer"})) -> str:
    """Why the model may not see, in a few words; empty where the replies to two pictures differ.

    skills  of the model: one that cannot answer in words judges a sentence
    """
    replies = [await ask(task) for task in vision_tasks(skills)]
    _, first, second = replies
    useless = [not reply.kept or reply.fault in REFUSALS for reply in replies]
    if useless == [False, True, True]:
        raise UsageError(f"it takes no pictures: {first.why or first.fault}. Show it words or nothing (`show`)")
    for reply in replies:
        if not reply.kept:
            raise UsageError(f"the check whether it sees got no reply: {reply.why}; call again")
    if (first.text, first.fault) != (second.text, second.fault):
        return ""
    if first.fault == "length":
        return "comes to no answer about two pictures: it thinks longer than it has tokens; give it more (`thinking`)"
    if first.fault:
        return f"gives no answer about two pictures ({first.fault})"
    if first.mark == DECLINED:
        return f"refuses to speak of two pictures: {shorten(first.text)}"
    return f"does not see: it says the same to two different pictures, {shorten(first.text)}. Its server may drop them"


def vision_tasks(skills: Collection[Skill]) -> list[Task]:
    """The tasks of the check: without a picture, and with each of the two."""
    if "answer" in skills:
        return [AnswerTask(VisualInput(-number, name), QUESTION) for number, name in enumerate(("", *_pictures()), 1)]
    shown = (VisualInput(-number, name) for number, name in enumerate(("", *_pictures()), 1))
    return [JudgeTask(seen, "", (), SENTENCE, "truth") for seen in shown]

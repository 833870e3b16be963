"""An interview in which a function replies as a model would."""

import asyncio
from pathlib import Path
from types import SimpleNamespace

from voirdire.live.model import Reply, VisualInput
from voirdire.progress import Stages

__all__ = ["ScriptedInterview", "said"]

PICTURE = "ab" * 32


class _Told(Stages):
    def __init__(self):
        self.lines = []

    def say(self, text):
        self.lines.append(text)


def said(value):
    """A reply in which this was read; None for one in which nothing could be."""
    return Reply("Hm." if value is None else str(value), value)


class ScriptedInterview:
    """`reply` is a function of a task and of the name of the one who is asked."""

    def __init__(self, folder, reply, skills=("ask", "guess", "point"), pictures=False, dry=False):
        self.folder, self.reply, self.dry = Path(folder), reply, dry
        self.model = SimpleNamespace(name="model", skills=frozenset(skills))
        self.pictures = PICTURE if pictures else ""
        self.terms = {}
        self.stages, self.notes, self.heard, self.expected = _Told(), [], [], set()

    def other(self, spec):
        return self.model

    def show_nothing(self):
        self.pictures = ""

    def askable(self, images):
        return images

    def showable(self, images):
        self.expected |= set(images)
        return set(images)

    def seen(self, image):
        return VisualInput(image, self.pictures)

    def ask_all(self, scripts, unit="questions", look=None):
        async def ask(task, spec=""):
            self.heard.append((task, spec))
            return self.reply(task, spec)

        async def go():
            return [await script(ask) for script in scripts]

        return asyncio.run(go())

"""Models by name: `openai:MODEL@URL`, `vllm:…`, `systemone:…`, `python:MODULE:FUNCTION`; others come by entry point.

A provider makes a model of `LiveOptions`. A function of a user's own is given the messages that a chat model would be
sent, and the picture's bytes; what it returns is read as a chat model's reply is:

    def reply(messages, picture):
        return "yes"

Only who names a function on the command line runs it: a config that somebody sent does not.
"""

import asyncio
import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from voirdire.errors import UsageError, shorten
from voirdire.live import local, networks  # noqa: F401 (register their models)
from voirdire.live.chat import ChatModel, read_reply
from voirdire.live.endpoint_model import TALKS
from voirdire.live.likelihoods import LikelihoodModel
from voirdire.live.model import MODELS, LiveModel, RankTask, Reply, Skill, Task
from voirdire.live.prompts import Template, read_template
from voirdire.live.settings import LiveOptions
from voirdire.live.typed_answers import TypedModel


def make_model(options: LiveOptions) -> LiveModel:
    """The model that the options name."""
    return MODELS.make(options.model)(options)


for _kind in (ChatModel, LikelihoodModel, TypedModel):
    MODELS.register(_kind.provider)(_kind.from_spec)


@dataclass
class FunctionModel(LiveModel):
    """A function of the user's own: from messages and a picture to a text."""

    name: str
    function: Callable[[list[dict[str, Any]], bytes | None], Any]
    template: Template
    skills: frozenset[Skill] = TALKS

    @property
    def identity(self) -> dict[str, str]:
        """What its replies depend on, as far as that is known: a function's own code is not looked at."""
        return {"model": self.name, "template": self.template.identity}

    async def reply(self, task: Task, pictures: Sequence[bytes] = ()) -> Reply:
        """What it returns; it is called in a thread of its own, since it may take long."""
        if isinstance(task, RankTask):
            raise UsageError(f"{self.name} cannot rank")
        try:
            given = self.template.messages(task), pictures[0] if pictures else None
            if asyncio.iscoroutinefunction(self.function):
                text = await self.function(*given)
            else:
                text = await asyncio.to_thread(self.function, *given)
        except Exception as error:
            raise UsageError(f"{self.name} failed: {type(error).__name__}: {shorten(str(error))}") from error
        if not isinstance(text, str):
            raise UsageError(f"{self.name} must return a text, got {shorten(text)}")
        return read_reply(task, text)


@MODELS.register("python")
def _function(argument: str | None) -> Callable[[LiveOptions], LiveModel]:
    place, colon, name = (argument or "").rpartition(":")
    if not colon or not place or not name:
        raise UsageError(
            "`model` python needs a module and a function, as in python:mine:reply or python:mine.py:reply"
        )

    def make(options: LiveOptions) -> LiveModel:
        function = getattr(_module(place), name, None)
        if not callable(function):
            raise UsageError(f"`model`: {place} has no function {name!r}")
        return FunctionModel(f"python:{place}:{name}", function, read_template(options.template))

    return make


def _module(place: str) -> ModuleType:
    """A module by its name, or by its file."""
    try:
        if not place.endswith(".py"):
            return importlib.import_module(place)
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        if spec is None or spec.loader is None:
            raise ImportError("no Python file")
        # So that it can import its neighbours; last, so that these stand in nobody's way.
        if (folder := str(Path(place).resolve().parent)) not in sys.path:
            sys.path.append(folder)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(Path(place).stem, module)
        spec.loader.exec_module(module)
    except Exception as error:
        raise UsageError(f"`model`: {place} cannot be loaded: {type(error).__name__}: {shorten(str(error))}") from error
    return module

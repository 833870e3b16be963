"""What a config calls that of which a step complains.

A step is made by the function that its verb calls, so that a fault is told in the words of a call: a file by its path,
an option by its flag or its value. All of them stand in the config, and its keys have the names of the flags:

    --round-base 0  → `options.answers.round_base: 0`      --common → `options.answers.common: true`
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.robustness.files import partition_files
from voirdire.session.config import Config, leaves, texts
from voirdire.session.doing import Fault
from voirdire.session.planning import EXAMS
from voirdire.session.specs import paths_of
from voirdire.session.steps import Step

__all__ = ["explained"]

_FLAG = re.compile(r"--([a-z][a-z-]*)(?: (\d+|[A-Z]{2,}))?")
"""A flag, and its value where a number or a word like FILE stands behind it."""

Keys = dict[str, Any]
"""Values of a config by the paths of their keys."""


def explained(fault: Fault, config: Config) -> Fault:
    """The fault with the place in the config where it can be mended, and with keys for flags."""
    own = _own(config, fault.step)
    named = {key.rpartition(".")[2]: key for key in own}

    def key_of(flag: re.Match[str]) -> str | None:
        return named.get(flag[1].replace("-", "_"))

    def as_key(flag: re.Match[str]) -> str:
        key = key_of(flag)
        if key is None:
            return flag[0]
        value = flag[2] or ("true" if own[key] is False else "")
        return f"`{key}: {value}`" if value else f"`{key}`"

    if fault.file:
        every = own | dict(leaves({"models": config.models, "data": config.data, "options": config.options}))
        about = [key for key, value in every.items() if _holds(value, fault.file)]
        about += [named[fault.file]] if fault.file in named else []
    else:
        about = [key for key, value in own.items() if _quoted(value, fault.message)]
        flags = [key for flag in _FLAG.finditer(fault.message) if (key := key_of(flag))]
        about += sorted(flags, key=lambda key: not own[key])
    place = next((config.places.at(key) + ": " for key in [*about, *_home(config, fault.step)]), "")
    return replace(fault, message=place + _FLAG.sub(as_key, fault.message))


def _home(config: Config, step: Step) -> list[str]:
    """The part of the config that a step is of; none for steps that are of no exam."""
    exam = step.kind.partition(" ")[0]
    part = f"models.{step.model}" if step.model in config.models else "data"
    return [f"{part}.{exam}"] if exam in EXAMS else []


def _own(config: Config, step: Step) -> Keys:
    """What the config says of the exam of a step, and of its model there; first what the step reads."""
    exam = step.kind.partition(" ")[0]
    parts = {
        f"models.{step.model}.{exam}": getattr(config.models.get(step.model), exam, None),
        f"data.{exam}": getattr(config.data, exam, None),
        f"options.{exam}": getattr(config.options, exam, None),
    }
    found = [leaf for path, part in parts.items() if part is not None for leaf in leaves(part, path)]
    return dict(sorted(found, key=lambda leaf: leaf[0].rpartition(".")[2] not in step.sources))


def _holds(value: Any, file: str) -> bool:
    """Whether a value names the file, a folder that it is in, or a provider that reads it."""
    named = [path for text in texts(value) for path in (*partition_files([text]), *paths_of(text))]
    return any(path and Path(file).is_relative_to(path) for path in named)


def _quoted(value: Any, message: str) -> bool:
    """Whether the message quotes the value, or the name of the provider in it."""
    return any(repr(word) in message for text in texts(value) for word in (text, text.partition(":")[0]))

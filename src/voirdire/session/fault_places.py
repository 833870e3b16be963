"""The place in a config that a step's fault is about.

A message has the name of an input or an option in backticks (`round_base`); here the name becomes its key
(`options.answers.round_base`), after the number of its line.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from voirdire.exam import Exam, exams
from voirdire.options import named, names_in, option_fields, renamed
from voirdire.session.config import IMAGES, SLICES, Config, leaves, session_parts, texts
from voirdire.session.execute import Fault
from voirdire.session.interview_steps import ASK
from voirdire.session.named_files import paths_of


def with_config_place(fault: Fault, config: Config) -> Fault:
    """The fault with the place in the config where it can be mended, and with keys for names."""
    if fault.step.manner and not config.places.name:
        return fault  # Of a call, whose messages name flags.
    kind = fault.step.kind.removeprefix(ASK)
    exam = next((each for each in exams() if each.name == kind.partition(" ")[0]), None)
    if exam is None:
        about = [key for key, value in _every(config).items() if fault.file and _names_file(value, fault.file)]
        return replace(fault, message=_place(config, about) + fault.message)
    keys = _keys(exam, fault.step.model)
    keys |= {name: f"models.{fault.step.model}.{name}" for name in fault.step.manner.get("live", ())}
    own = _set(config, keys, fault.step.sources)
    if fault.file:
        every = own | _every(config)
        about = [key for key, value in every.items() if _names_file(value, fault.file)]
        about += [keys[fault.file]] if fault.file in keys else []
    else:
        names = [fault.option, *names_in(fault.message)]
        about = [key for key, value in own.items() if _quoted(value, fault.message)]
        # Of several that which is set.
        about += sorted((keys[mentioned] for mentioned in names if mentioned in keys), key=lambda key: key not in own)
    home = f"models.{fault.step.model}.{exam.name}" if fault.step.model in config.models else f"data.{exam.name}"
    message = renamed(fault.message, {name: f"`{key}`" for name, key in keys.items()})
    return replace(fault, message=_place(config, [*about, home]) + message)


def _place(config: Config, keys: list[str]) -> str:
    return config.places.at(keys[0]) + ": " if keys else ""


def _keys(exam: Exam, model: str) -> dict[str, str]:
    """The keys of an exam's inputs and options, by the names that messages have for them."""
    keys: dict[str, str] = {}
    for part in session_parts(exam):
        for field in option_fields(part.options):
            keys[named(field)] = f"options.{exam.name}.{named(field)}"
        for source in part.session_inputs():
            place = f"models.{model}" if source.of_model else "data"
            keys[source.name] = f"{place}.{exam.name}.{source.name}"
    return keys


def _every(config: Config) -> dict[str, Any]:
    beside = {IMAGES: config.images, SLICES: config.slices}
    data = {**config.data, **{key: value for key, value in beside.items() if value is not None}}
    models = {name: {**files, **config.live.get(name, {})} for name, files in config.models.items()}
    return dict(leaves({"models": models, "data": data, "options": {**config.shared, **config.options}}))


def _set(config: Config, keys: Mapping[str, str], sources: Mapping[str, Any]) -> dict[str, Any]:
    """What the config says of these keys; first what the step reads."""
    every = _every(config)
    present = [(key, every[key], name) for name, key in keys.items() if key in every]
    return {key: value for key, value, _ in sorted(present, key=lambda entry: entry[2] not in sources)}


def _names_file(value: Any, file: str) -> bool:
    """Whether a value names the file, a folder that it is in, or a provider that reads it."""
    named_files = [path for text in texts(value) for path in (*_numbered(text), *paths_of(text))]
    return any(path and Path(file).is_relative_to(path) for path in named_files)


def _numbered(text: str) -> list[str]:
    """The files that a name with {} may stand for."""
    return [text.replace("{}", str(number)) for number in range(1, 10)] if "{}" in text else [text]


def _quoted(value: Any, message: str) -> bool:
    """Whether the message quotes the value, or the name of the provider in it."""
    return any(repr(word) in message for text in texts(value) for word in (text, text.partition(":")[0]))

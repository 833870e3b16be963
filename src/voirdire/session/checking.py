"""The files of a session, read before any work: what is missing or faulty is known at once, and not after hours.

Read is what steps need that are not done yet, by the readers that these use, so that nobody reads it again in the same
process; what other steps make is left to them.
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

from voirdire.errors import InputError, VoirDireError
from voirdire.exam import Input, exams, load, part_named
from voirdire.formats.catalogue import formats
from voirdire.formats.files import once
from voirdire.session.carrying import Fault, needs
from voirdire.session.config import Config
from voirdire.session.steps import Step, is_made


def check_files(config: Config, steps: Iterable[Step], made: Collection[Path], report: Step) -> list[Fault]:
    """The faults of files that steps read, and of those that only the report shows.

    made  the places of what steps make
    """
    faults = [
        fault
        for step in steps
        if step.maker == Step.maker and not needs(step, made) and not is_made(step)
        for fault in _of_step(step)
    ]
    for exam in exams():
        for one in exam.data:
            for text in one.files(config.data.get(exam.name, {}).get(one.at)):
                if Path(text) not in made and Path(text).parent not in made:
                    faults += _read(report, one, text, {})
    return faults


def _of_step(step: Step) -> Iterator[Fault]:
    for one in part_named(step.kind).inputs:
        uses = {name: step.options.get(name) for name in one.uses}
        for text in step.sources.get(one.name, ()):
            yield from _read(step, one, text, uses)


def _read(step: Step, one: Input, text: str, uses: dict[str, Any]) -> Iterator[Fault]:
    """Nothing, or why what is given for an input cannot be read."""
    try:
        if one.read:
            once(load(one.read))(text, **uses)
        name, _, path = text.partition(":")
        for format_, spec in one.specs.items():
            if spec.partition(":")[0] == name:
                next(known for known in formats() if known.name == format_).read(path)
    except VoirDireError as error:
        yield Fault(step, str(error), error.source if isinstance(error, InputError) else "")

"""The files of a session, read before any work: what is missing or faulty is known at once, and not after hours.

Read is what steps need that are not done yet, by the readers that these use, so that nobody reads it again in the same
process; what other steps make is left to them.
"""

from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from voirdire.call import read_one
from voirdire.errors import InputError, VoirDireError
from voirdire.exam import exam_named, part_named
from voirdire.formats.catalogue import read_as
from voirdire.session.carrying import Fault, needs
from voirdire.session.steps import Step, is_made, options_of_step


def check_files(steps: Iterable[Step], made: Collection[Path]) -> list[Fault]:
    """The faults of files that steps read.

    made  the places of what steps make
    """
    return [
        fault
        for step in steps
        if step.maker == Step.maker and not needs(step, made) and not is_made(step)
        for fault in _of_step(step)
    ]


def _of_step(step: Step) -> Iterator[Fault]:
    exam = exam_named(step.kind.partition(" ")[0])
    part = part_named(step.kind)
    options = options_of_step(part, step)
    for source in part.inputs:
        for text in step.sources.get(source.name, ()):
            try:
                if source.is_read:
                    read_one(source, text, options)
                name, _, path = text.partition(":")
                for format_, provider in exam.hint(source.name).providers.items():
                    if provider == name:
                        read_as(path, format_)
            except VoirDireError as error:
                yield Fault(step, str(error), error.source if isinstance(error, InputError) else "")

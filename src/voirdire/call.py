"""The one way from files to a run: a part, its inputs, its options, and where its outputs go.

A verb of the command, a step of a session, an interview with a live model, a study and a Python function all make a
`Call`. So errors, the reading of files, and the provenance of a live model's files are the same for all.
"""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from voirdire.errors import UsageError
from voirdire.exam import Ask, Input, Part, Study, exam_named, is_absent, load, present
from voirdire.options import Options, about, check_names, needed, option_fields, types_of
from voirdire.progress import UNSEEN, Stages

STDIN = "-"
"""The name of a file that stands for standard input."""


@dataclass(frozen=True)
class Call:
    """A part with all that it needs.

    part     what is called: a part, its interview, or its study
    given    files by the names of the inputs, as texts, or records that were read already
    options  its options
    places   what else the function takes by name: the places to write to, `engine`, `overwrite`, `work`
    """

    part: Part | Ask | Study
    given: Mapping[str, Any]
    options: Options
    places: Mapping[str, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Refuse a call that cannot be done, before anything is read."""
        check_providers(self.options)
        self._check_inputs()
        if isinstance(self.part, Part) and self.part.check:
            load(self.part.check)(present(**{**self.given, **self.places}), self.options)

    def read(self, stages: Stages = UNSEEN) -> dict[str, Any]:
        """The records of the inputs by name; None, or an empty list, where an input is not given."""
        files = {given.name: self._files(given) for given in self.part.inputs if given.is_read}
        total = sum(map(len, files.values()))
        progress, numbers = stages("read", "files"), count()
        records: dict[str, Any] = {}
        for given in self.part.inputs:
            value = self.given.get(given.name)
            if value is not None and not is_file(value) and not is_absent(value):
                records[given.name] = value
            else:
                records[given.name] = read_input(given, value, self.options, lambda: progress(next(numbers), total))
        if total:
            progress(total, total)
        return records

    def run(self, stages: Stages = UNSEEN) -> Any:
        """Check, read and call: a `Run` or an `Outcome` for a part, else whatever the function returns."""
        from voirdire.formats.files import reading_once
        from voirdire.runs.provenance import with_provenance
        from voirdire.runs.run import Run

        self.check()
        function = load(self.part.function)
        more = {"stages": stages} if isinstance(self.part, Part) else {}
        with reading_once():
            result = function(**self.read(stages), options=self.options, **more, **self.places)
        if not isinstance(result, Run):
            return result
        of_model = [given for given in self.part.inputs if given.of_model]
        files = [Path(file) for given in of_model for file in self._files(given) if file != STDIN]
        return with_provenance(result, files)

    def _files(self, given: Input) -> list[str]:
        value = self.given.get(given.name)
        return given.files(value) if is_file(value) else []

    def _check_inputs(self) -> None:
        """Refuse a call that lacks an input, or has more of one than the part takes."""
        present = {given.name for given in self.part.inputs if not is_absent(self.given.get(given.name))}
        for given in self.part.inputs:
            files = self._files(given)
            if len(files) > 1 and not given.many:
                raise UsageError(f"`{given.name}` must be given once, got {len(files)}")
            if not all(files):
                raise UsageError(f"`{given.name}` must name something, got an empty name")
            if given.name not in present and (given.needed or given.together in present):
                needs = f"`{given.together}` needs `{given.name}` beside it"
                why = needs if given.together in present else f"`{given.name}` must be given"
                raise UsageError(f"{why}: {given.help.rstrip('.')}")
            if given.name in present and given.either in present:
                raise UsageError(f"give either `{given.name}` or `{given.either}`")


def is_file(value: Any) -> bool:
    """Whether a value names a file, or several, and is no record."""
    return isinstance(value, str | Path) or (
        isinstance(value, list | tuple) and bool(value) and all(isinstance(inner, str | Path) for inner in value)
    )


def check_providers(options: Options) -> None:
    """Refuse unknown names of providers before anything is read."""
    for option in option_fields(type(options)):
        value = getattr(options, option.name)
        if about(option).provider and value != option.default:
            for spec in value if isinstance(value, tuple) else (value,):
                try:
                    load(about(option).provider).check(spec)
                except UsageError as error:
                    raise UsageError(f"`{option.name}`: {error}") from None


def read_input(given: Input, value: Any, options: Options, begin: Callable[[], None] = lambda: None) -> Any:
    """The record of what is given for an input, or several; None, or an empty list, where nothing is."""
    files = given.files(value)
    if not given.is_read:
        return files if given.many else files[0] if files else None
    records = []
    for file in files:
        begin()
        records.append(read_one(given, file, options))
    if given.joined and len(records) > 1:
        from voirdire.formats.joining import JOINS

        records = [JOINS[given.kinds[0]](records, files)]
    return records if given.many and not given.joined else records[0] if records else None


def read_one(given: Input, file: str, options: Options) -> Any:
    """The record of one file, by the input's own reader or by that of its first format."""
    from voirdire.formats.catalogue import read_as
    from voirdire.formats.files import once

    if not given.read:
        return read_as(file, given.kinds[0], getattr(options, "round_base", None))
    reader = load(given.read)
    named = {
        name: getattr(options, name)
        for name in tuple(inspect.signature(reader).parameters)[1:]
        if hasattr(options, name)
    }
    return once(reader)(file, **named)


def callable_with_files(place: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of a part as it is called from Python, with files or with records; any other function as it is.

        score_answers("generations.json", "references.json", seed=7)
        score_answers(read_generations("generations.json"), references, ScoreAnswersOptions(seed=7))

    Options are given one by one, by their names, or as the object that holds all of them.

    place  where it is: `voirdire.answers.score:score_answers`
    """
    exam = exam_named(place.split(".")[1])
    part = next((part for part in exam.parts if part.function == place), None)
    if part is None:
        return function
    signature = inspect.signature(function)
    names = [option.name for option in option_fields(part.options)]
    inputs = [given.name for given in part.inputs]

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        check_names(named, [*signature.parameters, *names])
        apart = {name: named.pop(name) for name in names if name in named and name not in signature.parameters}
        values = dict(signature.bind(*given, **named).arguments)
        options = values.pop("options", None)
        if apart and options is not None:
            raise UsageError(f"give either `options` or `{next(iter(apart))}`, which is one of them")
        stages = values.pop("stages", UNSEEN)
        places = {name: value for name, value in values.items() if name not in inputs}
        return Call(part, values, options or part.options(**apart), places).run(stages)

    called.__signature__ = _signature_with_files(signature, inputs, part.options)  # type: ignore[attr-defined]
    return called


def _signature_with_files(
    signature: inspect.Signature, inputs: Sequence[str], options: type[Options]
) -> inspect.Signature:
    """The signature with paths for the inputs, and the options one by one."""
    parameters = [
        given.replace(annotation=str | Path | given.annotation)
        if name in inputs and not isinstance(given.annotation, str)
        else given
        for name, given in signature.parameters.items()
    ]
    kinds = types_of(options)
    own = [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if needed(option) else option.default,
            annotation=kinds[option.name],
        )
        for option in option_fields(options)
        if option.name not in signature.parameters
    ]
    return signature.replace(parameters=[*parameters, *own])

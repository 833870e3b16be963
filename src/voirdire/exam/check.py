"""Checks that a declaration is consistent: what it names exists, and relations are mutual.

When an exam is registered, `check_declaration` looks at names alone and imports nothing of the exam's. `check_exam`
also loads every place and compares signatures; the tests and `voirdire doctor` call it. An error names the exam, the
part and the field, the wrong value, and the allowed ones.
"""

import inspect
import re
from collections.abc import Collection, Iterable
from typing import Any

from voirdire.errors import UsageError, shorten
from voirdire.exam.declaration import PATH, SKILLS, Ask, Exam, Input, Part, Place, Study, declared_measures, load
from voirdire.formats import FORMATS
from voirdire.options import about, option_fields

NAME = re.compile(r"[a-z][a-z0-9_-]*")
PLACE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
TAKES = ("engine", "overwrite", "work")
MAKES = ("run", "value", "lines")
SIGNED = ("data", "options", "references", "tokeniser", "encoder", "seed", "version")


class DeclarationError(UsageError):
    """A declaration that is not consistent."""


class _Declared:
    """The exam and the part that are checked, for messages."""

    def __init__(self, exam: Exam, part: str = "") -> None:
        self.name = f"exam `{exam.name}`" + (f", part `{part}`" if part else "")

    def wrong(self, field: str, found: object, allowed: str) -> DeclarationError:
        return DeclarationError(f"{self.name}: `{field}` has {shorten(found)}; it must be {allowed}")

    def each(self, field: str, names: Iterable[str], known: Collection[str]) -> None:
        """Refuse a name that is not known."""
        for name in names:
            if name not in known:
                raise self.wrong(field, name, f"one of {', '.join(known) or 'none: there are none'}")

    def once(self, field: str, names: Iterable[str]) -> None:
        """Refuse a name that occurs twice, or is no valid name."""
        seen: set[str] = set()
        for name in names:
            if not NAME.fullmatch(name):
                raise self.wrong(field, name, "a name of small letters, digits, - and _")
            if name in seen:
                raise self.wrong(field, name, "there once")
            seen.add(name)

    def places(self, **places: Place) -> None:
        """Refuse what cannot be a place."""
        for field, place in places.items():
            if isinstance(place, str) and place and not PLACE.fullmatch(place):
                raise self.wrong(field, place, "a place, as in package.module:name")

    def formats(self, field: str, names: Iterable[str]) -> None:
        """Refuse an unknown format; those of other packages are looked up only where ours are not enough."""
        for name in names:
            if name not in FORMATS:
                from voirdire.formats.catalogue import formats

                self.each(field, [name], [format_.name for format_ in formats()])


def check_declaration(exam: Exam) -> None:
    """Refuse an exam whose declaration names something that does not exist."""
    declared = _Declared(exam)
    declared.once("name", [exam.name])
    declared.once("parts", (part.name for part in exam.parts))
    declared.places(section=exam.section, hints=exam.hints)
    declared.formats("formats", exam.formats)
    declared.formats("context", exam.context)
    parts = {part.name: part for part in exam.parts}
    numbers = [number for table in exam.tables for number in table.numbers.split()]
    for number in numbers:
        if numbers.count(number) > 1:
            raise declared.wrong("tables.numbers", number, "there once")
    for table in exam.tables:
        declared.each(f"tables[{table.numbers}].parts", table.parts.split(), parts)
        places = {"make": table.make, "claims": table.claims}
        declared.places(**{f"tables[{table.numbers}].{field}": place for field, place in places.items()})
    for part in exam.parts:
        _check_part(_Declared(exam, part.name), part)
    in_session = {source.name for part in exam.in_session() for source in part.session_inputs()}
    declared.each("makes", exam.makes, in_session)
    for name, rule in exam.makes.items():
        declared.each(f"makes[{name}].part", [rule.part], parts)
        declared.each(f"makes[{name}].inputs", rule.inputs, _names(parts[rule.part].inputs))
        declared.each(f"makes[{name}].fixed", rule.fixed, _options(parts[rule.part]))
    of_data, of_model = (
        {source.name for part in exam.in_session() for source in part.session_inputs() if source.of_model is whose}
        for whose in (False, True)
    )
    for name in of_data & of_model:
        raise declared.wrong("parts", name, "of the model in all parts of a session, or of the data in all")
    for part in exam.in_session():
        if (rules := part.session) is not None:
            _Declared(exam, part.name).each("session.given", rules.given, of_model)
            _Declared(exam, part.name).each("session.unless", rules.unless, of_model)


def _check_part(declared: _Declared, part: Part) -> None:
    names = _names(part.inputs)
    options = _options(part)
    declared.once("inputs, options, outputs", (*names, *options, *(output.name for output in part.outputs)))
    places = {"function": part.function, "views": part.views, "measures": part.measures, "tables": part.tables}
    declared.places(check=part.check, caveats=part.caveats, **places)
    declared.each("makes", [part.makes], MAKES)
    declared.each("takes", part.takes.split(), TAKES)
    _check_inputs(declared, "inputs", part.inputs)
    for signed in part.differ:
        declared.each("differ", [signed.partition(".")[0]], SIGNED)
    if (rules := part.session) is not None:
        if not rules.of_data:
            declared.each("session.given", rules.given, [source.name for source in part.inputs if source.of_model])
        declared.each("session.needs", rules.needs, names)
        declared.each("session.without", rules.without, names)
        declared.each("session.fixed", rules.fixed, options)
        declared.each("session.wants", rules.wants, names)
        for name, formats in rules.wants.items():
            declared.formats(f"session.wants[{name}]", formats.split())
    if (short := part.short_answers) is not None:
        declared.places(**{"short_answers.key": short.key})
    if (ask := part.ask) is not None:
        declared.places(**{"ask.function": ask.function, "ask.written": ask.written})
        declared.each("ask.skills", ask.skills, SKILLS)
        declared.each("ask.scored", ask.scored, options)
        _check_writes(declared, "ask", part, ask)
    if (study := part.study) is not None:
        declared.places(**{"study.function": study.function, "study.gather": study.gather})
        _check_writes(declared, "study", part, study)


def _check_writes(declared: _Declared, field: str, part: Part, way: Ask | Study) -> None:
    _check_inputs(declared, f"{field}.inputs", way.inputs)
    declared.each(f"{field}.writes", way.writes, _names(part.inputs))


def _check_inputs(declared: _Declared, field: str, inputs: Collection[Input]) -> None:
    by_name = {source.name: source for source in inputs}
    for source in inputs:
        declared.formats(f"{field}.{source.name}.formats", source.kinds)
        if source.read != PATH:
            declared.places(**{f"{field}.{source.name}.read": source.read})
        for relation in ("either", "together"):
            other = getattr(source, relation)
            declared.each(f"{field}.{source.name}.{relation}", filter(None, [other]), by_name)
            if other and getattr(by_name[other], relation) != source.name:
                back = f"{field}.{other}.{relation}"
                raise declared.wrong(back, getattr(by_name[other], relation), f"{source.name}, as it is there")


def _names(inputs: Iterable[Input]) -> list[str]:
    return [source.name for source in inputs]


def _options(part: Part | Ask | Study) -> list[str]:
    return [field.name for field in option_fields(part.options)]


def check_exam(exam: Exam) -> None:
    """Refuse an exam whose declaration is not consistent, or names functions that do not fit it."""
    check_declaration(exam)
    declared = _Declared(exam)
    _loaded(declared, "section", exam.section)
    if exam.hints:
        known = [source.name for of_model in (False, True) for source in exam.session_inputs(of_model, asked=True)]
        hints = _loaded(declared, "hints", exam.hints)()
        declared.each("hints", hints, known)
        for name, hint in hints.items():
            declared.formats(f"hints[{name}]", (*hint.only_with, *hint.providers))
            declared.each(f"hints[{name}].instead_of", filter(None, [hint.instead_of]), known)
    for table in exam.tables:
        _check_function(declared, f"tables[{table.numbers}].make", table.make, ["models"])
        if table.claims:
            claims = f"tables[{table.numbers}].claims"
            _check_function(declared, claims, table.claims, ["models", "groups", "seed"])
    for part in exam.parts:
        _check_places(_Declared(exam, part.name), part)


def _check_places(declared: _Declared, part: Part) -> None:
    outputs = [output.name for output in part.outputs]
    _check_function(
        declared, "function", part.function, [*_names(part.inputs), "options", "stages", *part.takes.split(), *outputs]
    )
    for name in ("views", "check", "caveats", "tables"):
        _loaded(declared, name, getattr(part, name))
    if part.measures:
        _loaded(declared, "measures", part.measures)
        keys = [measure.key.measure for measure in declared_measures(part.measures)]
        if (short := part.short_answers) is not None:
            _loaded(declared, "short_answers.key", short.key)
            declared.each("short_answers.share, short_answers.usual", filter(None, (short.share, short.usual)), keys)
        for key in keys:
            if keys.count(key) > 1:
                raise declared.wrong("measures", key, "there once")
    _check_readers(declared, part)
    if part.ask is not None:
        _check_function(declared, "ask.function", part.ask.function, [*_names(part.ask.inputs), "options", "interview"])
        _loaded(declared, "ask.written", part.ask.written)
        _check_readers(declared, part.ask)
    if part.study is not None:
        expected = [*_names(part.study.inputs), "options", "pictured"]
        _check_function(declared, "study.function", part.study.function, expected)
        _loaded(declared, "study.gather", part.study.gather)
        _check_readers(declared, part.study)


def _check_readers(declared: _Declared, part: Part | Ask | Study) -> None:
    for source in part.inputs:
        if source.read and source.read != PATH:
            _loaded(declared, f"inputs.{source.name}.read", source.read)
    for field in option_fields(part.options):
        _loaded(declared, f"options.{field.name}.provider", about(field).provider)


def _check_function(declared: _Declared, field: str, place: Place, expected: Iterable[str]) -> None:
    parameters = inspect.signature(_loaded(declared, field, place)).parameters
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return
    for name in expected:
        if name not in parameters:
            raise declared.wrong(field, f"no parameter `{name}`", f"a function that takes {', '.join(expected)}")
    for name, parameter in parameters.items():
        if name not in expected and parameter.default is inspect.Parameter.empty:
            raise declared.wrong(field, f"a parameter `{name}`", f"a function that needs {', '.join(expected)} alone")


def _loaded(declared: _Declared, field: str, place: Place) -> Any:
    """The object at a place."""
    if not place:
        return None
    try:
        return load(place)
    except (ImportError, AttributeError) as error:
        raise declared.wrong(field, place, f"where something is ({error})") from None

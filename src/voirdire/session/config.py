"""The config of a session: the data, the models' files and the options of each exam.

    output: results
    engine: processes:4
    data:    {EXAM: {KEY: FILE, …}, …, images: pictures, slices: labels.csv}
    models:  {NAME: {EXAM: {KEY: FILE, …}, …}, …}, or {NAME: {model: openai:…, key: VARIABLE, …}}
    options: {limit: N, seed: S, EXAM: {OPTION: VALUE, …}, …}

The keys are the inputs and the options of the parts that a session runs, as the exams declare them. Everything but
`models` may be left out. `limit` and `seed` are those of every exam that does not set its own. Paths are meant from the
folder of the config. The defaults of all options are the papers'. A model may be asked live (`live.settings`) for the
files that it does not bring; a function of Python's is not run because a config names it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any

import msgspec

from voirdire.errors import Problem, VoirDireError, shorten, shorten_text
from voirdire.exam import Ask, Exam, Part, exams
from voirdire.formats.files import open_source
from voirdire.formats.strict import UNKNOWN, Problems, attempt
from voirdire.live.settings import LiveOptions
from voirdire.options import LARGEST_SEED, MOST_IMAGES, About, Options, about, choices, named, option_fields, types_of
from voirdire.session.named_files import placed, spec_placed
from voirdire.session.yaml_places import Document, Places, read_yaml

Values = Mapping[str, Any]
"""By key: a text, several, or the value of an option."""

KEYS = ("output", "engine", "data", "models", "options")
IMAGES, SLICES = "images", "slices"
SHARED: dict[str, About] = {
    "limit": About("Take only so many images in every exam, with all that belongs to them.", least=1, most=MOST_IMAGES),
    "seed": About("Seed of the images that are taken, and of all other draws.", least=0, most=LARGEST_SEED),
}
"""Options of every exam that has them, unless it sets its own."""
LIVE = frozenset(field.name for field in option_fields(LiveOptions)) - {"trust"}
FILES_OF_LIVE = frozenset({"scenes", "template", "prices", "ca"})
CODE = "python:"
LONGEST = 200
"""Bytes of a model's name: file systems allow a folder's name some 255."""

_PATH = Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]
_PATHS = Annotated[tuple[_PATH, ...], msgspec.Meta(max_length=1000)]
_WORDS = {"object": "keys with values", "array": "a list", "str": "text", "int": "a whole number", "float": "a number"}
"""The words of a config for JSON's names of types."""

NO_SUCH_WORD = "Invalid enum value"
"""How msgspec's error begins where one of a list of words is expected."""

_INDEX = re.compile(r"\[\d+\]")
_NAME = re.compile(r"\w[\w .+@=-]*")


MODEL_NAME = f"letters, digits and . _ - + = @ or spaces, {LONGEST} bytes at most: runs go to a folder of this name"


def is_model_name(name: str) -> bool:
    """Whether a model may have this name."""
    return bool(_NAME.fullmatch(name)) and name == name.strip() and len(name.encode()) <= LONGEST


@dataclass(frozen=True)
class Config:
    """The config of a whole session; of each part only what is set.

    images  a folder or a zip of pictures, for live models and the report
    slices  a table of the user's own labels of items, for the report
    engine  where steps are run, as in `--engine`
    live    of live models: the fields of `LiveOptions`
    shared  options of all exams: `limit` and `seed`
    places  the lines of keys that were read from a file
    trust   what the call grants to it, as `VARIABLE@HOST`
    """

    models: Mapping[str, Mapping[str, Values]]
    data: Mapping[str, Values] = field(default_factory=dict)
    options: Mapping[str, Values] = field(default_factory=dict)
    images: str | None = None
    output: str | None = None
    places: Places = field(default_factory=Places)
    slices: str | None = None
    shared: Values = field(default_factory=dict)
    live: Mapping[str, Values] = field(default_factory=dict)
    engine: str | None = None
    trust: tuple[str, ...] = ()

    def over(self, slices: str | None = None, **shared: int | None) -> "Config":
        """The same with the options of a call, which go before those of the config."""
        given = {name: value for name, value in shared.items() if value is not None}
        options = {
            exam: {name: value for name, value in own.items() if name not in given}
            for exam, own in self.options.items()
        }
        return replace(
            self, slices=self.slices if slices is None else slices, shared={**self.shared, **given}, options=options
        )

    def of_model(self, model: str, exam: str) -> Values:
        """A model's files for an exam; empty where it has none."""
        return self.models[model].get(exam, {})


def session_parts(exam: Exam) -> list[Part]:
    """The parts that a session runs, and those that make what these read."""
    makers = [exam.part(how.part) for how in exam.makes.values()]
    return list({part.name: part for part in (*exam.in_session(), *makers)}.values())


def option_abouts(exam: Exam) -> dict[str, tuple[Any, Any, About]]:
    """The options of an exam by key: type, default and their description."""
    described: dict[str, tuple[Any, Any, About]] = {}
    for part in session_parts(exam):
        hints = types_of(part.options)
        fixed = part.session.fixed if part.session is not None else {}
        for option in option_fields(part.options):
            if option.name not in fixed:
                described.setdefault(named(option), (hints[option.name], option.default, about(option)))
    for part in exam.in_session():
        asking = Options if part.ask is None else part.ask.options
        for option in option_fields(asking):
            described.setdefault(named(option), (types_of(asking)[option.name], option.default, about(option)))
        if part.session is not None and part.session.of_data:
            described[part.name] = (bool, True, About(f"Whether `{part.name}` is run: {part.summary}"))
    return described


def options_for(config: Config, exam: Exam, part: Part | Ask) -> Any:
    """The options of one part, or of its interview, as the config has them."""
    given = {**config.shared, **config.options.get(exam.name, {})}
    chosen = {field.name: given[named(field)] for field in option_fields(part.options) if named(field) in given}
    fixed = part.session.fixed if isinstance(part, Part) and part.session is not None else {}
    scored = part.ask.scored if isinstance(part, Part) and part.ask is not None and config.live else {}
    return part.options(**{**scored, **chosen, **fixed})


def leaves(part: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values below a part of a config that are no parts themselves, each with the path of its key."""
    if not isinstance(part, Mapping):
        yield path, part
        return
    for name, value in part.items():
        yield from leaves(value, f"{path}.{name}" if path else name)


def texts(value: Any) -> tuple[str, ...]:
    """A value that is a text or several as a tuple; empty for any other."""
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()


def _struct(name: str, fields: Mapping[str, Any]) -> type[msgspec.Struct]:
    """A strict type with these keys, none of which has to be there."""
    declared = [(key, type_ | msgspec.UnsetType, msgspec.field(default=msgspec.UNSET)) for key, type_ in fields.items()]
    return msgspec.defstruct(name, declared, frozen=True, forbid_unknown_fields=True)


def _option_type(type_: Any, described: About) -> Any:
    if type_ not in (int, float) or (described.least, described.most, described.above) == (None, None, None):
        return type_
    if described.above is not None:
        return Annotated[type_, msgspec.Meta(gt=described.above, le=described.most)]
    return Annotated[type_, msgspec.Meta(ge=described.least, le=described.most)]


@cache
def _types() -> dict[str, type[msgspec.Struct]]:
    """The types of `data`, of one model, and of `options`."""
    data: dict[str, Any] = {}
    model: dict[str, Any] = {}
    options: dict[str, Any] = {}
    for exam in exams():
        for of_model, types in ((False, data), (True, model)):
            inputs = {
                source.name: _PATH | _PATHS if source.many else _PATH
                for source in exam.session_inputs(of_model, asked=True)
            }
            if of_model:
                inputs |= {source.name: _PATH | _PATHS if source.many else _PATH for source in exam.own_inputs()}
            types[exam.name] = _struct(f"{exam.name}_files", inputs)
        known = {key: _option_type(type_, described) for key, (type_, _, described) in option_abouts(exam).items()}
        options[exam.name] = _struct(f"{exam.name}_options", known)
    hints = types_of(LiveOptions)
    model |= {
        field.name: _option_type(hints[field.name], about(field))
        for field in option_fields(LiveOptions)
        if field.name in LIVE
    }
    return {
        "data": _struct("data", {**data, IMAGES: _PATH, SLICES: _PATH}),
        "model": _struct("model", model),
        "options": _struct(
            "options", {name: _option_type(int, described) for name, described in SHARED.items()} | options
        ),
    }


def _plain(value: Any) -> Any:
    """A struct as a mapping of what is set."""
    if not isinstance(value, msgspec.Struct):
        return value
    values = {name: getattr(value, name) for name in value.__struct_fields__}
    return {name: _plain(inner) for name, inner in values.items() if inner is not msgspec.UNSET}


def read_config(path: str | Path) -> Config:
    """Read a config; `output`, too, is then a path from the working folder."""
    source = open_source(path)
    document = read_yaml(source)
    value = document.value
    if not isinstance(value, dict) or not value:
        content = "nothing" if value is None or value == {} else shorten(value)
        raise source.fail("", "", content, f"the keys {', '.join(KEYS)}", "`voirdire init FOLDER` writes a config.")
    checked = _Checked(document)
    for key in value:
        if key not in KEYS:
            checked.problems.add("", shorten_text(key), shorten(value[key]), f"one of {', '.join(KEYS)}")
    data = dict(checked.part("data", _types()["data"]) or {})
    options = dict(checked.part("options", _types()["options"]) or {})
    checked.refuse_code(options, "options")
    shared = {name: options.pop(name) for name in SHARED if name in options}
    output, engine = checked.part("output", _PATH), checked.part("engine", str)
    if engine is not None:
        checked.refuse_engine(engine)
    models = checked.models()
    checked.check()
    folder = Path(source.name).parent
    images, slices = (data.pop(name, None) for name in (IMAGES, SLICES))
    files = {name: _in_place(given, folder) for name, given in models.items()}
    live = {name: _live_in_place(given, folder) for name, given in models.items() if "model" in given}
    return Config(
        models=files,
        data=_in_place(data, folder),
        options=_options_in_place(options, folder),
        images=None if images is None else placed(images, folder),
        output=None if output is None else placed(output, folder),
        places=document.places,
        slices=None if slices is None else placed(slices, folder),
        shared=shared,
        live=live,
        engine=engine,
    )


class _Checked:
    """The parts of a document in their types, and all that is wrong with them."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.problems = Problems(document.places.name)

    def refuse_engine(self, name: str) -> None:
        """Note an engine that does not exist."""
        from voirdire.engine import ENGINES

        try:
            ENGINES.make(name)
        except VoirDireError as error:
            self.problems.add(
                "",
                "engine",
                shorten(name),
                "here, processes:N or ray:ADDRESS",
                f"{str(error)[:1].upper()}{str(error)[1:]}.",
            )

    def part(self, path: str, type_: Any, value: Any = None) -> Any:
        """The part at this path; None where it is not there or is wrong."""
        value = _given(self.document.value.get(path) if value is None else value)
        if value is None:
            return None
        noted = len(self.problems.kept)
        checked = attempt(value, type_, "", self.problems)
        for place in range(noted, len(self.problems.kept)):
            inside = self.problems.kept[place].field
            field = path + (f".{inside}" if inside and not inside.startswith("[") else inside)
            self.problems.kept[place] = replace(
                self.problems.kept[place], field=field, expected=_expected(self.problems.kept[place], type_)
            )
        return _plain(checked)

    def models(self) -> dict[str, Any]:
        models = self.document.value.get("models")
        if not isinstance(models, dict) or not models:
            content = "nothing" if not models else shorten(models)
            self.problems.add("", "models", content, "one model or more, each with its files")
            return {}
        models_ = {}
        for name, value in models.items():
            path = f"models.{name}"
            if not is_model_name(name):
                self.problems.add("", shorten_text(path), shorten(name), MODEL_NAME)
            elif value is None:
                self.problems.add("", path, "nothing", "the model's files, by exam")
            elif (model := self.part(path, _types()["model"], value)) is not None:
                models_[name] = model
                self._check_live(path, model)
        return models_

    def _check_live(self, path: str, model: Values) -> None:
        """Note keys of a live model without `model`, and a model that is code."""
        stray = [key for key in model if key in LIVE and key != "model"]
        if stray and "model" not in model:
            self.problems.add("", f"{path}.{stray[0]}", "no model beside it", "`model`: the model that is asked")
        self.refuse_code(model.get("model"), f"{path}.model")

    def refuse_code(self, value: Any, path: str) -> None:
        """Note a value that would run a function of Python's, at any depth."""
        for inside, inner in leaves(value, path):
            if any(text.startswith(CODE) for text in texts(inner)):
                expected = "a model that is no code of Python's: name it in a call of `voirdire ask`"
                self.problems.add("", inside, shorten(inner), expected)

    def check(self) -> None:
        """Raise all problems, each with its line."""
        kept = self.problems.kept
        kept[:] = [
            problem if problem.where else replace(problem, where=self.document.places.where(problem.field))
            for problem in kept
        ]
        self.problems.check()


def _expected(problem: Problem, type_: Any) -> str:
    """What a problem expected, in the words of a config: of keys and of words from a list those that may be there."""
    wanted: Any = type_
    for name in _INDEX.sub("", problem.field).split("."):
        # A key that is not known may itself have a dot.
        fields = msgspec.structs.fields(type_) if hasattr(type_, "__struct_fields__") else ()
        inner = next((field.type for field in fields if field.name == name), None)
        wanted = wanted if inner is None else inner
        type_ = next(
            (each for each in (wanted, *getattr(wanted, "__args__", ())) if hasattr(each, "__struct_fields__")), type_
        )
    if problem.expected == UNKNOWN:
        return f"one of {', '.join(type_.__struct_fields__)}"
    if problem.expected.startswith(NO_SUCH_WORD):
        return f"one of {', '.join(map(str, choices(wanted)))}"
    words = [each for each in problem.expected.split(" | ") if each != "null"]
    return " or ".join(each.replace(kind := each.partition(" ")[0], _WORDS.get(kind, kind), 1) for each in words)


def _given(value: Any) -> Any:
    """The value without keys that have none: a key whose lines are all comments is not set."""
    if not isinstance(value, dict):
        return value
    return {key: _given(inner) for key, inner in value.items() if inner is not None}


def _in_place(files: Values, folder: Path) -> dict[str, dict[str, Any]]:
    """Files by exam and key with their paths from the working folder; a provider's are behind its name."""
    placed_files: dict[str, dict[str, Any]] = {}
    for exam in exams():
        inputs = {
            source.name: source for of_model in (False, True) for source in exam.session_inputs(of_model, asked=True)
        }
        given = files.get(exam.name)
        if given is None:
            continue
        placed_files[exam.name] = {
            key: _each(value, partial(spec_placed if inputs[key].is_provider else placed, folder=folder))
            for key, value in given.items()
        }
    return placed_files


def _live_in_place(given: Values, folder: Path) -> dict[str, Any]:
    """The settings of a live model, with the paths of its files from the working folder."""
    settings = {key: value for key, value in given.items() if key in LIVE}
    for key in FILES_OF_LIVE & settings.keys():
        path = placed(settings[key], folder)
        settings[key] = _template_placed(settings[key], folder) if key == "template" else path
    if "templates" in settings:
        names = (name for given in settings["templates"] for name in given.split(","))
        settings["templates"] = tuple(_template_placed(name, folder) for name in names)
    return {**settings, "model": spec_placed(settings["model"], folder)}


def _template_placed(name: str, folder: Path) -> str:
    """A template may be one of ours, by its name alone."""
    return path if Path(path := placed(name, folder)).exists() else name


def _options_in_place(options: Values, folder: Path) -> dict[str, dict[str, Any]]:
    placed_options: dict[str, dict[str, Any]] = {}
    for exam in exams():
        abouts = option_abouts(exam)
        placed_options[exam.name] = {
            key: _each(value, lambda spec: spec_placed(spec, folder)) if abouts[key][2].provider else value
            for key, value in options.get(exam.name, {}).items()
        }
    return {name: given for name, given in placed_options.items() if given}


def _each(value: Any, change: Any) -> Any:
    return change(value) if isinstance(value, str) else tuple(map(change, value))

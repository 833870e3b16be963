"""Every option of every verb has limits: none takes a number that no machine could do, or that is no number."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.engine import ENGINES
from voirdire.errors import UsageError
from voirdire.exam import Part, exams
from voirdire.live.settings import LiveOptions
from voirdire.models import TrainingSchedule
from voirdire.models.make_features import FeatureOptions
from voirdire.models.train_network import NetworkTraining
from voirdire.options import About, OptionError, Options, about, choices, needed, option_fields, types_of
from voirdire.questions.oracles import make_oracle
from voirdire.study.design import CollectOptions

pytestmark = pytest.mark.slow

NUMBERS = (int, float)
BEYOND = (10**30, -(10**30), 10**5000, float("inf"), float("-inf"), float("nan"), 1e400)


def parts() -> dict[str, Part]:
    """All parts by the words that call them."""
    return {f"{exam.name} {part.name}": part for exam in exams() for part in exam.parts}


def option_classes() -> dict[str, type[Options]]:
    """The options of all parts, how they are put to models, and those that are made of them."""
    asked = {f"ask {words}": part.ask.options for words, part in parts().items() if part.ask is not None}
    judged = {f"study {words}": part.study.options for words, part in parts().items() if part.study is not None}
    others: dict[str, type[Options]] = {
        **{"a training": TrainingSchedule, "ask": LiveOptions, "study": CollectOptions},
        **{"models features": FeatureOptions, "models train": NetworkTraining},
    }
    return {words: part.options for words, part in parts().items()} | asked | judged | others


def kind(type_: Any) -> type | None:
    """The type of a number, also of one that may be left out or given again; None for what is none."""
    if choices(type_):
        return None
    found = [one for one in (type_, *get_args(type_)) if one in NUMBERS]
    return found[0] if found else None


def numeric() -> Iterator[tuple[str, type[Options], str, About]]:
    """Every option that is a number: of which part, its class, its name, what it tells of itself."""
    for words, options in option_classes().items():
        for option in option_fields(options):
            if kind(types_of(options)[option.name]):
                yield words, options, option.name, about(option)


def filled(options: type[Options], **given: Any) -> Options:
    """The options with something that is allowed for all that has no default."""
    for option in option_fields(options):
        type_ = types_of(options)[option.name]
        if option.name not in given and needed(option):
            low = about(option).above if about(option).least is None else about(option).least
            given[option.name] = choices(type_)[0] if choices(type_) else (low or 0) + 1 if kind(type_) else "x"
    return options(**given)


def verbs(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Every verb below a group, made, with the words that call it."""
    for name, command in group.commands.items():
        made = command.make() if hasattr(command, "make") else command
        if hasattr(made, "commands"):
            yield from verbs(made, f"{before}{name} ")
        else:
            yield before + name, made


def test_every_number_among_the_options_of_a_part_has_a_least_and_a_most() -> None:
    found = list(numeric())
    assert len(found) > 50
    open_ = [f"{words}: {name}" for words, _, name, said in found if said.most is None or _low(said) is None]
    assert open_ == []


def _low(said: About) -> float | None:
    return said.above if said.least is None else said.least


def test_every_number_that_a_verb_of_no_exam_takes_has_a_least_and_a_most() -> None:
    seen, open_ = 0, []
    for words, verb in verbs(get_command(app)):
        own = {option.name for option in option_fields(parts()[words].options)} if words in parts() else set()
        if (group := words.partition(" ")[0]) in ("ask", "models", "study"):
            kinds = [kind_ for name, kind_ in option_classes().items() if name.partition(" ")[0] == group]
            own = {option.name for kind_ in kinds for option in option_fields(kind_)}
        for parameter in verb.params:
            if parameter.name in own or not kind(parameter.type_descriptor.annotation):
                continue
            seen += 1
            if parameter.min is None or parameter.max is None:
                open_.append(f"{words}: {parameter.name}")
    assert seen > 10
    assert open_ == []


def test_the_help_tells_the_limits() -> None:
    plain = {"COLUMNS": "200", "TERM": "dumb", "NO_COLOR": "1"}
    shown = CliRunner().invoke(app, ["robustness", "rank", "--help"], env=plain).stdout
    assert "How many neighbours to keep. From 1 to 10,000." in shown
    assert "Above 0, at most 1,000,000." in shown


@pytest.mark.parametrize("beyond", BEYOND, ids=lambda value: str(value)[:9] if isinstance(value, float) else "digits")
def test_a_number_beyond_all_limits_is_refused_by_every_option(beyond: float) -> None:
    for words, options, name, _ in numeric():
        with pytest.raises(OptionError) as error:
            filled(options, **{name: beyond})
        assert error.value.field == name, words
        assert len(str(error.value)) < 300


def test_texts_and_lists_may_be_so_long_and_no_longer() -> None:
    options = parts()["answers score"].options
    with pytest.raises(OptionError, match="`idf` must have at most 10,000 characters, got 10,001"):
        filled(options, idf="x" * 10_001)
    with pytest.raises(OptionError, match="`encoder` must have at most 1,000 values, got 1,001"):
        filled(options, encoder=("minilm",) * 1001)
    with pytest.raises(OptionError, match=r"`idf` must not hold a zero byte, got 'file:a\\x00b'"):
        filled(options, idf="file:a\0b")


@pytest.mark.parametrize("number", ["0", "-1", "1025", "9" * 5000, "1e3", "", "٣"])
def test_the_number_of_processes_has_limits(number: str) -> None:
    with pytest.raises(UsageError, match="from 1 to 1,024, as in processes:4, got"):
        ENGINES.make(f"processes:{number}")


@pytest.mark.parametrize(
    "words",
    [
        ["world", "{new}", "--scenes", "1000000000"],
        ["world", "{new}", "--seed", "-1"],
        ["world", "{new}", "--seed", "1" + "0" * 30],
        ["world", "{new}", "--seed", "9" * 5000],
        ["world", "answer", "--witness", "blind", "--questions", "q.json", "-o", "{new}", "--seed", "-1"],
        ["world", "answer", "--witness", "blind", "--questions", "q.json", "-o", "{new}", "--k", "1000000000"],
        ["world", "play", "--witness", "keen", "--games", "g.jsonl", "-o", "{new}", "--max-questions", "1000000000"],
        ["exam", "--world", "{new}", "-o", "{new}", "--workers", "1000000000"],
        ["compare", "a", "b", "--seed", "1" + "0" * 30],
        ["plan", "a", "--half-width", "inf"],
        ["plan", "a", "--half-width", "-1"],
        ["plan", "a", "--difference", "1e400"],
        ["plan", "a", "--difference", "1", "--power", "2"],
        ["validate", "a", "--round-base", "7"],
        ["answers", "train", "--dialogues", "a", "-o", "{new}.npz", "--ridge", "inf"],
        ["answers", "train", "--dialogues", "a", "-o", "{new}.npz", "--ridge", "nan"],
        ["robustness", "perturb", "--ranking", "a", "--questions", "a", "-o", "{new}.json", "--max-words", "-1"],
    ],
)
def test_a_verb_refuses_what_is_beyond_its_limits_at_once(words: list[str], tmp_path: Any) -> None:
    done = CliRunner().invoke(app, [word.format(new=tmp_path / "new") for word in words])
    assert done.exit_code == 2 or isinstance(done.exception, UsageError)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["world", "play", "--witness", "1e3", "--games", "g", "-o", "{new}"],
            "--witness: there is no questioner '1e3'",
        ),
        (["robustness", "r-score", "--clean", "60", "--noisy", "50", "--output="], "--output must name something"),
        (["compare", "", "{new}"], "RUNS must name something, got an empty name"),
    ],
)
def test_what_is_wrong_with_a_call_is_said_with_its_flag(words: list[str], said: str, tmp_path: Any) -> None:
    done = CliRunner().invoke(app, [word.format(new=tmp_path / "new") for word in words])
    assert said in f"{done.exception}"


@pytest.mark.parametrize("name", ["model", "table", "scenes"])
def test_an_oracle_without_its_file_is_said_with_its_flag(name: str) -> None:
    with pytest.raises(UsageError, match=f"^`oracle` {name}: needs "):
        make_oracle(f"{name}:")

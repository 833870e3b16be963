"""What an exam declares: every name leads somewhere, every format can be read, every measure tells of itself."""

from dataclasses import dataclass, fields, replace

import polars as pl
import pytest

from voirdire._version import __version__
from voirdire.exam import Ask, Exam, Input, InSession, Made, Part, exams, exams_reading, is_absent, load, present
from voirdire.formats.catalogue import formats
from voirdire.metrics.measure import Measure
from voirdire.options import LimitOptions, Options, about, named, option, option_fields
from voirdire.report.methods import citations

PARTS = [(exam, part) for exam in exams() for part in exam.parts]
EVERY = pytest.mark.parametrize(("exam", "part"), PARTS, ids=[f"{exam.name}-{part.name}" for exam, part in PARTS])


def measures(part: Part) -> tuple[Measure, ...]:
    found = load(part.measures) if part.measures else ()
    return tuple(found() if callable(found) else found)


@EVERY
def test_every_name_leads_somewhere(exam: Exam, part: Part) -> None:
    for one in option_fields(part.options):
        if about(one).provider:
            assert hasattr(load(about(one).provider), "check")


@EVERY
def test_inputs_name_formats_that_can_be_read_and_serve_the_exam(exam: Exam, part: Part) -> None:
    known = {format_.name for format_ in formats()}
    for input_ in part.inputs:
        for name in input_.kinds:
            assert name in known
            assert exam.name in exams_reading(name)


@EVERY
def test_options_and_inputs_say_what_they_are_for_and_have_names_of_their_own(exam: Exam, part: Part) -> None:
    said = [about(one).help for one in option_fields(part.options)]
    said += [one.help for one in (*part.inputs, *part.outputs)]
    assert all(text.endswith((".", "…")) for text in said), [text for text in said if not text.endswith((".", "…"))]
    names = [named(field_) for field_ in fields(part.options)] + [one.name for one in (*part.inputs, *part.outputs)]
    assert len(set(names)) == len(names)


@EVERY
def test_measures_tell_of_themselves(exam: Exam, part: Part) -> None:
    if part.makes != "run":
        return
    found = measures(part)
    assert found, "a run's measures are declared"
    for one in found:
        assert one.label
        assert one.description, one.name
        assert not one.work or one.work in citations(), one.citation


def test_keys_of_a_config_are_each_of_the_data_or_of_the_model() -> None:
    for exam in exams():
        data, model = ({input_.name for input_ in exam.session_inputs(of)} for of in (False, True))
        assert not data & model


def test_a_name_with_braces_stands_for_as_many_files_as_are_numbered() -> None:
    one = Input("noisy", "Answers.", many=3)
    assert one.files("p{}.json") == ["p1.json", "p2.json", "p3.json"]
    assert one.files(("a.json", "b{}.json")) == ["a.json", "b1.json", "b2.json", "b3.json"]
    assert one.files(None) == []
    assert Input("games", "Games.").files("odd{}.json") == ["odd{}.json"]


def test_only_files_of_rounds_are_joined_and_only_where_several_may_be_given() -> None:
    assert Input("references", "Sets.", "references", many=True).joined
    assert not Input("references", "Sets.", "references").joined
    assert not Input("games", "Games.", "guesswhat", many=True).joined
    assert not Input("references", "Sets.", "references", read="path", many=True).joined
    assert not Input("names", "Names.", many=True).joined


@pytest.mark.parametrize(
    ("flag", "name", "metavar"),
    [("", "--round-base", "FILE"), ("--with", "--with", "FILE"), ("--run RUN", "--run", "RUN"), ("RUN", "", "RUN")],
)
def test_how_an_input_stands_in_a_call(flag: str, name: str, metavar: str) -> None:
    one = Input("round_base", "A file.", flag=flag)
    assert (one.flag_name, one.metavar) == (name, metavar)


def test_nothing_is_given_by_nothing_and_by_empty_texts_and_lists() -> None:
    assert all(map(is_absent, (None, "", [], ())))
    assert not any(map(is_absent, (0, False, "a", ["a"], ("a",), {})))
    assert present(a=1, b=(), c=None, d="") == {"a": 1}


@dataclass(frozen=True)
class Choices(LimitOptions):
    """With a seed, as whatever draws has."""

    seed: int = option(4, "A seed.")


CLEAN = Input("clean", "Answers.", needed=True, of_model=True)
NOISY = Input("noisy", "Answers.", of_model=True)
NOISE = Input("noise", "Questions.", needed=True, together="noisy")
WORDS = Input("words", "Words.", needed=True)
SCORE = Part("score", "Score.", print, inputs=(CLEAN, NOISY, NOISE, WORDS), options=Choices)
MAKE = Part("make", "Make.", print, inputs=(Input("plain", "Questions.", "references", needed=True),))
IN_SESSION = replace(SCORE, session=InSession(given=("clean", "noisy"), unless=("odd",)))
TASTE = Exam("taste", "Is it good?", (), (IN_SESSION, MAKE), "Taste.", makes={"noise": Made("make", {"plain": "base"})})


def test_a_session_runs_a_part_for_any_of_its_files_unless_another_part_does() -> None:
    rules = InSession(given=("clean", "noisy"), unless=("odd", "even"))
    assert rules.applies_to(["clean"])
    assert rules.applies_to(["noisy", "more"])
    assert not rules.applies_to(["more"])
    assert not rules.applies_to(["clean", "even"])
    assert not replace(rules, of_data="references").applies_to(["clean"])


def test_a_session_may_need_more_and_leave_inputs_out() -> None:
    part = replace(SCORE, session=InSession(given=("clean",), needs=("noisy",), without=("words",)))
    assert {input_.name: input_.needed for input_ in part.session_inputs()} == {
        "clean": True,
        "noisy": True,
        "noise": True,
    }
    assert SCORE.session_inputs() == SCORE.inputs


def test_what_a_session_makes_of_files_may_be_given_by_these() -> None:
    keys = {input_.name: input_ for input_ in TASTE.session_inputs(of_model=False)}
    assert list(keys) == ["base", "noise", "words"]
    # Without them nothing is made, which is no error; they go with what they are made for.
    assert (keys["base"].needed, keys["base"].together, keys["base"].formats) == (False, "noisy", "references")
    assert TASTE.sources_of(NOISE) == ("noise", "base")
    assert TASTE.sources_of(CLEAN) == ("clean",)
    assert [input_.name for input_ in TASTE.session_inputs(of_model=True)] == ["clean", "noisy"]


def test_what_models_are_asked_from_is_a_key_where_models_are_asked() -> None:
    ask = Ask(print, ("answer",), (Input("pictures", "Pictures."),), Options, {"clean": "clean.json"})
    exam = replace(TASTE, parts=(replace(IN_SESSION, ask=ask), MAKE))
    assert "pictures" not in {input_.name for input_ in exam.session_inputs(of_model=False)}
    assert "pictures" in {input_.name for input_ in exam.session_inputs(of_model=False, asked=True)}


def test_of_inputs_of_one_name_and_format_the_first_parts_stands_for_all() -> None:
    other = replace(SCORE, name="other", inputs=(replace(WORDS, help="Other words."), replace(CLEAN, formats="ranks")))
    found = [(input_.name, input_.formats, input_.help) for input_ in replace(TASTE, parts=(SCORE, other)).inputs()]
    assert found == [
        ("clean", "", "Answers."),
        ("noisy", "", "Answers."),
        ("noise", "", "Questions."),
        ("words", "", "Words."),
        ("clean", "ranks", "Answers."),
    ]


def test_a_run_is_signed_with_its_data_its_seed_and_what_changes_figures() -> None:
    items = pl.DataFrame({"x": [1]})
    run = TASTE.run(
        *("score", Choices(seed=9), items, {}, {"words": "ab"}),
        outputs={"clean": "cd"},
        changing={"top": 3},
        encoder="static",
        warnings=["so"],
    )
    assert run.signature.flat() == {
        "version": __version__,
        "data.words": "ab",
        "encoder": "static",
        "seed": 9,
        "options.top": 3,
    }
    assert run.fingerprints == {"words": "ab", "clean": "cd"}
    assert (run.title, run.options, run.warnings) == ("taste score", {"limit": None, "seed": 9}, ("so",))
    assert TASTE.run("make", Options(), items, {}, {}).signature.seed is None

"""Typing errors in a declaration: each is one line with the exam, the part, the field and what may stand there."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from voirdire.exam import (
    Ask,
    DeclarationError,
    Differ,
    Exam,
    Hint,
    Input,
    InSession,
    Made,
    Part,
    Study,
    check_exam,
    exams,
)
from voirdire.exam.check import check_declaration
from voirdire.metrics.ranks import MRR
from voirdire.options import Options, option
from voirdire.runs import Run


@dataclass(frozen=True)
class Choices(Options):
    most: int = option(3, "Words.", least=1, most=9)


def score(answers: object, sets: object, options: Choices, stages: object) -> Run:
    raise NotImplementedError


def ask(options: Options, interview: object) -> None: ...


def hints() -> dict[str, Hint]:
    return {"answers": Hint(called=("said",))}


ANSWERS = Input("answers", "Answers.", "generations", needed=True, of_model=True, together="sets")
SETS = Input("sets", "Sets.", "references", together="answers")
PART = Part(
    "score",
    "Score.",
    score,
    inputs=(ANSWERS, SETS),
    options=Choices,
    session=InSession(given=("answers",), wants={"sets": "generations"}, fixed={"most": 2}),
    ask=Ask(ask, ("answer",), (), Options, {"answers": "answers.json"}),
    differ={"data.sets": Differ()},
)
EXAM = Exam("taste", "Is it good?", (), (PART,), "Taste.", hints=hints, context=("visdial",))
Change = Callable[[Part], Part]


def of(change: Change) -> Exam:
    return replace(EXAM, parts=(change(PART),))


def test_a_sound_declaration_is_taken() -> None:
    check_exam(EXAM)


@pytest.mark.slow
@pytest.mark.parametrize("exam", exams(), ids=[exam.name for exam in exams()])
def test_the_declarations_of_ours_are_sound(exam: Exam) -> None:
    check_exam(exam)


NAMES: dict[str, tuple[Change, str]] = {
    "an input of a session": (
        lambda part: replace(part, session=InSession(given=("answer",))),
        "exam `taste`, part `score`: `session.given` has 'answer'; it must be one of answers",
    ),
    "an option that a session sets": (
        lambda part: replace(part, session=InSession(given=("answers",), fixed={"moost": 2})),
        "`session.fixed` has 'moost'; it must be one of most",
    ),
    "an input that a session needs": (
        lambda part: replace(part, session=InSession(given=("answers",), needs=("set",))),
        "`session.needs` has 'set'; it must be one of answers, sets",
    ),
    "a format": (
        lambda part: replace(part, inputs=(replace(ANSWERS, formats="generation"), SETS)),
        "`inputs.answers.formats` has 'generation'; it must be one of visdial, ",
    ),
    "a relation": (
        lambda part: replace(part, inputs=(replace(ANSWERS, together="repeated"), SETS)),
        "`inputs.answers.together` has 'repeated'; it must be one of answers, sets",
    ),
    "a relation one way": (
        lambda part: replace(part, inputs=(ANSWERS, replace(SETS, together=""))),
        "`inputs.sets.together` has ''; it must be answers, as it is there",
    ),
    "a place without a name": (
        lambda part: replace(part, views="voirdire.answers.views"),
        "`views` has 'voirdire.answers.views'; it must be a place, as in package.module:name",
    ),
    "what the function takes": (
        lambda part: replace(part, takes="engines"),
        "`takes` has 'engines'; it must be one of engine, overwrite, work",
    ),
    "what it makes": (
        lambda part: replace(part, makes="runs"),
        "`makes` has 'runs'; it must be one of run, value, lines",
    ),
    "a skill": (
        lambda part: replace(part, ask=Ask(ask, ("answers",), (), Options, {})),
        "`ask.skills` has 'answers'; it must be one of answer, rank, ask, guess, point, judge, states",
    ),
    "what asking writes": (
        lambda part: replace(part, ask=Ask(ask, ("answer",), (), Options, {"answer": "answers.json"})),
        "`ask.writes` has 'answer'; it must be one of answers, sets",
    ),
    "a part of a signature": (
        lambda part: replace(part, differ={"date.sets": Differ()}),
        "`differ` has 'date'; it must be one of data, options",
    ),
    "a relation one way, of two that exclude each other": (
        lambda part: replace(part, inputs=(replace(ANSWERS, together="", either="sets"), replace(SETS, together=""))),
        "`inputs.sets.either` has ''; it must be answers, as it is there",
    ),
    "a name that no verb can have": (
        lambda part: replace(part, name="score it"),
        "`parts` has 'score it'; it must be a name of small letters, digits, - and _",
    ),
    "the format of a model's file that wants another": (
        lambda part: replace(part, session=InSession(given=("answers",), wants={"sets": "generation"})),
        "`session.wants[sets]` has 'generation'; it must be one of",
    ),
    "an input that another part is run for": (
        lambda part: replace(part, session=InSession(given=("answers",), unless=("sets",))),
        "`session.unless` has 'sets'; it must be one of answers",
    ),
    "what a study writes": (
        lambda part: replace(part, study=Study(ask, (), Options, ask, {"judgements": "judged.csv"}, "")),
        "`study.writes` has 'judgements'; it must be one of answers, sets",
    ),
    "an input that is there twice": (
        lambda part: replace(part, inputs=(ANSWERS, SETS, SETS)),
        "`inputs, options, outputs` has 'sets'; it must be there once",
    ),
}


@pytest.mark.parametrize("what", NAMES)
def test_a_name_that_is_not_there_is_refused_when_the_exam_is_registered(what: str) -> None:
    change, message = NAMES[what]
    with pytest.raises(DeclarationError) as caught:
        check_declaration(of(change))
    assert message in str(caught.value)


def no_sets(answers: object, options: Choices, stages: object) -> Run:
    raise NotImplementedError


def one_more(answers: object, sets: object, scale: object, options: Choices, stages: object) -> Run:
    raise NotImplementedError


DEEP: dict[str, tuple[Change, str]] = {
    "a module": (
        lambda part: replace(part, function="voirdire.answer.score:score"),
        "`function` has 'voirdire.answer.score:score'; it must be where something is (No module named",
    ),
    "a name in a module": (
        lambda part: replace(part, measures="voirdire.answers.views:MEASURE"),
        "`measures` has 'voirdire.answers.views:MEASURE'; it must be where something is",
    ),
    "a parameter that lacks": (lambda part: replace(part, function=no_sets), "`function` has 'no parameter `sets`'"),
    "a parameter too many": (lambda part: replace(part, function=one_more), "`function` has 'a parameter `scale`'"),
    "a measure that is there twice": (
        lambda part: replace(part, measures=(MRR, MRR)),
        "`measures` has 'mrr'; it must be there once",
    ),
    "a reader": (
        lambda part: replace(part, inputs=(replace(ANSWERS, read="voirdire.formats.files:red"), SETS)),
        "`inputs.answers.read` has 'voirdire.formats.files:red'",
    ),
}


@pytest.mark.parametrize("what", DEEP)
def test_a_place_that_leads_nowhere_is_refused_by_the_whole_check(what: str) -> None:
    change, message = DEEP[what]
    check_declaration(of(change))
    with pytest.raises(DeclarationError) as caught:
        check_exam(of(change))
    assert message in str(caught.value)
    assert "exam `taste`, part `score`" in str(caught.value)


def test_hints_are_of_inputs_that_a_session_knows() -> None:
    with pytest.raises(DeclarationError, match="exam `taste`: `hints` has 'answer'; it must be one of sets, answers"):
        check_exam(replace(EXAM, hints=lambda: {"answer": Hint()}))


def test_a_context_is_of_known_formats() -> None:
    with pytest.raises(DeclarationError, match="exam `taste`: `context` has 'dialogs'; it must be one of visdial"):
        check_declaration(replace(EXAM, context=("dialogs",)))


def test_a_function_may_take_more_that_has_a_default_or_whatever_comes() -> None:
    def more(answers: object, sets: object, options: Choices, stages: object, scale: float = 1.0) -> Run:
        raise NotImplementedError

    def whatever(options: Choices, **given: object) -> Run:
        raise NotImplementedError

    for function in (more, whatever):
        check_exam(of(lambda part, function=function: replace(part, function=function)))  # type: ignore[misc]


def test_a_part_that_is_of_the_data_is_run_for_the_files_of_models_of_other_parts() -> None:
    bounds = replace(PART, name="bounds", inputs=(replace(SETS, together=""),), ask=None, differ={}, function=score)
    rules = InSession(given=("answers",), of_data="references")
    check_declaration(replace(EXAM, parts=(PART, replace(bounds, session=rules))))
    with pytest.raises(DeclarationError, match=r"`bounds`: `session.given` has 'ranks'; it must be one of answers"):
        check_declaration(replace(EXAM, parts=(PART, replace(bounds, session=replace(rules, given=("ranks",))))))


def test_an_input_is_of_the_model_in_all_parts_or_of_the_data_in_all() -> None:
    ours = replace(ANSWERS, of_model=False, together="")
    other = replace(PART, name="other", inputs=(ours, replace(SETS, of_model=True, together="")), ask=None)
    other = replace(other, session=InSession(given=("sets",)))
    with pytest.raises(DeclarationError, match=r"`parts` has '(answers|sets)'; it must be of the model in all parts"):
        check_declaration(replace(EXAM, parts=(PART, other)))


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (Made("make", {"answers": "base"}), ""),
        (Made("bake", {"answers": "base"}), r"`makes\[sets\].part` has 'bake'; it must be one of score, make"),
        (Made("make", {"answer": "base"}), r"`makes\[sets\].inputs` has 'answer'; it must be one of answers, sets"),
        (Made("make", {"answers": "base"}, {"least": 1}), r"`makes\[sets\].fixed` has 'least'; it must be one of most"),
    ],
)
def test_what_a_session_makes_is_made_by_a_part_of_its_inputs_and_options(made: Made, message: str) -> None:
    exam = replace(EXAM, parts=(PART, replace(PART, name="make", session=None)), makes={"sets": made})
    if not message:
        check_declaration(exam)
        return
    with pytest.raises(DeclarationError, match=message):
        check_declaration(exam)


def test_a_hint_stands_for_another_input_that_there_is() -> None:
    check_exam(replace(EXAM, hints=lambda: {"sets": Hint(instead_of="answers")}))
    with pytest.raises(DeclarationError, match=r"`hints\[sets\].instead_of` has 'answer'; it must be one of sets"):
        check_exam(replace(EXAM, hints=lambda: {"sets": Hint(instead_of="answer")}))

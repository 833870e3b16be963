"""Every rule on its own examples, the order of the rules, and what becomes of a round in the end."""

from collections.abc import Sequence

import pytest

from voirdire.scorekeeping.propositions.deriving import NAMES, RULES, derive, explain
from voirdire.scorekeeping.propositions.rule import Example, Rule, read_exchange
from voirdire.scorekeeping.propositions.selection import why_dropped
from voirdire.text.tagging import UNIVERSAL, HanTa, Token
from voirdire.text.tokens import treebank

CASES = [(rule, example) for rule in RULES for example in rule.examples]


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return HanTa()


def test_there_are_34_rules_of_different_names() -> None:
    assert len(NAMES) == len(set(NAMES)) == 34
    assert NAMES[:4] == ("caption", "what_color", "can_you_see", "there")
    assert NAMES[-3:] == ("verb_pron_adj", "verb_pron_obj", "pron_prep")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_rule_has_five_examples_some_of_which_it_must_not_match(rule: Rule) -> None:
    assert len(rule.examples) >= 5
    assert sum(example.yields is not None for example in rule.examples) >= 2
    assert any(not example.matches for example in rule.examples)


@pytest.mark.parametrize(("rule", "example"), CASES, ids=lambda one: getattr(one, "question", getattr(one, "name", "")))
def test_an_example(rule: Rule, example: Example, hanta: HanTa) -> None:
    derived = rule.apply(read_exchange(example.question, example.answer, hanta, example.resolved))
    assert (derived is not None) == example.matches
    if derived is None:
        assert example.yields is None
        return
    pair = derived.pair
    dropped = pair is not None and why_dropped(pair)
    assert (None if pair is None or dropped else (pair.entailment, pair.contradiction)) == example.yields
    assert (pair is None) == bool(derived.reason)


@pytest.mark.parametrize(("rule", "example"), CASES, ids=lambda one: getattr(one, "question", getattr(one, "name", "")))
def test_the_order_gives_each_round_to_the_rule_that_it_is_an_example_of(
    rule: Rule, example: Example, hanta: HanTa
) -> None:
    outcome = derive(read_exchange(example.question, example.answer, hanta, example.resolved))
    if example.yields is not None:
        assert outcome.pair is not None
    if example.matches and rule.reads != "answer":
        assert outcome.rule == rule.name


@pytest.mark.parametrize(
    ("question", "answer", "rule", "reason"),
    [
        ("is there a barn", "i can't tell", None, "the answer starts with an expression of not knowing"),
        ("how tall is the barn", "very", None, "no rule matches"),
        ("are there hens", "a duck", "there", "the answer says neither yes nor no"),
        ("is the barn old", "a bit", "is_noun_adj", "the answer says neither yes nor no"),
    ],
)
def test_why_a_round_yields_nothing(question: str, answer: str, rule: str | None, reason: str, hanta: HanTa) -> None:
    outcome = explain(question, answer, hanta)
    assert (outcome.rule, outcome.pair, outcome.reason) == (rule, None, reason)


def test_what_a_rule_yields_may_be_dropped(hanta: HanTa) -> None:
    outcome = explain("does this look old", "no", hanta)
    assert outcome.pair is not None
    assert (outcome.rule, outcome.pair.entailment) == ("look_adj", "this does not look old.")
    assert outcome.dropped == "the pronoun this"
    assert explain("is the barn old", "no", hanta).dropped == ""


def test_a_single_noun_for_an_answer_comes_last(hanta: HanTa) -> None:
    outcome = explain("what is on the roof", "owls", hanta)
    assert outcome.rule == "noun_"
    assert outcome.pair is not None
    assert (outcome.pair.entailment, outcome.pair.qa_fact) == ("there are owls.", "positive")
    assert explain("what color is the roof", "owls", hanta).rule == "what_color"
    assert explain("how many owls are on it", "two owls", hanta).rule is None


def test_case_marks_and_curly_quotes_do_not_matter(hanta: HanTa) -> None:
    outcome = explain("Is the  Gate open?", "No, it’s not.", hanta)
    assert outcome.pair is not None
    assert outcome.pair.entailment == "the gate is not open."


@pytest.mark.parametrize(
    "text", ["", " ", "?", "any", "is", "is there", "do you see", "what color is", "'s", "🦉 ?!", "1"]
)
def test_nothing_makes_the_rules_fail(text: str, hanta: HanTa) -> None:
    for answer in ("yes", "no", "", "red", text):
        outcome = explain(text, answer, hanta)
        assert outcome.pair is None or outcome.pair.entailment.endswith(".")


class OneTag:
    """A tagger that knows one part of speech."""

    def __init__(self, pos: str) -> None:
        self.name, self._pos = pos, pos

    def tag(self, sentence: str | Sequence[str]) -> list[Token]:
        words = treebank(sentence) if isinstance(sentence, str) else sentence
        return [Token(word, self._pos, word) for word in words]


@pytest.mark.parametrize("pos", sorted(UNIVERSAL))
def test_any_tagger_will_do_even_a_poor_one(pos: str) -> None:
    for rule in RULES:
        for example in rule.examples:
            outcome = explain(example.question, example.answer, OneTag(pos), example.resolved)
            assert outcome.rule is None or outcome.rule in NAMES
    told = explain("is it sunny", "yes", OneTag(pos))
    assert told.pair is not None
    assert told.pair.entailment == "it is sunny."

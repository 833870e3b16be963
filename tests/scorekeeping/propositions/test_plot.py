"""Figures 2, 5 and 6: what is drawn, counted by hand."""

from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.scorekeeping.exam import PlotPropositionsOptions
from voirdire.scorekeeping.propositions.plot import proposition_drawing


def said(text: str, turn: int) -> Proposition:
    return Proposition(text, 1, turn, "there", None)


SET = PropositionSet("val", "made", {0: (said("a.", 0), said("b.", 2), said("b.", 2)), 4: (said("b.", 3),)})


def drawn(figure: str, *sets: PropositionSet) -> dict[tuple[str, int], float]:
    made = proposition_drawing(sets or (SET,), PlotPropositionsOptions(figure, common=3))  # type: ignore[arg-type]
    return {(one["series"], one["at"]): one["share"] for one in made["data"]["values"] if one["share"]}


def test_propositions_by_turn() -> None:
    assert drawn("turns") == {("val", 0): 25, ("val", 2): 50, ("val", 3): 25}


def test_dialogues_by_turns_used() -> None:
    assert drawn("used") == {("val", 1): 50, ("val", 2): 50}


def test_common_sentences() -> None:
    assert drawn("sentences") == {("b.", 2): 100 * 2 / 3, ("b.", 3): 100 / 3}


def test_files_of_one_split_are_told_apart() -> None:
    assert {series for series, _ in drawn("turns", SET, SET)} == {"propositions 1", "propositions 2"}

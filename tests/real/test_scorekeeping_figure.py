"""Figure 10 of the paper: four dialogues, every proposition and every "none" of their rounds."""

from collections.abc import Callable

import pytest

from voirdire.scorekeeping.propositions.deriving import explain
from voirdire.scorekeeping.propositions.existence import caption_pairs
from voirdire.scorekeeping.propositions.rewriting import rewrite
from voirdire.scorekeeping.propositions.rule import RuleOutcome
from voirdire.text.coreference import resolver
from voirdire.text.tagging import HanTa, tagger

pytestmark = pytest.mark.slow

ROUNDS = 10

Figure = list[tuple[str, list[str], list[tuple[str, str, list[str]]]]]


@pytest.fixture(scope="module")
def figure(paper: Callable[[str], str]) -> Figure:
    """Caption, what is said of it, and (question, answer, what is said of them) of each dialogue."""
    # The figure stands between the last table and its own caption.
    printed = paper("scorekeeping").split("\nTable 9:")[1].split("\nFigure 10:")[0]
    _, *lines = [line.strip() for line in printed.splitlines() if line.strip()]
    found: Figure = []
    while lines:
        line, said = lines.pop(0), [lines.pop(0)]
        if said == ["none"]:
            said = []
        else:
            said.append(lines.pop(0))
        question, mark, answer = line.partition("? ")
        if mark:
            found[-1][2].append((question, answer, said))
        else:
            found.append((line, said, []))
    return found


@pytest.fixture(scope="module")
def hanta() -> HanTa:
    return tagger("hanta")  # type: ignore[return-value]


def test_the_figure_is_read_whole(figure: Figure) -> None:
    assert [len(rounds) for _, _, rounds in figure] == [ROUNDS] * 4
    assert sum(bool(said) for _, _, rounds in figure for *_, said in rounds) == 26
    assert all(len(said) in (0, 2) for _, _, rounds in figure for *_, said in rounds)


@pytest.mark.parametrize("name", ["rules", "none"])
def test_every_round_says_what_the_figure_says(figure: Figure, hanta: HanTa, name: str) -> None:
    for caption, _, rounds in figure:
        after = rewrite(caption, [(question, answer) for question, answer, _ in rounds], hanta, resolver(name))
        for (question, answer, said), (resolved, _) in zip(rounds, after.rounds, strict=True):
            outcome = explain(question, answer, hanta, resolved)
            assert _sentences(outcome) == said, f"{question}? {answer} ({outcome})"


def test_the_captions_that_were_drawn_are_there(figure: Figure, hanta: HanTa) -> None:
    drawn = [(caption, said) for caption, said, _ in figure if said]
    assert len(drawn) == 1
    for caption, said in drawn:
        pairs = [[pair.entailment, pair.contradiction] for pair in caption_pairs(hanta.tag(caption.rstrip(".")))]
        assert said in pairs


def _sentences(outcome: RuleOutcome) -> list[str]:
    kept = outcome.pair if not outcome.dropped else None
    return [] if kept is None else [kept.entailment, kept.contradiction]

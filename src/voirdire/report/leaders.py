"""Who leads an exam, in one sentence, and who leads on each of its headline measures.

The model with the best figure leads where it differs from every other beyond chance: it is compared with each of them
on what both were asked, and p is at most 5 % after Holm's correction over all measures of all these comparisons. Models
that cannot be told from it are tied with it. A figure with a caveat leads nothing. The exam's first headline measure
that has a better side decides; of the others is said where somebody else leads.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from voirdire.errors import UsageError
from voirdire.figures import ALPHA, short, show_figure, show_p
from voirdire.section.content import Headline, Model, Section
from voirdire.verdict.comparison import Comparison, compare_runs

NAMED = 5
"""Measures that a sentence names; more are counted."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Who leads on one measure.

    measure  its key as a text
    best     the headlines of the best model and of those that are tied with it, best figure first
    behind   those that the best is ahead of beyond chance
    aside    those with a caveat, and those that could not be compared with the best, with the reason
    p        the largest p of those behind; of those that are tied the smallest
    few      whether there is too little to tell any two models apart
    """

    measure: str
    best: tuple[Headline, ...]
    behind: tuple[Headline, ...] = ()
    aside: tuple[tuple[Headline, str], ...] = ()
    p: float | None = None
    few: bool = False

    @property
    def leader(self) -> str:
        """The label of the model that leads alone; empty where none does."""
        return self.best[0].label if len(self.best) == 1 and self.behind else ""

    @property
    def tied(self) -> frozenset[str]:
        """The labels of the models that share the first place."""
        return frozenset(one.label for one in self.best) if len(self.best) > 1 else frozenset()


@dataclass(frozen=True, slots=True)
class ExamVerdict:
    """What is said of an exam: in a few words who leads, the sentence behind them, and what else should be known."""

    short: str
    text: str
    more: tuple[str, ...]
    leads: Mapping[str, Lead]

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The sentence in pieces, each with whether it is the name of a model."""
        return self._parted(self.text)

    @property
    def more_parts(self) -> list[tuple[str, bool]]:
        """The same of what else should be known."""
        return self._parted(" ".join(self.more))

    def _parted(self, text: str) -> list[tuple[str, bool]]:
        every = (
            one for lead in self.leads.values() for one in (*lead.best, *lead.behind, *(each for each, _ in lead.aside))
        )
        names = sorted({one.label for one in every}, key=len, reverse=True)
        pieces = re.split(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)", text) if names else [text]
        return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]

    @property
    def joined(self) -> bool:
        """Whether the sentence goes on from the few words: `A leads on …`."""
        return self.text.startswith("on ") and self.short.endswith(" leads")

    @property
    def sentence(self) -> str:
        """All of it in one."""
        return f"{self.short}{'' if self.joined else ':'} {self.text}"


class Verdicts:
    """Makes the verdicts; knows the runs, and the comparisons that were made already."""

    def __init__(self, models: Iterable[Model], made: Iterable[Sequence[Comparison]], seed: int) -> None:
        self._models = {model.key: model for model in models}
        self._seed = seed
        self._made: dict[tuple[str, ...], Sequence[Comparison]] = {}
        for family in made:
            labels = family[0].labels[0], *(one.labels[1] for one in family)
            self._made[family[0].title, *labels] = family

    def verdict(self, section: Section) -> ExamVerdict | None:
        """Of an exam; None where its headlines have no measure of which one side is better."""
        leads: dict[str, Lead] = {}
        for measure in dict.fromkeys(one.measure for one in section.headlines):
            same = self._of_one_part([one for one in section.headlines if one.measure == measure])
            if same and same[0].better != "neither":
                leads[measure] = self._lead(measure, same)
        if not leads:
            return None
        first, *others = leads.values()
        short_text, text = _sentence(first)
        if not first.leader and (led := next((one for one in others if one.leader), None)) is not None:
            text = f"{text} {_elsewhere(led)}"
            others.remove(led)
        return ExamVerdict(short_text, text, (*_further(first, others), *self._tally(first)), leads)

    def _tally(self, lead: Lead) -> list[str]:
        """Of two models, how many of all measures favour each, where some favour the one that does not lead."""
        if not lead.leader or len(lead.behind) > 1:
            return []
        ((other, compared),) = self._against(lead.best[0], lead.behind, [])
        favours = [
            (one.measure.label, (one.difference > 0) == (one.measure.better == "higher"))
            for one in compared.measures
            if one.difference and one.p_holm is not None and one.p_holm <= ALPHA and one.measure.better != "neither"
        ]
        for_other = [name for name, favoured in favours if favoured]
        if not for_other:
            return []
        named = f" ({name_list(for_other)})" if len(for_other) <= NAMED else ""
        return [
            f"Of all {len(compared.measures)} measures {len(favours) - len(for_other)} favour {lead.leader} and "
            f"{len(for_other)} {other.label}{named} beyond chance."
        ]

    def _of_one_part(self, headlines: Sequence[Headline]) -> list[Headline]:
        """Those with a figure, of the part of the exam that most models took: a measure may be in several parts."""
        known = [one for one in headlines if one.figure.value is not None]
        titles = [self._models[one.run].run.title for one in known]
        return [one for one, title in zip(known, titles, strict=True) if title == max(titles, key=titles.count)]

    def _lead(self, measure: str, same: Sequence[Headline]) -> Lead:
        aside = [(one, one.caveat) for one in same if one.caveat]
        sound = [one for one in same if not one.caveat]
        ranked = sorted(sound, key=lambda one: one.figure.value or 0.0, reverse=same[0].better == "higher")
        if len(ranked) < 2:
            return Lead(measure, tuple(ranked), aside=tuple(aside))
        best, *others = ranked
        tied, behind, few = [best], list[Headline](), True
        ps: dict[bool, list[float]] = {True: [], False: []}
        for one, compared in self._against(best, others, aside):
            found = next((each for each in compared.measures if each.measure.name == measure), None)
            if found is None:
                aside.append((one, f"{one.label} has no {measure} on what both were asked"))
                continue
            few = few and compared.least_p > ALPHA
            p = found.p_holm
            ahead = p is not None and p <= ALPHA and bool(found.difference)
            # On the units that both have, the other may turn out to be the better one.
            ahead = ahead and ((found.difference or 0.0) < 0) == (best.better == "higher")
            (behind if ahead else tied).append(one)
            if p is not None:
                ps[ahead].append(p)
        p = max(ps[True], default=None) if len(tied) == 1 else min(ps[False], default=None)
        return Lead(measure, tuple(tied), tuple(behind), tuple(aside), p, few and len(tied) > 1)

    def _against(
        self, best: Headline, others: Sequence[Headline], aside: list[tuple[Headline, str]]
    ) -> list[tuple[Headline, Comparison]]:
        """The best compared with each of the others, those that cannot be put aside with the reason."""
        kept = list(others)
        while kept:
            labels = [one.label for one in (best, *kept)]
            runs = [self._models[one.run].run for one in (best, *kept)]
            key = runs[0].title, *labels
            try:
                if key not in self._made:
                    self._made[key] = compare_runs(labels, runs, seed=self._seed, slices=False)
                return list(zip(kept, self._made[key], strict=True))
            except UsageError:
                for one in list(kept):
                    try:
                        compare_runs(
                            [best.label, one.label], [runs[0], self._models[one.run].run], slices=False, resamples=1
                        )
                    except UsageError as error:
                        kept.remove(one)
                        aside.append((one, str(error)))
        return []


def _sentence(lead: Lead) -> tuple[str, str]:
    """In a few words, and in a sentence."""
    if not lead.best:
        return "Nobody leads", f"every {_named(lead)} comes with a caveat."
    best, name = lead.best[0], _named(lead)
    if len(lead.best) == 1 and not lead.behind:
        told = f"{best.label} has {name} {_told(best)}"
        if lead.aside:
            return "Nobody can be compared", f"{told}; {'; '.join(why for _, why in lead.aside)}."
        return "No contest", f"{best.label} alone took this exam: {name} {_told(best)}."
    after = "" if lead.p is None else f" (p {_p(lead.p)} after Holm's correction)"
    if lead.leader:
        others = lead.behind
        against = f"{_told(best)} against {_told(others[0])} for {others[0].label}"
        rest = "" if len(others) == 1 else f", the best of the {len(others)} others"
        return f"{best.label} leads", f"on {name}: {against}{rest}, a significant lead{after}."
    figures = name_list([f"{one.label} ({_told(one)})" for one in lead.best])
    if _is_same(lead):
        same = f"{name_list([one.label for one in lead.best])} have the same {name}, {_told(best)}"
        return ("A tie" if not lead.behind else "A tie at the top"), f"{same}{_others_behind(lead)}."
    if lead.few:
        return "Too little to tell", f"on {name} there are too few items to tell {figures} apart."
    said = f"on {name}, {figures} do not differ beyond chance{after}"
    return ("Nobody leads: a tie" if not lead.behind else "A tie at the top"), f"{said}{_others_behind(lead)}."


def _is_same(lead: Lead) -> bool:
    """Whether the models at the top have one and the same figure."""
    return len({_told(one) for one in lead.best}) == 1 and lead.p in (None, 1.0)


def _others_behind(lead: Lead) -> str:
    if not lead.behind:
        return ""
    return f"; {lead.best[0].label} is ahead of {name_list([f'{one.label} ({_told(one)})' for one in lead.behind])}"


def _further(first: Lead, others: Sequence[Lead]) -> list[str]:
    """Who leads on the other headline measures, and whose figures come with a caveat."""
    said: list[str] = []
    if first.tied and all(one.tied == first.tied and _is_same(one) for one in (first, *others)):
        names = name_list([one.label for one in first.best])
        return [f"{names} are alike in every headline figure: are their files the same?"]
    too = [_named(one) for one in others if one.leader and one.leader == first.leader]
    if too:
        said.append(f"{first.leader} also leads on {name_list(too)}.")
    for lead in others:
        if lead.leader and lead.leader != first.leader:
            said.append(_elsewhere(lead))
        elif lead.tied:
            names = name_list([each.label for each in lead.best])
            said.append(f"On {_named(lead)} {names} are tied ({', '.join(map(_told, lead.best))}).")
    caveats: dict[tuple[str, str], list[str]] = {}
    for lead in (first, *others):
        for one, why in lead.aside:
            caveats.setdefault((one.label, why), []).append(f"{one.name or one.measure} ({_told(one)})")
    for (label, why), figures in caveats.items():
        said.append(f"{label} is not ranked by {name_list(figures)}: {why}.")
    return said


def _elsewhere(lead: Lead) -> str:
    """Who leads on another measure than the first."""
    figures = f"{_told(lead.best[0])} against {_told(lead.behind[0])} for {lead.behind[0].label}"
    return f"On {_named(lead)} {lead.leader} leads significantly ({figures})."


def _named(lead: Lead) -> str:
    """`mean rank (lower is better)`."""
    one = next(iter((*lead.best, *lead.behind, *(each for each, _ in lead.aside))))
    return (one.name or one.measure) + (" (lower is better)" if one.better == "lower" else "")


def _told(one: Headline) -> str:
    value = None if one.figure.value is None else one.figure.value * one.scale
    if one.unit:
        return f"{short(value, 1)} {one.unit}"
    return short(value, 3) if value is not None and abs(value) < 10 else show_figure(value)


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {show_p(p)}"


def name_list(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

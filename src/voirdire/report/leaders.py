"""Which model leads an exam, in one sentence, and which leads on each of its headline measures.

The model with the best figure leads where it differs from every other beyond chance: it is compared with each of them
on what both were asked, and p is at most 5 % after Holm's correction over all measures of all these comparisons. Models
that do not differ from it are tied with it. A figure with a caveat never leads. The exam's first headline measure of
which one side is better decides; the others are mentioned where another model leads.
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
    """Which model leads on one measure.

    measure  its key as a text
    best     the headlines of the best model and of those that are tied with it, best figure first
    behind   those that are worse than the best beyond chance
    aside    those with a caveat, and those that could not be compared with the best, with the reason
    p        the largest p of those behind; where models are tied, the smallest of theirs
    few      whether there are too few items to tell any two models apart
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
        return frozenset(headline.label for headline in self.best) if len(self.best) > 1 else frozenset()

    @property
    def headlines(self) -> tuple[Headline, ...]:
        """Those of all models."""
        return (*self.best, *self.behind, *(headline for headline, _ in self.aside))


@dataclass(frozen=True, slots=True)
class ExamVerdict:
    """The verdict on an exam: who leads in a few words, the sentence after them, and what else should be known."""

    short: str
    text: str
    more: tuple[str, ...]
    leads: Mapping[str, Lead]

    @property
    def parts(self) -> list[tuple[str, bool]]:
        """The sentence in pieces, each with whether it is the name of a model."""
        return self._split(self.text)

    @property
    def more_parts(self) -> list[tuple[str, bool]]:
        """The same of what else should be known."""
        return self._split(" ".join(self.more))

    def _split(self, text: str) -> list[tuple[str, bool]]:
        labels = {headline.label for lead in self.leads.values() for headline in lead.headlines}
        names = sorted(labels, key=len, reverse=True)
        pieces = re.split(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)", text) if names else [text]
        return [(piece, place % 2 == 1) for place, piece in enumerate(pieces) if piece]

    @property
    def joined(self) -> bool:
        """Whether the sentence continues the few words: `A leads on …`."""
        return self.text.startswith("on ") and self.short.endswith(" leads")

    @property
    def sentence(self) -> str:
        """Both in one sentence."""
        return f"{self.short}{'' if self.joined else ':'} {self.text}"


class Verdicts:
    """Makes the verdicts from the runs, and reuses comparisons that were made already."""

    def __init__(self, models: Iterable[Model], families: Iterable[Sequence[Comparison]], seed: int) -> None:
        self._runs = {model.key: model.run for model in models}
        self._seed = seed
        self._families: dict[tuple[str, ...], Sequence[Comparison]] = {}
        for family in families:
            labels = family[0].labels[0], *(comparison.labels[1] for comparison in family)
            self._families[family[0].title, *labels] = family

    def verdict(self, section: Section) -> ExamVerdict | None:
        """The verdict on an exam; None where its headlines have no measure of which one side is better."""
        leads: dict[str, Lead] = {}
        for measure in dict.fromkeys(headline.measure for headline in section.headlines):
            same = self._of_one_part([headline for headline in section.headlines if headline.measure == measure])
            if same and same[0].better != "neither":
                leads[measure] = self._lead(measure, same)
        if not leads:
            return None
        first, *others = leads.values()
        short_text, text = _sentence(first)
        if not first.leader and (led := next((lead for lead in others if lead.leader), None)) is not None:
            text = f"{text} {_elsewhere(led)}"
            others.remove(led)
        return ExamVerdict(short_text, text, (*_further(first, others), *self._tally(first)), leads)

    def _tally(self, lead: Lead) -> list[str]:
        """For two models, how many measures favour each, where some favour the one that does not lead."""
        if not lead.leader or len(lead.behind) > 1:
            return []
        ((other, comparison),) = self._against(lead.best[0], lead.behind, [])
        tones = [(row.measure.label, row.tone) for row in comparison.measures if row.differs]
        for_other = [name for name, tone in tones if tone == "good"]
        for_leader = [name for name, tone in tones if tone == "bad"]
        if not for_other:
            return []
        names = f" ({name_list(for_other)})" if len(for_other) <= NAMED else ""
        return [
            f"Of all {len(comparison.measures)} measures {len(for_leader)} favour {lead.leader} and "
            f"{len(for_other)} {other.label}{names} beyond chance."
        ]

    def _of_one_part(self, headlines: Sequence[Headline]) -> list[Headline]:
        """Those with a figure, of the part of the exam that most models took: a measure may be in several parts."""
        known = [headline for headline in headlines if headline.figure.value is not None]
        titles = [self._runs[headline.run].title for headline in known]
        most = max(titles, key=titles.count, default="")
        return [headline for headline, title in zip(known, titles, strict=True) if title == most]

    def _lead(self, measure: str, same: Sequence[Headline]) -> Lead:
        aside = [(headline, headline.caveat) for headline in same if headline.caveat]
        sound = [headline for headline in same if not headline.caveat]
        ranked = sorted(sound, key=lambda each: each.figure.value or 0.0, reverse=same[0].better == "higher")
        if len(ranked) < 2:
            return Lead(measure, tuple(ranked), aside=tuple(aside))
        best, *others = ranked
        tied, behind, few = [best], list[Headline](), True
        ps: dict[bool, list[float]] = {True: [], False: []}
        for other, comparison in self._against(best, others, aside):
            row = next((row for row in comparison.measures if row.measure.name == measure), None)
            if row is None:
                aside.append((other, f"{other.label} has no {measure} on what both were asked"))
                continue
            few = few and comparison.least_p > ALPHA
            # On the units that both have, the other may turn out to be the better one.
            ahead = row.differs and ((row.difference or 0.0) < 0) == (best.better == "higher")
            (behind if ahead else tied).append(other)
            if row.p_holm is not None:
                ps[ahead].append(row.p_holm)
        p = max(ps[True], default=None) if len(tied) == 1 else min(ps[False], default=None)
        return Lead(measure, tuple(tied), tuple(behind), tuple(aside), p, few and len(tied) > 1)

    def _against(
        self, best: Headline, others: Sequence[Headline], aside: list[tuple[Headline, str]]
    ) -> list[tuple[Headline, Comparison]]:
        """The best compared with each of the others; those that cannot be compared are added to `aside`."""
        kept = list(others)
        while kept:
            labels = [headline.label for headline in (best, *kept)]
            runs = [self._runs[headline.run] for headline in (best, *kept)]
            key = runs[0].title, *labels
            try:
                if key not in self._families:
                    self._families[key] = compare_runs(labels, runs, seed=self._seed, slices=False)
                return list(zip(kept, self._families[key], strict=True))
            except UsageError:
                for other in list(kept):
                    both = [runs[0], self._runs[other.run]]
                    try:
                        compare_runs([best.label, other.label], both, slices=False, resamples=1)
                    except UsageError as error:
                        kept.remove(other)
                        aside.append((other, str(error)))
        return []


def _sentence(lead: Lead) -> tuple[str, str]:
    """In a few words, and in a sentence."""
    name = _measure_name(lead)
    if not lead.best:
        return "Nobody leads", f"every {name} comes with a caveat."
    best = lead.best[0]
    if len(lead.best) == 1 and not lead.behind:
        if lead.aside:
            reasons = "; ".join(reason for _, reason in lead.aside)
            return "Nobody can be compared", f"{best.label} has {name} {_figure(best)}; {reasons}."
        return "No contest", f"{best.label} alone took this exam: {name} {_figure(best)}."
    p = "" if lead.p is None else "< 0.001" if lead.p < 0.001 else f"= {show_p(lead.p)}"
    after = f" (p {p} after Holm's correction)" if p else ""
    if lead.leader:
        others = lead.behind
        against = f"{_figure(best)} against {_figure(others[0])} for {others[0].label}"
        rest = "" if len(others) == 1 else f", the best of the {len(others)} others"
        return f"{best.label} leads", f"on {name}: {against}{rest}, a significant lead{after}."
    behind = f"; {best.label} is ahead of {_figures(lead.behind)}" if lead.behind else ""
    if _is_same(lead):
        same = f"{name_list([headline.label for headline in lead.best])} have the same {name}, {_figure(best)}"
        return ("A tie at the top" if behind else "A tie"), f"{same}{behind}."
    if lead.few:
        return "Too little to tell", f"on {name} there are too few items to tell {_figures(lead.best)} apart."
    tie = f"on {name}, {_figures(lead.best)} do not differ beyond chance{after}"
    return ("A tie at the top" if behind else "Nobody leads: a tie"), f"{tie}{behind}."


def _is_same(lead: Lead) -> bool:
    """Whether the models at the top have one and the same figure."""
    return len(set(map(_figure, lead.best))) == 1 and lead.p in (None, 1.0)


def _further(first: Lead, others: Sequence[Lead]) -> list[str]:
    """Sentences on who leads on the other headline measures, and whose figures come with a caveat."""
    sentences: list[str] = []
    if first.tied and all(lead.tied == first.tied and _is_same(lead) for lead in (first, *others)):
        names = name_list([headline.label for headline in first.best])
        return [f"{names} are alike in every headline figure: are their files the same?"]
    too = [_measure_name(lead) for lead in others if lead.leader and lead.leader == first.leader]
    if too:
        sentences.append(f"{first.leader} also leads on {name_list(too)}.")
    for lead in others:
        if lead.leader and lead.leader != first.leader:
            sentences.append(_elsewhere(lead))
        elif lead.tied:
            names = name_list([headline.label for headline in lead.best])
            sentences.append(f"On {_measure_name(lead)} {names} are tied ({', '.join(map(_figure, lead.best))}).")
    caveats: dict[tuple[str, str], list[str]] = {}
    for lead in (first, *others):
        for headline, reason in lead.aside:
            figure = f"{headline.name or headline.measure} ({_figure(headline)})"
            caveats.setdefault((headline.label, reason), []).append(figure)
    for (label, reason), figures in caveats.items():
        sentences.append(f"{label} is not ranked by {name_list(figures)}: {reason}.")
    return sentences


def _elsewhere(lead: Lead) -> str:
    """Who leads on another measure than the first."""
    figures = f"{_figure(lead.best[0])} against {_figure(lead.behind[0])} for {lead.behind[0].label}"
    return f"On {_measure_name(lead)} {lead.leader} leads significantly ({figures})."


def _measure_name(lead: Lead) -> str:
    """`mean rank (lower is better)`."""
    headline = lead.headlines[0]
    return (headline.name or headline.measure) + (" (lower is better)" if headline.better == "lower" else "")


def _figure(headline: Headline) -> str:
    value = None if headline.figure.value is None else headline.figure.value * headline.scale
    if headline.unit:
        return f"{short(value, 1)} {headline.unit}"
    return short(value, 3) if value is not None and abs(value) < 10 else show_figure(value)


def _figures(headlines: Sequence[Headline]) -> str:
    return name_list([f"{headline.label} ({_figure(headline)})" for headline in headlines])


def name_list(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"

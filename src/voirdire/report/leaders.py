"""Which model leads an exam, in one sentence, and which leads on each of its headline measures.

The model with the best figure leads where it differs from every other beyond chance: it is compared with each of them
on what both were asked, and p is at most 5 % after Holm's correction over all measures of all these comparisons. Models
that do not differ from it are tied with it. From four models on, every two of them are tested, and p is corrected over
all pairs of the measure (`verdict.ranking`). A figure with a caveat never leads. The exam's first headline measure of
which one side is better decides; the others are mentioned where another model leads.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voirdire.errors import UsageError
from voirdire.exam.short_answers import lead_by_short_answers
from voirdire.figures import ALPHA, counted, name_list, short, show_figure, show_p
from voirdire.metrics.key import Key
from voirdire.runs import Estimate
from voirdire.section.content import Headline, Model, Section
from voirdire.verdict.comparison import Comparison, compare_runs
from voirdire.verdict.ranking import ModelRanking, rank_models

ALONE = "One model: no comparison"
SMALLEST_P = 0.001
"""A smaller p is not written out in a sentence."""
SHOWN = 3
"""Models that a sentence names; more are counted."""
NAMED = 5
"""Measures that a sentence names; more are counted."""
MANY = 4
"""Models from which on they are ranked, every two of them tested."""


@dataclass(frozen=True, slots=True)
class Lead:
    """Which model leads on one measure.

    measure   its key as a text
    best      the headlines of the best model and of those that are tied with it, best figure first
    behind    those that are worse than the best beyond chance
    aside     those with a caveat, and those that could not be compared with the best, with the reason
    p         the largest p of those behind; where models are tied, the smallest of theirs
    few       whether there are too few items to tell any two models apart
    basis     on what the best is compared with the others: `10 games that both played`, `… that all 3 played`
    shared    the figures of the best and of another on what both were asked, by the label of the other
    rankings  of four models or more: the one of the best, then those of models that were asked other things
    elsewhere headlines of the latter
    """

    measure: str
    best: tuple[Headline, ...]
    behind: tuple[Headline, ...] = ()
    aside: tuple[tuple[Headline, str], ...] = ()
    p: float | None = None
    few: bool = False
    basis: str = ""
    shared: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    rankings: tuple[ModelRanking, ...] = ()
    elsewhere: tuple[Headline, ...] = ()

    @property
    def leader(self) -> str:
        """The label of the model that leads alone; empty where none does."""
        return self.best[0].label if len(self.best) == 1 and self.behind else ""

    @property
    def tied(self) -> frozenset[str]:
        """The labels of the models that share the first place."""
        return frozenset(headline.label for headline in self.best) if len(self.best) > 1 else frozenset()

    @property
    def is_same(self) -> bool:
        """Whether the models at the top have one and the same figure on what both were asked."""
        return all(first == second for first, second in (self.shared[each.label] for each in self.best[1:]))

    @property
    def headlines(self) -> tuple[Headline, ...]:
        """Those of all models."""
        return (*self.best, *self.behind, *(headline for headline, _ in self.aside), *self.elsewhere)


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
        titles = {run.title for run in self._runs.values()}
        by_title = {title: [run for run in self._runs.values() if run.title == title] for title in titles}
        self._short = {title: lead_by_short_answers(runs) for title, runs in by_title.items()}
        self._families: dict[tuple[str, ...], Sequence[Comparison]] = {}
        for family in families:
            labels = family[0].labels[0], *(comparison.labels[1] for comparison in family)
            self._families[family[0].title, *labels] = family

    def verdict(self, section: Section) -> ExamVerdict | None:
        """The verdict on an exam; None where its headlines have no measure of which one side is better."""
        leads: dict[str, Lead] = {}
        alone = len({headline.label for headline in section.headlines}) == 1
        for measure in dict.fromkeys(headline.measure for headline in section.headlines):
            same = self._of_one_part([headline for headline in section.headlines if headline.measure == measure])
            if same and same[0].better != "neither":
                leads[measure] = self._lead(measure, same)
        if not leads:
            return None
        first, *others = leads.values()
        short_text, text = _sentence(first, alone)
        if not first.leader and (led := next((lead for lead in others if lead.leader), None)) is not None:
            text = f"{text} {_elsewhere(led)}"
            others.remove(led)
        more = self._alike(first, section) or [*_further(first, others, alone), *self._tally(first)]
        return ExamVerdict(short_text, text, tuple(more), leads)

    def _alike(self, first: Lead, section: Section) -> list[str]:
        """Where the models at the top do not differ in any headline figure, and whether their files are the same."""
        tied = first.tied
        if not tied or first.behind or first.aside or first.elsewhere:
            return []
        figures: dict[str, dict[str, Estimate]] = {}
        for headline in section.headlines:
            figures.setdefault(headline.label, {})[headline.measure] = headline.figure
        some, *others = figures.values()
        if figures.keys() != tied or any(other != some for other in others):
            return []
        names = name_list([headline.label for headline in first.best], SHOWN)
        files = [self._runs[headline.run].fingerprints for headline in first.best]
        same = files[0] and all(each == files[0] for each in files)
        return [f"{names} are alike in every headline figure{': their files are the same' if same else ''}."]

    def _tally(self, lead: Lead) -> list[str]:
        """For two models, how many measures favour each, where some favour the one that does not lead."""
        if not lead.leader or len(lead.behind) > 1:
            return []
        ((other, comparison),) = self._against(lead.best[0], lead.behind, [])
        tones = [(row.measure.name, row.tone) for row in comparison.measures if row.differs]
        for_other = [name for name, tone in tones if tone == "good"]
        for_leader = [name for name, tone in tones if tone == "bad"]
        if not for_other:
            return []
        names = f" ({name_list(for_other)})" if len(for_other) <= NAMED else ""
        return [
            f"Of all {len(comparison.measures)} measures {len(for_leader)} "
            f"favour{'s' if len(for_leader) == 1 else ''} {lead.leader} and "
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
        if len(ranked) >= MANY:
            return self._of_many(measure, ranked, aside)
        best, *others = ranked
        tied, behind, few = [best], list[Headline](), True
        ps: dict[bool, list[float]] = {True: [], False: []}
        pairs: list[Comparison] = []
        shared: dict[str, tuple[float | None, float | None]] = {}
        for other, comparison in self._against(best, others, aside):
            row = next((row for row in comparison.measures if row.measure.name == measure), None)
            if row is None:
                aside.append((other, f"{other.label} has no {measure} on what both were asked"))
                continue
            pairs.append(comparison)
            shared[other.label] = row.first, row.second
            few = few and comparison.least_p > ALPHA
            # On the units that both have, the other may turn out to be the better one.
            ahead = row.differs and ((row.difference or 0.0) < 0) == (best.better == "higher")
            (behind if ahead else tied).append(other)
            if row.p_holm is not None:
                ps[ahead].append(row.p_holm)
        p = max(ps[True], default=None) if len(tied) == 1 else min(ps[False], default=None)
        few = few and len(tied) > 1
        basis = _basis(pairs) if pairs else ""
        return Lead(measure, tuple(tied), tuple(behind), tuple(aside), p, few, basis, shared)

    def _of_many(self, measure: str, sound: Sequence[Headline], aside: Sequence[tuple[Headline, str]]) -> Lead:
        """Who leads where every two models are tested: the first of the largest ranking, and its like."""
        runs = {headline.label: self._runs[headline.run] for headline in sound}
        short = self._short[next(iter(runs.values())).title]
        rankings = tuple(rank_models(runs, Key.parse(measure), short=short, seed=self._seed))
        by_label = {headline.label: headline for headline in sound}
        ranking = rankings[0]
        best, *others = (by_label[label] for label in ranking.labels)
        places = range(1, len(ranking.labels))
        differ = [ranking.differs(0, place) for place in places]
        tied = [other for other, apart in zip(others, differ, strict=True) if not apart]
        behind = [other for other, apart in zip(others, differ, strict=True) if apart]
        ps = [float(ranking.p[0, place]) for place, apart in zip(places, differ, strict=True) if apart == bool(behind)]
        # A group beats the first that is behind it with this p; a model that leads alone beats all.
        p = None if not ps else min(ps) if not behind else ps[0] if tied else max(ps)
        shared = {
            label: (ranking.figures[0], figure) for label, figure in zip(ranking.labels, ranking.figures, strict=True)
        }
        ranked = {label for other in rankings for label in other.labels}
        elsewhere = tuple(each for each in sound if each.label in ranked - set(ranking.labels))
        # On what all were asked a figure may be undefined: it is of too few cases.
        undefined = [
            (each, f"{each.label} has no {measure} on what all were asked")
            for each in sound
            if each.label not in ranked
        ]
        return Lead(
            measure,
            (best, *tied),
            tuple(behind),
            (*aside, *undefined),
            p,
            ranking.few and bool(tied),
            ranking.basis,
            shared,
            rankings,
            elsewhere,
        )

    def _against(
        self, best: Headline, others: Sequence[Headline], aside: list[tuple[Headline, str]]
    ) -> list[tuple[Headline, Comparison]]:
        """The best compared with each of the others; those that cannot be compared are added to `aside`."""
        kept = list(others)
        while kept:
            labels = [headline.label for headline in (best, *kept)]
            runs = [self._runs[headline.run] for headline in (best, *kept)]
            key = runs[0].title, *labels
            by_short = self._short[runs[0].title]
            try:
                if key not in self._families:
                    self._families[key] = compare_runs(labels, runs, seed=self._seed, slices=False, short=by_short)
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


def _basis(pairs: Sequence[Comparison]) -> str:
    """On what the best is compared with each of the others."""
    first = pairs[0]
    if len(pairs) == 1:
        return first.basis
    counts = [pair.paired for pair in pairs]
    if not any(pair.only_first for pair in pairs):
        return f"{counted(first.paired, first.noun)} that all {len(pairs) + 1} {first.did}"
    if min(counts) == max(counts):
        return f"{counted(first.paired, first.noun)} that it shares with each"
    return f"{min(counts):,} to {counted(max(counts), first.noun)} that it shares with each"


def _sentence(lead: Lead, alone: bool) -> tuple[str, str]:
    """In a few words, and in a sentence; `alone` where the exam has one model only."""
    name = _measure_name(lead)
    if not lead.best and alone:
        (only, _), *_ = lead.aside
        return ALONE, f"{only.label} has {name} {_figure(only)}."
    if not lead.best:
        return "Nobody leads", f"every {name} comes with a caveat."
    best = lead.best[0]
    if len(lead.best) == 1 and not lead.behind:
        has = f"{best.label} has {name} {_figure(best)}"
        if alone:
            return ALONE, f"{has}."
        if lead.aside:
            return "Nobody can be compared", f"{has}; {_unranked(lead)}."
        return "Nothing to compare", f"{has}, and no other model has this figure."
    p = "" if lead.p is None else "p < 0.001" if lead.p < SMALLEST_P else f"p = {show_p(lead.p)}"
    after = f"{p} after Holm's correction; " if p else ""
    basis = f" ({after}{lead.basis})"
    others = _figures(lead.best[1:]) if lead.tied else ""
    if lead.leader:
        next_ = lead.behind[0]
        rest = "" if len(lead.behind) == 1 else f", the best of the {len(lead.behind)} others"
        text = f"{_against(lead, next_)}{rest}, a significant lead{basis}."
        return f"{best.label} leads", f"on {name}: {text}"
    behind = f"; {best.label} is ahead of {_figures(lead.behind)}" if lead.behind else ""
    if lead.is_same:
        same = f"{name_list([headline.label for headline in lead.best], SHOWN)} have the same {name}, {_figure(best)}"
        return ("A tie at the top" if behind else "A tie"), f"{same} ({lead.basis}){behind}."
    if lead.rankings and not lead.few:
        others = counted(len(lead.tied) - 1, "other")
        first = f"{best.label} ({_figure(best)}) does not differ beyond chance from"
        if not lead.behind:
            return "Nobody leads: a tie", f"on {name}, {first} any of the {others}{basis}."
        beaten = f"the first that it beats is {lead.behind[0].label} ({_figure(lead.behind[0])})"
        text = f"on {name}, {len(lead.tied)} models are at the top: {first} the {others} there; {beaten}{basis}."
        return "A tie at the top", text
    if lead.few:
        apart = f"{best.label} ({_figure(best)}) from {others}"
        return "Too little to tell", f"on {name} there are too few items to tell {apart} ({lead.basis}){behind}."
    tie = f"on {name}, {best.label} ({_figure(best)}) does not differ beyond chance from {others}{basis}"
    return ("A tie at the top" if behind else "Nobody leads: a tie"), f"{tie}{behind}."


def _against(lead: Lead, other: Headline) -> str:
    """The figures of the best and of another on what both were asked: `62.0 % against 41.0 % for blind`."""
    best = lead.best[0]
    first, second = (replace(best, figure=Estimate(value, None, None, None)) for value in lead.shared[other.label])
    return f"{_figure(first)} against {_figure(second)} for {other.label}"


def _unranked(lead: Lead) -> str:
    return "; ".join(f"{headline.label} is not ranked: {reason}" for headline, reason in lead.aside)


def _further(first: Lead, others: Sequence[Lead], alone: bool) -> list[str]:
    """Sentences on who leads on the other headline measures, and whose figures come with a caveat."""
    sentences: list[str] = []
    too = [_measure_name(lead) for lead in others if lead.leader and lead.leader == first.leader]
    if too:
        sentences.append(f"{first.leader} also leads on {name_list(too)}.")
    for lead in others:
        if lead.leader and lead.leader != first.leader:
            sentences.append(_elsewhere(lead))
        elif lead.tied:
            how = "there are too few items to tell these apart" if lead.few else "these are tied"
            sentences.append(f"On {_measure_name(lead)} {how}: {_figures(lead.best)}.")
    if first.elsewhere:
        number, noun = len(first.elsewhere), first.rankings[0].noun
        why = f"too few {noun}s are shared with these, or data or options differ"
        sentences.append(f"{counted(number, 'model')} {'is' if number == 1 else 'are'} ranked apart: {why}.")
    caveats: dict[tuple[str, str], list[str]] = {}
    listed = (first, *others) if first.behind or len(first.best) != 1 or alone else others
    for lead in listed:
        for headline, reason in lead.aside:
            figure = f"{headline.name or headline.measure} ({_figure(headline)})"
            caveats.setdefault((headline.label, reason), []).append(figure)
    if len(caveats) > SHOWN:
        models = len({label for label, _ in caveats})
        are = "1 model is" if models == 1 else f"{models:,} models are"
        return [*sentences, f"{are} not ranked by every measure: see the figures."]
    for (label, reason), figures in caveats.items():
        sentences.append(f"{label} is not ranked by {name_list(figures)}: {reason}.")
    return sentences


def _elsewhere(lead: Lead) -> str:
    """Who leads on another measure than the first."""
    return f"On {_measure_name(lead)} {lead.leader} leads significantly ({_against(lead, lead.behind[0])})."


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
    return name_list([f"{headline.label} ({_figure(headline)})" for headline in headlines], SHOWN)

"""Rankings of four models or more as the page shows them: sorted, on one scale, with letters of groups."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from voirdire.figures import counted, shown_in
from voirdire.report.leaders import ExamVerdict, Lead
from voirdire.report.scales import spanned, wide_strip
from voirdire.runs import Estimate
from voirdire.section.content import Headline
from voirdire.verdict.ranking import ModelRanking

LONGEST = 24
"""Characters of a name that is shown whole; of longer ones both ends are."""


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A model of a ranking; `short` is its name where that is long, `letters` are empty where it has no rank."""

    label: str
    short: str
    dot: int
    run: str
    value: str
    text: str
    interval: str
    tip: str
    strip: Markup
    letters: str
    official: str
    caveat: str


@dataclass(frozen=True, slots=True)
class PageRanking:
    """One ranking.

    ends    of the scale, with its unit
    beyond  0 and 100 where they are outside of the scale, else empty
    says    on what the models are compared, and what the letters say
    """

    name: str
    measure: str
    better: str
    unit: str
    ends: tuple[str, str]
    beyond: tuple[str, str]
    says: str
    rows: list[RankedRow]


class Shown(Protocol):
    """How the page shows figures."""

    def dot(self, name: str) -> int:
        """The number of a model's colour."""
        ...

    def tip(self, key: str, measure: str, figure: Estimate) -> str:
        """What a figure says when it is pointed at."""
        ...

    def official_text(self, headline: Headline) -> str:
        """The official figure beside one by short answers; empty where there is none."""
        ...


def page_rankings(headlines: Sequence[Headline], verdict: ExamVerdict | None, shown: Shown) -> list[PageRanking]:
    """The rankings by the measure that decides the verdict; none where there are few models."""
    lead = next(iter(verdict.leads.values()), None) if verdict else None
    if lead is None or not lead.rankings:
        return []
    same = [
        headline for headline in headlines if headline.measure == lead.measure and headline.figure.value is not None
    ]
    by_label = {headline.label: headline for headline in same}
    scale, short = spanned(same), short_names(by_label)
    ranked = {label for ranking in lead.rankings for label in ranking.labels}
    unranked = [headline for headline in same if headline.label not in ranked]

    def row(headline: Headline, letters: str) -> RankedRow:
        figure = headline.figure
        ends = [None if end is None else end * headline.scale for end in (figure.low, figure.high)]
        number = shown.dot(headline.label)
        return RankedRow(
            label=headline.label,
            short=short[headline.label],
            dot=number,
            run=headline.run,
            value=repr(figure.value),
            text=shown_in((figure.value or 0.0) * headline.scale, headline.unit),
            interval=" … ".join(shown_in(end, headline.unit) for end in ends) if None not in ends else "",
            tip=shown.tip(headline.run, headline.measure, figure),
            strip=wide_strip(figure, headline.scale, scale, number),
            letters=letters,
            official=shown.official_text(headline),
            caveat=headline.caveat,
        )

    pages = []
    for number, ranking in enumerate(lead.rankings):
        rows = [row(by_label[label], of_label) for label, of_label in zip(ranking.labels, ranking.letters, strict=True)]
        # Those without a rank stand below the first ranking.
        rows += [row(headline, "") for headline in unranked] if number == 0 else []
        pages.append(_page_ranking(lead, ranking, number, same[0], scale, rows))
    return pages


def _page_ranking(
    lead: Lead, ranking: ModelRanking, number: int, first: Headline, scale: tuple[float, float], rows: list[RankedRow]
) -> PageRanking:
    unit = f" {first.unit}" if first.unit else ""
    name = first.name or first.measure
    direction = {"higher": "↑", "lower": "↓"}.get(first.better, "")
    beyond = ("0" if scale[0] > 0 else "", "100" if first.unit == "%" and scale[1] < 100 else "")
    return PageRanking(
        name=f"ranking-{number + 1}",
        measure=name,
        better=direction,
        unit=first.unit,
        ends=(f"{scale[0]:g}", f"{scale[1]:g}{unit}"),
        beyond=beyond,
        says=_says(lead, ranking, number),
        rows=rows,
    )


def _says(lead: Lead, ranking: ModelRanking, number: int) -> str:
    if len(ranking.labels) == 1:
        return f"Alone: no other model can be compared with it: {_why(ranking)}."
    others = sum(len(other.labels) for other in lead.rankings) - len(ranking.labels)
    where = f"On {ranking.basis}."
    if not ranking.whole:
        where += f" Order and letters are by the figures on these {ranking.noun}s."
    if number:
        where = f"Not compared with those above: {_why(ranking)}. {where}"
    elif others:
        where += f" {counted(others, 'model')} below cannot be compared with these: {_why(ranking)}."
    if ranking.few:
        return f"{where} Too few {ranking.noun}s to tell any two models apart."
    return f"{where} Two models that share a letter do not differ beyond chance (p > 0.05 after Holm's correction)."


def _why(ranking: ModelRanking) -> str:
    """Why models stand in rankings of their own."""
    return f"they share too few {ranking.noun}s, or their data or options differ"


def short_names(labels: Iterable[str]) -> dict[str, str]:
    """Names of at most `LONGEST` characters, both ends of long ones; a name stays whole where two would be alike."""
    labels = list(labels)
    short = {label: _shortened(label) for label in labels}
    times = [*short.values()]
    return {label: text if times.count(text) == 1 else label for label, text in short.items()}


def _shortened(label: str) -> str:
    if len(label) <= LONGEST:
        return label
    half = (LONGEST - 1) // 2
    return f"{label[:half]}…{label[-(LONGEST - 1 - half) :]}"

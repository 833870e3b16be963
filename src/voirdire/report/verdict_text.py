"""The first screen of a report as a text, for a terminal: who leads each exam, why, and the leading figures.

The sentences are those of the page. Figures have their intervals; one with a caveat is marked, and the caveat is below.
"""

from collections.abc import Iterator, Sequence

from voirdire.figures import ARROWS, DAGGER, NONE, shown_in
from voirdire.report.make import Report
from voirdire.section.content import Headline, Section
from voirdire.tables import aligned


def verdict_text(report: Report) -> str:
    """The text, an exam after the other; empty where no section has headline figures."""
    blocks = [list(_lines(report, section)) for section in report.sections if section.headlines]
    return "\n\n".join("\n".join(block) for block in blocks) + ("\n" if blocks else "")


def _lines(report: Report, section: Section) -> Iterator[str]:
    verdict = report.verdicts.get(section.exam)
    yield f"{section.title}: {verdict.sentence}" if verdict else f"{section.title}."
    yield from section.why
    yield from verdict.more if verdict else ()
    yield from section.notes
    first = next(iter(verdict.leads.values()), None) if verdict else None
    ranked = [label for ranking in first.rankings for label in ranking.labels] if first else []
    yield from _figures(report, section.headlines, ranked)


def _figures(report: Report, headlines: Sequence[Headline], ranked: Sequence[str]) -> list[str]:
    """A row per model and a column per measure; first the models that are ranked, in their order."""
    by_place = {(each.label, each.measure): each for each in headlines}
    measures = list(dict.fromkeys(each.measure for each in headlines))
    labels = list(dict.fromkeys([*ranked, *(each.label for each in headlines)]))
    first = {each.measure: each for each in reversed(headlines)}
    head = ["", *(f"{first[measure].name or measure}{ARROWS[first[measure].better]}" for measure in measures)]
    runs = {model.key: model for model in report.models}

    def cell(label: str, measure: str) -> str:
        headline = by_place.get((label, measure))
        if headline is None or headline.figure.value is None:
            return NONE
        figure, factor, unit = headline.figure, headline.scale, headline.unit
        ends = [None if end is None else shown_in(end * factor, unit) for end in (figure.low, figure.high)]
        interval = f" ({ends[0]} … {ends[1]})" if None not in ends else ""
        own = runs[headline.run].figure(headline.beside).value if headline.beside else None
        beside = f", official {shown_in(own * factor, unit)}" if own is not None else ""
        mark = DAGGER if headline.caveat else ""
        value = shown_in((figure.value or 0.0) * factor, unit)
        return f"{value}{f' {unit}' if unit else ''}{mark}{interval}{beside}"

    rows = [[label, *(cell(label, measure) for measure in measures)] for label in labels]
    reasons = dict.fromkeys(f"{DAGGER} {each.label}: {each.caveat}." for each in headlines if each.caveat)
    return ["", *aligned(head, rows), *reasons]

"""The report's methods section: how its figures were made, as text for a paper, what exactly was run, and what to cite.

The text says what holds for all figures and what each exam's signature adds; the runs are listed with their files, so
that a reader can tell whether two figures may be compared. Cited is what was used and nothing else: an exam names its
papers by key and a measure the work that defined it, in `citations.bib` or in a bibliography of the exam's own.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from voirdire.exam import exam_named, exams, measures_of
from voirdire.report.comparison_section import SEED
from voirdire.runs import Run
from voirdire.section.content import Model
from voirdire.section.phrases import describe_sets
from voirdire.stats.bootstrap import RESAMPLES

if TYPE_CHECKING:
    from voirdire.report.make import Report

_BY_ENCODER = {"minilm": "sentence-bert", "fasttext": "fasttext", "skipthoughts": "skip-thoughts", "bert": "bert"}
_ENTRY = re.compile(r"^@\w+\{(?P<key>[\w-]+),\n(?P<fields>.*?)^\}$", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (?P<name>\w+) = \{(?P<value>.*)\},$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Citation:
    """A work: its key, its BibTeX entry, and the entry's fields."""

    key: str
    entry: str
    fields: Mapping[str, str]

    @property
    def short(self) -> str:
        """As cited in a text: `Vedantam et al. 2015`."""
        authors = [name.partition(",")[0].strip("{}") for name in self.fields["author"].split(" and ")]
        shortened = f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)
        return f"{shortened} {self.fields['year']}"


@cache
def citations() -> dict[str, Citation]:
    """All known works by key, in the order of the bibliographies."""
    own = (place.partition(":") for exam in exams() if (place := exam.bibliography))
    places = [("voirdire.report", "citations.bib"), *((package, name) for package, _, name in own)]
    text = "\n".join((files(package) / name).read_text(encoding="utf-8") for package, name in places)
    return {
        entry["key"]: Citation(entry["key"], entry[0], dict(_FIELD.findall(entry["fields"])))
        for entry in _ENTRY.finditer(text)
    }


def cited(runs: Iterable[Run], keys: Iterable[str] = (), compared: bool = False) -> list[Citation]:
    """The works that runs rest on and those with the given keys, in the order of the bibliographies."""
    wanted = {*keys, "voirdire", "bootstrap", *(("permutation", "holm") if compared else ())}
    for run in runs:
        measures = measures_of(run)
        wanted |= {*exam_named(run.exam).papers}
        wanted |= {work for key in run.measures if key.measure in measures and (work := measures[key.measure].work)}
        encoder = run.signature.encoder or ""
        wanted |= {key for name, key in _BY_ENCODER.items() if re.search(rf"(?<![a-z]){name}", encoder)}
    known = citations()
    if unknown := wanted - set(known):
        raise ValueError(f"keys: {sorted(unknown)}; may be among {', '.join(known)}")
    return [citation for key, citation in known.items() if key in wanted]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run as the section lists it: pairs of a name and a value."""

    key: str
    label: str
    title: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Methods:
    """The section: paragraphs to paste into a paper, the runs, the works to cite."""

    paragraphs: tuple[str, ...]
    runs: tuple[RunFacts, ...]
    works: tuple[Citation, ...]

    @property
    def bibtex(self) -> str:
        """The BibTeX entries of the works."""
        return "\n\n".join(work.entry for work in self.works)


def methods(report: "Report", compared: bool) -> Methods:
    """The methods of a report's figures; `compared` where it has comparisons."""
    runs = [model.run for model in report.models]
    works = cited(runs, [key for section in report.sections for key in section.cites], compared)
    method_of = {section.exam: section.method for section in report.sections if section.method}
    return Methods(
        tuple(_paragraphs(runs, works, compared, method_of)), tuple(map(_facts, report.models)), tuple(works)
    )


def _paragraphs(
    runs: Sequence[Run], works: Sequence[Citation], compared: bool, method_of: Mapping[str, str]
) -> list[str]:
    by_key = {work.key: work for work in works}
    versions = " and ".join(dict.fromkeys(run.signature.version for run in runs))
    exams = list(dict.fromkeys(run.exam for run in runs))
    seeds = ", ".join(dict.fromkeys(str(run.signature.seed) for run in runs if run.signature.seed is not None))
    clusters = "; ".join(f"{exam}: {exam_named(exam).clusters}" for exam in exams)
    paragraphs = [
        f"All figures were made with Voir Dire {versions} ({by_key['voirdire'].short}). "
        + " ".join(_exam(exam, runs, by_key, method_of.get(exam, "")) for exam in exams),
        f"Intervals hold 95 % of {RESAMPLES:,} bootstrap resamples ({by_key['bootstrap'].short}), percentile method, "
        f"in which whole clusters are drawn with replacement ({clusters})" + (f"; seed {seeds}." if seeds else "."),
    ]
    if compared:
        paragraphs.append(
            "Models are compared on the items that both were examined on. The p-values are of a two-sided paired "
            f"permutation test ({by_key['permutation'].short}) that swaps whole clusters, with {RESAMPLES:,} random "
            "permutations (all of them where there are no more), corrected for the number of measures shown by "
            f"Holm's method ({by_key['holm'].short}); "
            f"slices are a family of their own. Intervals of differences are of the paired bootstrap, {RESAMPLES:,} "
            f"resamples; seed {SEED}."
        )
    return paragraphs


def _exam(name: str, runs: Sequence[Run], works: dict[str, Citation], method: str) -> str:
    exam = exam_named(name)
    paper = f" ({works[exam.papers[0]].short})" if exam.papers else ""
    signatures = [run.signature for run in runs if run.exam == name]
    used = {
        "encoder": [signature.encoder for signature in signatures],
        "tokeniser": [signature.tokeniser for signature in signatures],
        "references": [describe_sets(each.references) if each.references else None for each in signatures],
    }
    values = {what: ", ".join(dict.fromkeys(filter(None, given))) for what, given in used.items()}
    details = "; ".join(f"{what}: {value}" for what, value in values.items() if value)
    return f"For the exam of {name}{paper}, {method or exam.method}" + (f" ({details})." if details else ".")


def _facts(model: Model) -> RunFacts:
    run = model.run
    facts = [
        ("signature", str(run.signature)),
        ("items", f"{run.items.height:,}"),
        ("made", run.created),
        *((f"file of {role}", digest) for role, digest in sorted(run.fingerprints.items())),
        ("versions", ", ".join(f"{name} {version}" for name, version in sorted(run.versions.items()))),
    ]
    return RunFacts(model.key, model.label, run.title, tuple(facts), run.warnings)

"""How the figures of a report were made, as a text that can be pasted into a paper, and what exactly was run.

The text says what holds for all figures and what each exam's signature adds; the runs are listed with their files, so
that a reader can tell whether two figures may be compared.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from voirdire.exam import exam_named
from voirdire.report.citations import Citation, bibtex, cited
from voirdire.report.comparisons import SEED
from voirdire.runs import Run
from voirdire.section.content import Model
from voirdire.section.phrases import sets_told
from voirdire.stats.bootstrap import RESAMPLES

if TYPE_CHECKING:
    from voirdire.report.make import Report


@dataclass(frozen=True, slots=True)
class RunFacts:
    """One run as the appendix lists it: pairs of what and which."""

    key: str
    label: str
    title: str
    facts: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Methods:
    """The appendix: paragraphs to paste, the runs, the works to cite."""

    paragraphs: tuple[str, ...]
    runs: tuple[RunFacts, ...]
    works: tuple[Citation, ...]

    @property
    def text(self) -> str:
        """All of it as plain text."""
        runs = [
            f"{run.label}, {run.title}: " + "; ".join(f"{name} {value}" for name, value in run.facts)
            for run in self.runs
        ]
        return "\n\n".join([*self.paragraphs, *runs])

    @property
    def bibtex(self) -> str:
        """The entries of what was used."""
        return bibtex(self.works)


def methods(report: "Report", compared: bool) -> Methods:
    """What is to be said of a report's figures; `compared` where it holds comparisons."""
    runs = [model.run for model in report.models]
    works = cited(runs, [key for section in report.sections for key in section.cites], compared)
    return Methods(
        tuple(_paragraphs(runs, works, compared)), tuple(_facts(model) for model in report.models), tuple(works)
    )


def _paragraphs(runs: Sequence[Run], works: Sequence[Citation], compared: bool) -> list[str]:
    by_key = {work.key: work for work in works}
    made = []
    versions = " and ".join(dict.fromkeys(run.signature.version for run in runs))
    exams = list(dict.fromkeys(run.exam for run in runs))
    made.append(
        f"All figures were made with Voir Dire {versions} ({by_key['voirdire'].short}). "
        + " ".join(_exam(exam, runs, by_key) for exam in exams)
    )
    seeds = ", ".join(dict.fromkeys(str(run.signature.seed) for run in runs if run.signature.seed is not None))
    clusters = "; ".join(f"{exam}: {exam_named(exam).clusters}" for exam in exams)
    made.append(
        f"Intervals hold 95 % of {RESAMPLES:,} bootstrap resamples ({by_key['bootstrap'].short}), percentile method, "
        f"in which whole clusters are drawn with replacement ({clusters})" + (f"; seed {seeds}." if seeds else ".")
    )
    if compared:
        made.append(
            "Models are compared on the items that both were examined on. The p-values are of a two-sided paired "
            f"permutation test ({by_key['permutation'].short}) that swaps whole clusters, with {RESAMPLES:,} random "
            "permutations (all of them where there are no more), corrected for the number of measures shown by "
            f"Holm's method ({by_key['holm'].short}); "
            f"slices are a family of their own. Intervals of differences are of the paired bootstrap, {RESAMPLES:,} "
            f"resamples; seed {SEED}."
        )
    return made


def _exam(exam: str, runs: Sequence[Run], works: dict[str, Citation]) -> str:
    known = exam_named(exam)
    papers = [works[key].short for key in known.papers[:1]]
    paper = f" ({papers[0]})" if papers else ""
    signatures = [run.signature for run in runs if run.exam == exam]
    used = {
        "encoder": list(dict.fromkeys(one.encoder for one in signatures if one.encoder)),
        "tokeniser": list(dict.fromkeys(one.tokeniser for one in signatures if one.tokeniser)),
        "references": list(dict.fromkeys(sets_told(one.references) for one in signatures if one.references)),
    }
    said = "; ".join(f"{name}: {', '.join(values)}" for name, values in used.items() if values)
    return f"For the exam of {exam}{paper}, {known.method}" + (f" ({said})." if said else ".")


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

"""From files to a run: what a verb and a whole session both do."""

from collections.abc import Sequence

from voirdire.formats.vqa_annotations import VqaAnnotations, read_vqa_annotations
from voirdire.formats.vqa_results import VqaResults, read_vqa_results
from voirdire.reports import Report, silent
from voirdire.robustness.noise import PARTITIONS
from voirdire.robustness.scoring import RobustnessOptions, score_robustness
from voirdire.runs import Run

__all__ = ["partition_files", "read_judged", "score_files"]


def score_files(
    annotations: str,
    clean: str,
    noisy: Sequence[str],
    control: str | None = None,
    options: RobustnessOptions | None = None,
    *,
    reading: Report = silent,
    report: Report = silent,
) -> Run:
    """A model's answers to clean and to noisy questions; see `score_robustness`.

    noisy  partition 1 first; a name with {} in it stands for all seven
    """
    paths = [clean, *partition_files(noisy), *([] if control is None else [control])]
    truth, said = read_judged(annotations, paths, reading)
    last = None if control is None else said.pop()
    return score_robustness(truth, said[0], said[1:], last, options, report=report)


def partition_files(given: Sequence[str]) -> list[str]:
    """The files of the partitions in order; a name with {} in it stands for all seven."""
    every = range(1, PARTITIONS + 1)
    return [path.replace("{}", str(number)) for path in given for number in (every if "{}" in path else (1,))]


def read_judged(
    annotations: str, results: Sequence[str], report: Report = silent
) -> tuple[VqaAnnotations, list[VqaResults]]:
    """The annotations, and the results in their order; `report` is told how many files are read."""
    total = 1 + len(results)
    report(0, total)
    truth = read_vqa_annotations(annotations)
    said: list[VqaResults] = []
    for path in results:
        report(1 + len(said), total)
        said.append(read_vqa_results(path))
    report(total, total)
    return truth, said

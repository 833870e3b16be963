"""Annotations and a model's answers, read file by file with word of how far that is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from voirdire.formats.vqa_annotations import VqaAnnotations
    from voirdire.formats.vqa_results import VqaResults
    from voirdire.reports import Report

__all__ = ["read_judged"]


def read_judged(
    annotations: str, results: Sequence[str], report: "Report"
) -> "tuple[VqaAnnotations, list[VqaResults]]":
    """The annotations, and the results in their order."""
    from voirdire.formats.vqa_annotations import read_vqa_annotations
    from voirdire.formats.vqa_results import read_vqa_results

    total = 1 + len(results)
    report(0, total)
    truth = read_vqa_annotations(annotations)
    said: list[VqaResults] = []
    for path in results:
        report(1 + len(said), total)
        said.append(read_vqa_results(path))
    report(total, total)
    return truth, said

"""CITATION.cff names this version and the paper of every exam as the report's bibliography has them."""

from pathlib import Path

import pytest
import yaml

from voirdire import __version__
from voirdire.exam import exam_named, exams
from voirdire.report.methods import citations

pytestmark = pytest.mark.slow

CITATION = yaml.safe_load((Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_version_is_this_one() -> None:
    assert CITATION["version"] == __version__
    assert citations()["voirdire"].fields["howpublished"] == f"Version {__version__}"


def test_the_papers_are_those_of_the_report() -> None:
    named = {work["notes"].split(";")[0].removeprefix("exam "): work for work in CITATION["references"]}
    assert set(named) == {exam.name for exam in exams()}
    for exam, work in named.items():
        entry = citations()[exam_named(exam).papers[0]].fields
        people = " and ".join(f"{person['family-names']}, {person['given-names']}" for person in work["authors"])
        assert (people, work["title"], str(work["year"])) == (
            entry["author"],
            entry["title"].replace("{", "").replace("}", ""),
            entry["year"],
        )

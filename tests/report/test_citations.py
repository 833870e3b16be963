"""What is cited: the papers of the exams that were held and of the measures that were made, and nothing else."""

import re
from collections.abc import Callable

import polars as pl
import pytest

from voirdire.exam import exams
from voirdire.metrics.key import Key
from voirdire.report.citations import bibtex, citations, cited
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures


def run(exam: str, *measures: str, encoder: str | None = None) -> Run:
    figures = Measures({Key.parse(name): Estimate(0.5, None, None, 1) for name in measures})
    return Run(exam, {}, pl.DataFrame(), figures, Signature("0.1.0", encoder=encoder), part="score")


def keys(*runs: Run, **others: bool) -> set[str]:
    return {citation.key for citation in cited(runs, **others)}


def test_what_was_used_is_cited() -> None:
    assert keys(run("questions", "effectiveness")) == {"voirdire", "effective-questions", "guesswhat", "bootstrap"}
    assert keys(run("answers", "cider4", "bleu2@5", "meteor", "rouge_l"), compared=True) == {
        *("voirdire", "dense-visdial", "visdial", "cider", "bleu", "meteor", "rouge"),
        *("bootstrap", "permutation", "holm"),
    }
    assert "page-trend" in keys(run("robustness", "trend_p"))


def test_an_encoder_is_cited_by_its_name() -> None:
    assert "sentence-bert" in keys(run("answers", encoder="minilm:53aa"))
    assert "sentence-bert" not in keys(run("answers", encoder="bert:abc"))
    assert {"bert", "fasttext"} <= keys(run("answers", encoder="fasttext:12, bert:34"))
    assert "skip-thoughts" in keys(run("robustness", encoder="skipthoughts"))


def test_an_unknown_key_is_an_error() -> None:
    with pytest.raises(ValueError, match="nobody-1999"):
        cited([], ["nobody-1999"])


def test_every_entry_is_whole() -> None:
    known = citations()
    assert {key for exam in exams() for key in exam.papers} <= set(known)
    for citation in known.values():
        assert {"author", "title", "year"} <= set(citation.fields)
        assert citation.entry.count("{") == citation.entry.count("}")
        assert re.fullmatch(r"\d{4}", citation.fields["year"])
        assert citation.short.endswith(citation.fields["year"])
    text = bibtex(known.values())
    assert text.count("\n@") + 1 == len(known)


def test_short_forms() -> None:
    known = citations()
    assert known["cider"].short == "Vedantam et al. 2015"
    assert known["meteor"].short == "Denkowski and Lavie 2014"
    assert known["holm"].short == "Holm 1979"


@pytest.mark.parametrize("key", ["vqa-robustness", "scorekeeping"])
def test_titles_and_authors_are_those_of_the_papers(paper: Callable[[str], str], key: str) -> None:
    text = " ".join(paper(key).split())
    fields = citations()[key].fields
    assert fields["title"] in text
    for person in fields["author"].split(" and "):
        last, _, first = person.partition(", ")
        assert f"{first} {last}" in text

"""The methods section: it says what the runs say, and cites the papers of the exams and measures that were used."""

import re
from collections.abc import Callable
from dataclasses import replace

import polars as pl
import pytest
from small_report import small_models, small_report

from voirdire.exam import exams
from voirdire.metrics.key import Key
from voirdire.report.make import Report
from voirdire.report.methods import Methods, citations, cited, methods
from voirdire.runs import Estimate, Run, Signature
from voirdire.runs.estimate import Measures
from voirdire.section.content import Model


def test_the_text_says_how_the_figures_were_made() -> None:
    made = methods(small_report(), compared=False)
    text = " ".join(made.paragraphs)
    assert "Voir Dire 0.1.0" in text
    assert "Massiceti et al. 2020" in text
    assert "10,000 bootstrap resamples (Efron and Tibshirani 1993)" in text
    assert "answers: images" in text
    assert "seed 0" in text
    assert "permutation" not in text
    assert "@article{dense-visdial," in made.bibtex
    assert "holm" not in made.bibtex


def test_comparisons_have_a_paragraph() -> None:
    made = methods(small_report(), compared=True)
    text = " ".join(made.paragraphs)
    assert "Noreen 1989" in text
    assert "Holm 1979" in text
    assert "with 10,000 random permutations" in text
    assert made.paragraphs[-1].endswith("paired bootstrap, 10,000 resamples; seed 0.")
    assert "@article{holm," in made.bibtex


def test_every_run_is_listed_with_its_signature_and_warnings() -> None:
    models = small_models()
    made = methods(Report(models, []), compared=False)
    assert [(run.key, run.label) for run in made.runs] == [(model.key, model.label) for model in models]
    for run, model in zip(made.runs, models, strict=True):
        facts = dict(run.facts)
        assert facts["signature"] == str(model.run.signature)
        assert facts["items"] == "40"
        assert facts["made"] == "2026-01-01"
        assert "numpy" in facts["versions"]
        assert run.warnings == model.run.warnings


def test_what_the_signature_names_is_said_once() -> None:
    models = small_models()
    signature = replace(models[0].run.signature, encoder="minilm:53aa", tokeniser="treebank")
    models = [Model(model.label, model.key, replace(model.run, signature=signature)) for model in models]
    text = " ".join(methods(Report(models, []), compared=False).paragraphs)
    assert "(encoder: minilm:53aa; tokeniser: treebank)" in text
    assert "Reimers and Gurevych 2019" not in text.partition("minilm")[0]


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
    text = Methods((), (), tuple(known.values())).bibtex
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

"""The appendix: what is said of the figures is what the runs say, and it can be pasted."""

from dataclasses import replace

from small_report import small_models, small_report

from voirdire.section.content import Model
from voirdire.report.make import Report
from voirdire.report.methods import methods


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


def test_a_comparison_is_said() -> None:
    made = methods(small_report(), compared=True)
    assert "Noreen 1989" in made.text
    assert "Holm 1979" in made.text
    assert "with 10,000 random permutations" in made.text
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
        assert str(model.run.signature) in made.text


def test_what_the_signature_names_is_said_once() -> None:
    models = small_models()
    signature = replace(models[0].run.signature, encoder="minilm:53aa", tokeniser="treebank")
    models = [Model(model.label, model.key, replace(model.run, signature=signature)) for model in models]
    text = " ".join(methods(Report(models, []), compared=False).paragraphs)
    assert "(encoder: minilm:53aa; tokeniser: treebank)" in text
    assert "Reimers and Gurevych 2019" not in text.partition("minilm")[0]

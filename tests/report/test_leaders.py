"""Who leads an exam, in a sentence: significant leads, ties, too little to tell, figures with a caveat."""

import re
from dataclasses import replace

import polars as pl
import pytest
from small_report import ranked

from voirdire.exam import views_of
from voirdire.metrics.key import Key
from voirdire.report.leaders import ExamVerdict, Verdicts
from voirdire.runs import Estimate, Run
from voirdire.runs.view import estimate_views
from voirdire.section.content import Headline, Model, Section
from voirdire.section.phrases import headline
from voirdire.verdict.comparison import compare_runs

MRR, MR = Key("mrr"), Key("mr")


def models(**runs: Run) -> list[Model]:
    return [Model(label, f"run-{label}", run) for label, run in runs.items()]


def verdict(some: list[Model], *keys: Key, **caveats: str) -> ExamVerdict | None:
    headlines = [
        headline(model, key, "says", caveat=caveats.get(model.label, "")) for model in some for key in keys or (MRR,)
    ]
    return Verdicts(some, (), 0).verdict(section(headlines))


def section(headlines: list[Headline]) -> Section:
    return Section("answers", "Answers", "Are they right?", headlines, (), ())


def changed(run: Run, rank: pl.Expr) -> Run:
    bare = replace(run, items=run.items.with_columns(rank.alias("rank")))
    return replace(bare, measures=estimate_views(views_of(bare), seed=0))


def test_the_leader_is_named_with_the_p_of_the_comparison() -> None:
    some = models(bad=ranked(3), good=ranked(0))
    found = verdict(some)
    assert found is not None
    (made,) = compare_runs(["good", "bad"], [some[1].run, some[0].run], slices=False)
    p = next(compared.p_holm for compared in made.measures if compared.measure.name == "mrr")
    assert p is not None
    assert p <= 0.05
    said = "< 0.001" if p < 0.001 else f"= {p:.4f}"
    assert found.short == "good leads"
    assert found.text == (
        f"on MRR: {some[1].run.measures['mrr'].value:.3f} against {some[0].run.measures['mrr'].value:.3f} for bad, "
        f"a significant lead (p {said} after Holm's correction; 40 rounds that both were asked)."
    )
    assert found.leads["mrr"].leader == "good"


def test_where_lower_is_better_the_lowest_leads() -> None:
    found = verdict(models(bad=ranked(3), good=ranked(0)), MR)
    assert found is not None
    assert found.short == "good leads"
    assert found.text.startswith("on mean rank (lower is better): 3.875 against")


def test_equal_models_are_a_tie() -> None:
    found = verdict(models(one=ranked(0), two=ranked(0)), MRR, MR)
    assert found is not None
    assert found.short == "A tie"
    assert found.text.startswith("one and two have the same MRR, 0.")
    assert found.leads["mrr"].tied == {"one", "two"}
    assert not found.leads["mrr"].leader
    assert found.more == ("one and two are alike in every headline figure.",)


def test_models_that_differ_in_a_headline_without_a_better_side_are_not_called_alike() -> None:
    some = models(one=ranked(0), two=ranked(0))
    headlines = [headline(model, MRR, "says") for model in some]
    shares = Estimate(1.0, 1.0, 1.0, 40), Estimate(0.35, 0.2, 0.5, 40)
    headlines += [
        Headline(model.key, model.label, "share", "says", figure) for model, figure in zip(some, shares, strict=True)
    ]
    found = Verdicts(some, (), 0).verdict(section(headlines))
    assert found is not None
    assert found.short == "A tie"
    assert not any("alike" in text for text in found.more)


def test_without_a_second_image_nothing_can_be_told() -> None:
    def one_image(run: Run) -> Run:
        return changed(replace(run, items=run.items.filter(run.items["image_id"] == 0)), pl.col("rank"))

    found = verdict(models(one=one_image(ranked(0)), two=one_image(ranked(3))))
    assert found is not None
    assert found.short == "Too little to tell"
    assert found.text.endswith("(2 rounds that both were asked).")


def test_many_tied_models_are_counted_not_listed() -> None:
    found = verdict(models(**{f"m{number}": ranked(0) for number in range(12)}))
    assert found is not None
    assert found.text.startswith("m0, m1, m2 and 9 more have the same MRR")


def test_a_difference_within_chance_is_no_lead() -> None:
    run = ranked(0)
    other = changed(run, pl.when(pl.col("image_id") == 0).then(2).otherwise(pl.col("rank")))
    found = verdict(models(one=run, two=other))
    assert found is not None
    assert found.short == "Nobody leads: a tie"
    basis = "p = 1.0000 after Holm's correction; 40 rounds that both were asked"
    assert re.fullmatch(rf"on MRR, one \(.*\) does not differ beyond chance from two \(.*\) \({basis}\)\.", found.text)


def test_a_tie_at_the_top_names_those_behind() -> None:
    found = verdict(models(bad=ranked(5), one=ranked(0), two=ranked(0)))
    assert found is not None
    assert found.short == "A tie at the top"
    assert found.text.endswith(f"; one is ahead of bad ({ranked(5).measures['mrr'].value:.3f}).")


def test_a_figure_with_a_caveat_leads_nothing() -> None:
    found = verdict(models(deaf=ranked(0), bad=ranked(5), good=ranked(2)), deaf="it does not listen")
    assert found is not None
    assert found.short == "good leads"
    value = ranked(0).measures["mrr"].value
    assert found.more == (f"deaf is not ranked by MRR ({value:.3f}): it does not listen.",)


def test_one_model_has_no_contest() -> None:
    found = verdict(models(alone=ranked(0)))
    assert found is not None
    assert found.short == "One model: no comparison"


def test_too_few_images_are_said() -> None:
    def few(run: Run) -> Run:
        return changed(replace(run, items=run.items.filter(run.items["image_id"] < 3)), pl.col("rank"))

    found = verdict(models(one=few(ranked(0)), two=few(ranked(3))), MRR, MR)
    assert found is not None
    assert found.short == "Too little to tell"
    assert any(
        "there are too few items to tell these apart: one (3.500) and two (6.500)" in line for line in found.more
    )


def test_runs_that_cannot_be_compared_are_said_with_the_reason() -> None:
    other = ranked(0, signature=replace(ranked(0).signature, data={"visdial": "b" * 64}))
    found = verdict(models(one=ranked(2), two=other))
    assert found is not None
    assert found.short == "Nobody can be compared"
    assert "visdial" in found.text


def test_where_nobody_leads_on_the_first_measure_the_sentence_names_who_leads_on_another() -> None:
    run = ranked(0)
    # The reciprocal of a rank hardly changes far down, its mean does.
    other = changed(run, pl.when(pl.col("rank") > 4).then(pl.col("rank") + 40).otherwise(pl.col("rank") - 0))
    some = models(one=run, two=other)
    headlines = [replace(headline(model, MRR, "says"), caveat="x" if model.label == "two" else "") for model in some]
    headlines += [headline(model, MR, "says") for model in some]
    found = Verdicts(some, (), 0).verdict(section(headlines))
    assert found is not None
    assert "On mean rank (lower is better) one leads significantly (" in found.text


def test_a_measure_without_a_better_side_decides_nothing() -> None:
    some = models(one=ranked(0), two=ranked(3))
    assert (
        Verdicts(some, (), 0).verdict(section([Headline("run-one", "one", "mrr", "says", some[0].run.measures["mrr"])]))
        is None
    )


@pytest.mark.parametrize("first", ["good", "bad"])
def test_a_comparison_that_was_made_is_not_made_again(first: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"good": ranked(0), "bad": ranked(3)}
    order = [first, *(label for label in runs if label != first)]
    made = compare_runs(order, [runs[label] for label in order])
    calls = []

    def counted(*given: object, **named: object) -> object:
        calls.append(given)
        return compare_runs(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr("voirdire.report.leaders.compare_runs", counted)
    some = models(**runs)
    found = Verdicts(some, [made], 0).verdict(section([headline(model, MRR, "says") for model in some]))
    assert found is not None
    assert found.short == "good leads"
    assert len(calls) == (0 if first == "good" else 1)


def test_names_are_told_from_the_words_around_them() -> None:
    found = verdict(models(lead=ranked(0), **{"lead on": ranked(5)}), MRR)
    assert found is not None
    names = [text for text, name in found.parts if name]
    assert names == ["lead on", "lead"]
    assert "".join(text for text, _ in found.parts) == found.text

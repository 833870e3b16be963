"""A report of two small runs of `answers rank`, with one table, one chart and one drill of every kind of text."""

from dataclasses import replace

import numpy as np
import polars as pl

from voirdire.section.charts import data_table, interval_chart, point_of
from voirdire.section.content import Chart, Drill, Finding, Headline, Item, Model, Section, Table, Text, cell_of
from voirdire.report.make import Report
from voirdire.runs import Run, Signature
from voirdire.runs.view import estimate_views
from voirdire.exam import views_of

NASTY = "<script>alert('x')</script> & \"quotes\" | pipe_under 100 % #1 {brace}"
MEASURES = ("mrr", "recall@1", "mr")
SIGNATURE = Signature("0.1.0", data={"visdial": "a" * 64}, seed=0)


def ranked(shift: int, count: int = 40, signature: Signature = SIGNATURE) -> Run:
    """Two rounds an image; every rank is `shift` worse than it might be."""
    items = pl.DataFrame(
        {
            "image_id": np.arange(count) // 2,
            "round": np.arange(count) % 2,
            "rank": [1 + at % 7 + shift for at in range(count)],
        }
    )
    bare = Run("answers", {"cutoff": "relevant", "seed": 0}, items, {}, signature, part="rank", created="2026-01-01")
    return replace(bare, measures=estimate_views(views_of(bare), seed=0), warnings=(f"beware of {NASTY}",))


def small_models() -> list[Model]:
    return [Model("good", "run-1", ranked(0)), Model(NASTY, "run-2", ranked(3))]


def small_section(models: list[Model]) -> Section:
    rows = tuple((model.label, *(cell_of(model, name) for name in MEASURES), "–") for model in models)
    table = Table("made-table", f"Ranks {NASTY}", ("model", *MEASURES, "none"), rows, note=f"A note: {NASTY}")
    points = [point_of(model, name, name, scale=100) for model in models for name in MEASURES[:2]]
    chart = Chart("Drawn", interval_chart(points, value="%"), "What it shows.", data_table("made-data", "Data", points))
    items = [Item(f"image {at}", (), ((at / 3, None),), NASTY, (Text("question", NASTY),), at) for at in range(3)]
    drill = Drill("made-items", "Items", tuple(model.label for model in models), (), ("rank",), items)
    headlines = [Headline(model.key, model.label, "mrr", "says", model.run.measures["mrr"]) for model in models]
    findings = [Finding("", "All of them answer.", "plain"), Finding(NASTY, "It is worse.", "bad")]
    return Section("answers", "Answers", "Are they right?", headlines, findings, (table, chart), (drill,))


def small_report() -> Report:
    models = small_models()
    return Report(models, [small_section(models)], notes=[f"noted: {NASTY}"])

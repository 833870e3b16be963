"""What a reader does first: see who leads, sort a table, take a chart away, follow a link to an item, print."""

import re
from pathlib import Path
from typing import Any

import pytest
from robustness_runs import below, robust, said
from small_report import ranked

from voirdire import compare_runs
from voirdire.report.make import make_report, models_of, write_report
from voirdire.section.content import Model
from voirdire.section.context import Context

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def models() -> list[Model]:
    """Two models in two exams; one keeps its answers under noise, and of the ranks one is as good as the other."""
    falling = [said(below(share)) for share in (0.7, 0.5, 0.3)]
    firm = [said(below(share)) for share in (0.9, 0.85, 0.9)]
    return models_of(
        [
            ("steady", ranked(0)),
            ("steady", robust(said(below(0.9)), firm, said(below(0.9)))),
            ("shaky", ranked(0)),
            ("shaky", robust(said(below(0.9)), falling, said(below(0.2)))),
        ]
    )


@pytest.fixture(scope="module")
def page_file(models: list[Model], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(make_report(models, Context()), tmp_path_factory.mktemp("verdict") / "report.html")


def test_the_first_screen_says_who_leads(open_page: Any, page_file: Path, models: list[Model]) -> None:
    page = open_page(page_file)
    tie, lead = page.locator(".verdicts li").all()
    assert tie.locator("strong").inner_text() == "A tie"
    value = models[0].run.measures["mrr"].value
    assert f"steady and shaky have the same MRR, {value:.3f} (40 rounds that both were asked)." in tie.inner_text()
    runs = [model.run for model in models if model.run.exam == "robustness"]
    noisy = "accuracy:partition1"
    first, second = (run.measures[noisy].value for run in runs)
    assert first is not None
    assert second is not None
    (made,) = compare_runs(["steady", "shaky"], runs)
    p = next(measure.p_holm for measure in made.measures if measure.measure.name == noisy)
    assert p is not None
    assert p <= 0.05
    assert lead.locator("strong").inner_text() == "steady leads"
    assert f"{first:.1f} % against {second:.1f} % for shaky" in lead.inner_text()
    # All of it is on the first screen.
    box = lead.bounding_box()
    assert box["y"] + box["height"] < page.viewport_size["height"]
    badge = page.locator("#card-robustness .place.leads").first
    assert badge.locator("xpath=ancestor::tr").locator("th").inner_text() == "steady"
    assert page.locator("#card-answers .place.tie").count() == page.locator("#card-answers tbody .figure").count()


@pytest.mark.parametrize("narrow", [False, True])
def test_names_do_not_run_into_figures(open_page: Any, page_file: Path, narrow: bool) -> None:
    page = open_page(page_file, narrow=narrow)
    names = page.locator(".headlines tbody th")
    assert names.count() == 4
    assert names.evaluate_all("names => names.filter(name => name.scrollWidth > name.clientWidth).length") == 0


def test_at_most_five_findings_the_largest_first(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    sizes = page.locator("ol.ranked .count").all_inner_texts()
    assert 1 <= len(sizes) <= 5
    numbers = [int(found[0]) for size in sizes if (found := re.findall(r"\d+", size))]
    assert numbers == sorted(numbers, reverse=True)
    assert not page.locator("details.every").evaluate("one => one.open")


def test_a_model_has_one_colour(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    colours = page.evaluate("""() => {
        const found = {};
        for (const dot of document.querySelectorAll("th > .dot")) {
            const label = dot.parentElement.textContent.trim();
            (found[label] ??= new Set()).add(getComputedStyle(dot).backgroundColor);
        }
        return Object.fromEntries(Object.entries(found).map(([label, set]) => [label, [...set]]));
    }""")
    assert len(colours["steady"]) == len(colours["shaky"]) == 1
    assert colours["steady"] != colours["shaky"]


def test_tables_sort(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    table = page.locator("#robustness-scores table")
    names = table.locator("tbody th")
    before = names.all_inner_texts()
    assert before == ["steady", "shaky"]
    head = table.get_by_role("button", name="with partition 1 (%)")
    head.press("Enter")
    assert names.all_inner_texts() == ["shaky", "steady"]
    assert table.locator("th[aria-sort=ascending]").inner_text().startswith("with partition 1")
    head.press("Enter")
    assert names.all_inner_texts() == before
    assert table.locator("th[aria-sort=descending]").count() == 1
    table.get_by_role("button", name="model").press("Enter")
    assert names.all_inner_texts() == ["shaky", "steady"]
    table.get_by_role("button", name="model").press("Enter")
    table.get_by_role("button", name="model").press("Enter")
    assert names.all_inner_texts() == before
    assert table.locator("th[aria-sort]").count() == 0


def test_a_chart_is_saved_as_svg_and_as_pdf(open_page: Any, page_file: Path, tmp_path: Path) -> None:
    page = open_page(page_file)
    figure = page.locator("figure.chart").first
    name = figure.get_attribute("id")
    for kind, start in (("SVG", b"<svg"), ("PDF", b"%PDF-")):
        with page.expect_download() as saved:
            figure.get_by_role("link", name=kind).click()
        assert saved.value.suggested_filename == f"{name}.{kind.lower()}"
        path = tmp_path / f"chart.{kind.lower()}"
        saved.value.save_as(path)
        assert path.read_bytes().startswith(start)
    drawn = page.context.new_page()
    drawn.goto((tmp_path / "chart.svg").as_uri())
    assert drawn.evaluate("document.documentElement.tagName") == "svg"
    assert drawn.evaluate("document.querySelectorAll('path').length") > 3
    assert b"/Page" in (tmp_path / "chart.pdf").read_bytes()


def test_a_link_opens_its_item(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    drill = page.locator("#robustness-questions")
    drill.locator("summary").first.press("Enter")
    name = drill.locator("table.list > tbody > tr th button").nth(3).inner_text().strip()
    anchor = f"item-robustness-questions-{name.replace(' ', '-')}"
    drill.get_by_role("searchbox").fill("no such thing")
    drill.locator("[aria-live]", has_text="0 of ").wait_for()
    page.evaluate("anchor => { location.hash = anchor; }", anchor)
    drill.locator("tr.opened").wait_for()
    button = drill.locator("tr:has(+ tr.opened) th button")
    assert button.inner_text().strip() == name
    assert drill.get_by_role("searchbox").input_value() == ""
    link = drill.locator("tr.opened").get_by_role("link", name="Link to this item")
    assert link.get_attribute("href") == f"#{anchor}"


def test_a_link_opens_its_item_in_a_fresh_page(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    page.goto("about:blank")
    page.goto(f"{page_file.as_uri()}#item-answers-ranked-image-7-round-1")
    opened = page.locator("#answers-ranked tr.opened")
    opened.wait_for()
    assert page.locator("#answers-ranked tr:has(+ tr.opened) th button").inner_text().strip() == "image 7, round 1"


def test_where_models_disagree_and_what_is_worst(open_page: Any, page_file: Path, models: list[Model]) -> None:
    page = open_page(page_file)
    drill = page.locator("#robustness-questions")
    drill.locator("summary").first.press("Enter")
    drill.locator("table.list").wait_for()
    one, other = (model.run.items for model in models if model.run.exam == "robustness")
    columns = ("answer", "answer:partition1")
    apart = [
        " → ".join(dict.fromkeys(first)) != " → ".join(dict.fromkeys(second))
        for first, second in zip(one.select(columns).rows(), other.select(columns).rows(), strict=True)
    ]
    assert 0 < sum(apart) < len(apart)
    drill.get_by_role("checkbox", name="models disagree").check()
    drill.locator("[aria-live]", has_text=f"{sum(apart)} of {len(apart)} items").wait_for()
    drill.get_by_role("checkbox", name="models disagree").uncheck()
    drill.get_by_role("combobox", name="score shown").select_option(label="accuracy:partition1")
    drill.get_by_role("button", name="Worst first").click()
    score = drill.locator("table.list > tbody > tr").first.locator("td.says .score").all_inner_texts()
    both = (one["accuracy:partition1"] + other["accuracy:partition1"]).min()
    assert sum(float(text.replace(",", "")) for text in score) == both


def test_tables_are_not_split_in_print(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file)
    page.emulate_media(media="print")
    kept = page.locator(".table:not(.tall) table, .card, figure.chart").evaluate_all(
        "all => all.map(one => getComputedStyle(one).breakInside)"
    )
    assert kept
    assert set(kept) == {"avoid"}


def test_sections_are_folded_until_they_are_opened(open_page: Any, page_file: Path) -> None:
    page = open_page(page_file, folded=True)
    bodies = page.locator("main > section > details.body")
    assert bodies.count() >= 2
    assert bodies.evaluate_all("bodies => bodies.filter(body => body.open).length") == 0
    table = page.locator("#answers .table table").first
    assert not table.is_visible()
    page.locator(".contents a[href='#answers']").first.click()
    table.wait_for()
    assert page.locator("#robustness > details.body").evaluate("one => !one.open")


@pytest.fixture(scope="module")
def many_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six models, two of which are the same."""
    runs = [
        (f"a-model-with-a-very-long-name-{shift}-{at}", ranked(shift)) for at, shift in enumerate((0, 0, 1, 3, 3, 9))
    ]
    return write_report(make_report(models_of(runs), Context()), tmp_path_factory.mktemp("many") / "report.html")


@pytest.mark.parametrize("narrow", [False, True])
def test_many_models_stand_in_one_ranking_with_letters(open_page: Any, many_file: Path, narrow: bool) -> None:
    page = open_page(many_file, narrow=narrow, folded=True)
    rows = page.locator("table.ranking tbody tr")
    assert rows.count() == 6
    letters = page.locator("td.letters").all_inner_texts()
    assert letters[0] == letters[1] == "a"
    assert "a" not in letters[-1]
    first = rows.first.locator("th")
    assert first.get_attribute("title") == "a-model-with-a-very-long-name-0-0"
    assert "…" in first.inner_text()
    # No name runs into its figure, and nothing is wider than the page.
    boxes = [(row.locator("th").bounding_box(), row.locator(".figure").bounding_box()) for row in rows.all()]
    for name, figure in boxes:
        below = figure["y"] >= name["y"] + name["height"] - 1
        assert below or figure["x"] >= name["x"] + name["width"] - 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#card-answers details.notes").first.evaluate("one => !one.open")

"""The page as a text: whole, escaped, with nothing from elsewhere; the browser's tests look at it as a reader does."""

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from section_checks import unpack
from small_report import NASTY, ranked, small_models, small_report, small_section

from voirdire.report.make import Report
from voirdire.report.page import render
from voirdire.report.page_sections import SectionRenderer
from voirdire.report.table_export import csv_table
from voirdire.runs import Estimate
from voirdire.section.charts import THEME
from voirdire.section.content import Cell, Headline, Model, Table

VOID = {"meta", "input", "img", "br", "link", "hr"}


class Reader(HTMLParser):
    """What stands in the page: elements with their attributes, the texts of scripts, and whether all are closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.scripts: list[tuple[dict[str, str], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.found.append((tag, named))
        if tag == "script":
            self.scripts.append((named, ""))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = (attributes, text + data)


@pytest.fixture(scope="module")
def text() -> str:
    return render(small_report())


@pytest.fixture(scope="module")
def page(text: str) -> Reader:
    return Reader(text)


def test_the_page_is_well_formed_and_its_ids_are_unique(page: Reader) -> None:
    assert page.open == []
    ids = [named["id"] for _, named in page.found if "id" in named]
    assert len(set(ids)) == len(ids)
    inside = [named["href"][1:] for tag, named in page.found if tag == "a" and named["href"].startswith("#")]
    assert set(inside) <= set(ids)


def test_the_same_report_gives_the_same_bytes(text: str) -> None:
    assert render(small_report()) == text


def test_every_figure_is_the_runs(page: Reader) -> None:
    runs = {model.key: model.run for model in small_models()}
    found = [named for tag, named in page.found if tag == "span" and "data-run" in named]
    assert len(found) == 2 + 2 * 3 + 4
    for named in found:
        run = runs[named["data-run"]]
        assert float(named["data-value"]) == run.measures[named["data-measure"]].value
        assert str(run.signature) in named["title"]


def test_a_figure_of_a_runs_items_says_its_signature_too() -> None:
    model = small_models()[0]
    table = Table("made", "Made", ("model", "figure"), (("good", Cell("0.25", model.key, "", 0.25, 0.125, 0.5)),))
    text = render(replace(small_report(), sections=[replace(small_section(small_models()), contents=(table,))]))
    (named,) = (named for _, named in Reader(text).found if named.get("data-value") == "0.25")
    assert "data-measure" not in named
    said = f"{model.label}: 0.25 from the items of the run, 95 % interval 0.125 … 0.5. answers rank|"
    assert named["title"] == said + str(model.run.signature)
    assert '<span class="interval">0.12\N{NO-BREAK SPACE}… 0.50</span>' in text


def test_texts_are_escaped(text: str) -> None:
    assert NASTY not in re.sub(r"data:[^\"]*|<script type=\"text/plain\".*?</script>", "", text)
    assert html.escape(NASTY, quote=False).replace('"', "&#34;").replace("'", "&#39;") in text


def test_only_scripts_whose_hashes_are_named_may_run(page: Reader) -> None:
    policy = next(named["content"] for tag, named in page.found if named.get("http-equiv") == "Content-Security-Policy")
    assert "default-src 'none'" in policy
    run = [text for named, text in page.scripts if "type" not in named]
    assert len(run) == 2
    for script in run:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert "unsafe-inline" not in policy.partition("script-src")[2]


def test_nothing_is_asked_of_another_place(page: Reader) -> None:
    for tag, named in page.found:
        for name in ("src", "href", "action", "poster", "srcset"):
            assert named.get(name, "#").startswith(("#", "data:")), (tag, named)
    style = "".join(_parts("css"))
    assert "url(" not in style
    assert "@import" not in style


def test_scripts_never_take_a_text_for_markup() -> None:
    for script in _parts("js"):
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", script)
        assert "</" not in script


def test_items_are_in_the_page(page: Reader) -> None:
    packed = {named["id"]: text for named, text in page.scripts if named.get("type") == "text/plain"}
    assert set(packed) == {"made-items-index", "made-items-shared", "made-items-chunk-0"}
    assert unpack(packed["made-items-chunk-0"]) == [[["text", "question", NASTY]]] * 3


def test_every_table_can_be_taken_away(page: Reader) -> None:
    links = {named["download"]: named["href"] for tag, named in page.found if tag == "a" and "download" in named}
    assert set(links) == {"made-table.csv", "made-data.csv", "made-data.pdf", "made-data.svg"}
    assert base64.b64decode(links["made-data.pdf"].partition("base64,")[2]).startswith(b"%PDF-")
    data = base64.b64decode(links["made-table.csv"].partition("base64,")[2]).decode()
    assert data == csv_table(small_report().sections[0].contents[0])  # type: ignore[arg-type]


def test_tables_have_captions_and_scopes(page: Reader) -> None:
    tags = [tag for tag, _ in page.found]
    assert tags.count("caption") == tags.count("table") == 3
    assert all(named.get("scope") in ("row", "col") for tag, named in page.found if tag == "th")


def test_charts_follow_the_theme(text: str) -> None:
    """The light colour of each property is the one that charts are drawn with."""
    for colour, name in THEME.items():
        assert f'.drawing [fill="{colour}"] {{ fill: var({name}); }}' in text
        if name not in ("--soft", "--accent"):
            assert re.search(rf"{name}: light-dark\({colour}, #[0-9a-f]{{6}}\)", text)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: str, second: str) -> float:
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_colours_can_be_read_on_paper_and_on_cards(dark: bool) -> None:
    found = re.findall(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\)", "".join(_parts("css")))
    colours = {name: pair[dark] for name, *pair in found}
    texts = ["--text", "--soft", "--accent", "--good", "--bad", *(f"--series-{at}" for at in range(1, 7))]
    for name in texts:
        for ground in ("--paper", "--wash"):
            assert contrast(colours[name], colours[ground]) >= 4.5, (name, ground)
    assert contrast(colours["--text"], colours["--mark"]) >= 4.5
    assert contrast(colours["--on-accent"], colours["--accent"]) >= 4.5


def test_pictures_of_shown_items_are_inside(tmp_path: Path) -> None:
    for number in (1, 2, 99):
        Image.fromarray(np.full((8, 8, 3), number, np.uint8)).save(tmp_path / f"world_{number:012}.png")
    report = small_report()
    found = Reader(render(Report(report.models, report.sections, tmp_path)))
    pictures = {named["id"]: text for named, text in found.scripts if named.get("id", "").startswith("picture-")}
    assert set(pictures) == {"picture-1", "picture-2"}
    assert all(text.startswith("data:image/webp;base64,") for text in pictures.values())


def _parts(kind: str) -> list[str]:
    folder = files("voirdire.report") / "templates" / kind
    return [part.read_text(encoding="utf-8") for part in folder.iterdir()]


@pytest.mark.parametrize(
    ("figures", "unit", "scale", "ends", "places"),
    [
        ((0.5, 0.5), "", 1, ("0", "0.5"), ["194.0", "194.0"]),
        ((0.012, 0.034), "", 1, ("0", "0.05"), ["49.6", "133.2"]),
        ((0.25, 0.5), "%", 100, ("0", "100 %"), ["51.5", "99.0"]),
        ((-3.0, 3.0), "points", 1, ("-5", "5 points"), ["42.0", "156.0"]),
        ((0.0, 0.0), "", 1, ("0", "1"), ["4.0", "4.0"]),
        ((0.0, 0.0), "%", 100, ("0", "100 %"), ["4.0", "4.0"]),
        ((-2.0, -1.0), "", 1, ("-2", "0"), ["4.0", "99.0"]),
    ],
)
def test_a_headlines_scale_holds_zero_and_says_both_ends(figures, unit, scale, ends, places) -> None:
    models = small_models()
    section = small_section(models)
    headlines = [
        replace(each, figure=Estimate(value, value, value, 9), unit=unit, scale=scale)
        for each, value in zip(section.headlines, figures, strict=True)
    ]
    shown = SectionRenderer(models).section(replace(section, headlines=headlines)).headlines
    assert shown is not None
    assert shown.columns[0].ends == ends
    found = [re.findall(r'cx="([^"]*)"', str(row.cells[0][0].strip)) for row in shown.rows]
    assert found == [[place] for place in places]


def test_from_four_models_on_they_are_sorted_on_a_scale_that_spans_them() -> None:
    values = {"a": 0.44, "b": 0.31, "c": 0.45, "d": 0.43}
    models = [Model(label, f"run-{label}", ranked(0)) for label in values]
    headlines = [
        Headline(
            model.key,
            model.label,
            "mrr",
            "says",
            Estimate(value, value - 0.01, value + 0.01, 9),
            "%",
            "",
            "higher",
            100,
        )
        for model, value in zip(models, values.values(), strict=True)
    ]
    section = replace(small_section(small_models()), headlines=headlines, contents=(), drills=())
    shown = SectionRenderer(models).section(section).headlines
    assert shown is not None
    assert [row.label for row in shown.rows] == ["c", "a", "d", "b"]
    assert shown.columns[0].ends == ("30", "46 %")
    few = SectionRenderer(models).section(replace(section, headlines=headlines[:3])).headlines
    assert few is not None
    assert [row.label for row in few.rows] == ["a", "b", "c"]
    assert few.columns[0].ends == ("0", "100 %")

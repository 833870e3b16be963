"""The report as one HTML file that needs nothing else: no network, no other file.

Everything but the items is in the page as it is, so it can be read, searched and printed without scripts.
"""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from voirdire import pages
from voirdire.errors import InputError
from voirdire.figures import counted, name_list
from voirdire.formats.picture_files import PictureFile, find_pictures
from voirdire.progress import Progress, silent
from voirdire.report.comparison_section import COMPARISON
from voirdire.report.make import Report
from voirdire.report.methods import Methods, methods
from voirdire.report.page_sections import PageDrill, PageSection, SectionRenderer
from voirdire.section.charts import THEME
from voirdire.section.content import Finding, Section

PACKAGE = "voirdire.report"
NAMED = 4
"""Models that the title names; more are counted."""
MOST = 5
"""Findings that the first screen shows; the others are folded."""
LARGEST = 99
"""The largest effect that is written as a number of standard errors."""

THUMBNAIL = 6000
"""The most bytes of a thumbnail."""
TRIES = ((256, 75), (256, 60), (224, 55), (192, 50), (160, 45), (128, 40), (96, 30), (64, 20))
"""The longer side of a thumbnail in pixels, and its quality; the first that is small enough is taken."""


@dataclass(frozen=True, slots=True)
class RankedFinding:
    """A finding of the first screen, its exam, and the size of its effect in words."""

    exam: str
    title: str
    finding: Finding
    size: str


@dataclass(frozen=True, slots=True)
class _Page:
    heading: str
    lead: str
    notes: Sequence[str]
    sections: list[PageSection]
    findings: list[RankedFinding]
    drills: list[PageDrill]
    pictures: dict[int, str]
    methods: Methods


def render(report: Report, progress: Progress = silent) -> str:
    """The page as a text; `progress` is called with how many sections are done."""
    renderer = SectionRenderer(report.models)
    sections = []
    for done, section in enumerate(report.sections):
        progress(done, len(report.sections))
        sections.append(renderer.section(section, report.verdicts.get(section.exam)))
    progress(len(report.sections), len(report.sections))
    drills = [drill for section in sections for drill in section.drills]
    pictures, unread = _pictures(report.images, drills)
    page = _Page(
        heading=_heading(report.labels),
        lead=_lead(report),
        notes=[*report.notes, *unread],
        sections=sections,
        findings=_ranked(report.sections),
        drills=drills,
        pictures=pictures,
        methods=methods(report, any(section.exam == COMPARISON for section in report.sections)),
    )
    return pages.render(
        PACKAGE,
        "page.html",
        f"{page.heading} – Voir Dire",
        css=_css(),
        first=_script("first.js"),
        script=_script("1_page.js", "2_unpack.js", "3_blocks.js", "4_items.js"),
        page=page,
    )


def _ranked(sections: Sequence[Section]) -> list[RankedFinding]:
    """The exams' findings with the largest effects; those of comparisons are in the verdicts."""
    by_effect = sorted(
        (
            (finding.effect, section, finding)
            for section in sections
            if section.exam != COMPARISON
            for finding in section.findings
            if finding.effect is not None
        ),
        key=lambda entry: -entry[0],
    )
    return [
        RankedFinding(
            section.exam,
            section.title,
            finding,
            f"{f'{effect:.0f}' if effect < LARGEST else f'more than {LARGEST}'} standard errors",
        )
        for effect, section, finding in by_effect[:MOST]
    ]


def _pictures(folder: Path | None, drills: Sequence[PageDrill]) -> tuple[dict[int, str], list[str]]:
    """A thumbnail of each image that an item shows and the folder has, and a note on those that cannot be read."""
    if folder is None:
        return {}, []
    wanted = {image for drill in drills for image in drill.packed.images}
    thumbnails, faults = dict[int, str](), list[str]()
    for image, file in sorted(find_pictures([folder], wanted).items()):
        try:
            thumbnails[image] = thumbnail(file)
        except InputError as error:
            # Without the folder: where it is on somebody's machine is not for those who get the report.
            faults.append(f"{file.inside} ({error.problems[0].found})")
    first = ", ".join(faults[:3]) + (", …" if len(faults) > 3 else "")
    return thumbnails, [f"{counted(len(faults), 'picture')} could not be read: {first}."] if faults else []


def thumbnail(file: PictureFile) -> str:
    """A small version of the picture as a data URL, of at most `THUMBNAIL` bytes."""
    whole = file.decode()[1].convert("RGB")
    for side, quality in TRIES:
        small = whole.copy()
        small.thumbnail((side, side))
        buffer = io.BytesIO()
        small.save(buffer, "WEBP", quality=quality, method=4)
        if buffer.tell() <= THUMBNAIL:
            break
    return f"data:image/webp;base64,{base64.b64encode(buffer.getvalue()).decode()}"


def _css() -> str:
    names = ("1_base", "2_layout", "3_tables", "4_items", "5_print")
    # A chart's own colours are attributes, which any rule of a style sheet overrides.
    rules = [
        f'.drawing [{what}="{colour}"] {{ {what}: var({name}); }}'
        for colour, name in {**THEME, "#000": "--text"}.items()
        for what in ("fill", "stroke")
    ]
    return "\n".join([*(pages.part(PACKAGE, f"css/{name}.css") for name in names), *rules])


def _script(*names: str) -> str:
    return '"use strict";\n(() => {\n' + "\n".join(pages.part(PACKAGE, f"js/{name}") for name in names) + "})();\n"


def _heading(labels: Sequence[str]) -> str:
    """`truthful, forgetful and blind on the stand`."""
    return f"{name_list(labels) if len(labels) <= NAMED else f'{len(labels)} models'} on the stand"


def _lead(report: Report) -> str:
    labels = report.labels
    exams = counted(len({model.run.exam for model in report.models}), "exam")
    few = f"{counted(len(labels), 'model')}, {exams}."
    who = f"{name_list(labels, NAMED)}, in {exams}." if len(labels) > NAMED else few
    return f"{who} Figures have 95 % intervals; hover over one, tap it, or reach it by keyboard, for its signature."

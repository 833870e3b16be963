"""What holds of the section of any exam: figures are the runs' own, names are unique, items can be packed."""

import base64
import gzip

import msgspec

from voirdire.report.packed_items import pack_drill
from voirdire.section.charts import drawn_svg, svg_in_page
from voirdire.section.content import Cell, Chart, tables_of


def unpack(text):
    """The value that `pack` packed."""
    return msgspec.json.decode(gzip.decompress(base64.b64decode(text)))


def tables(section):
    """All tables of a section by name, those behind charts too."""
    found = tables_of(section.contents)
    names = [table.name for table in found]
    assert len(set(names)) == len(names)
    return dict(zip(names, found, strict=True))


def cells(section):
    return [cell for table in tables(section).values() for row in table.rows for cell in row if isinstance(cell, Cell)]


def texts(table):
    return [[cell.text if isinstance(cell, Cell) else cell for cell in row] for row in table.rows]


def check_section(section, models):
    """Every figure that names its run and measure is the run's, and rows and items have the shape that they say."""
    runs = {model.key: model.run for model in models}
    known = 0
    for cell in cells(section):
        if cell.run and cell.measure:
            figure = runs[cell.run].measures[cell.measure]
            assert (cell.value, cell.low, cell.high) == (figure.value, figure.low, figure.high)
            known += 1
    for table in tables(section).values():
        assert all(len(row) == len(table.columns) for row in table.rows)
    for headline in section.headlines:
        assert headline.figure == runs[headline.run].measures[headline.measure]
        assert headline.says
    for finding in section.findings:
        assert finding.text.endswith(".")
        assert "None" not in finding.text
    names = [drill.name for drill in section.drills]
    assert len(set(names)) == len(names)
    for drill in section.drills:
        items = list(drill.items)
        assert len(items) == len(drill.items)
        pack_drill(drill)
        for item in items:
            assert all(len(row) == len(drill.labels) for row in item.scores)
    return known


def draw_charts(section):
    drawn = [svg_in_page(drawn_svg(content.spec), "x") for content in section.contents if isinstance(content, Chart)]
    assert all(svg.startswith("<svg") for svg in drawn)
    return len(drawn)

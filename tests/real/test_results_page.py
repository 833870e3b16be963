"""The page of results says what its script makes today, for the sections that take seconds."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import results  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("section", ["ranked", "vqa", "games", "twenty"])
def test_a_section_as_it_is_printed(section: str, real_data: Path, tmp_path: Path) -> None:
    page = results.PAGE.read_text()
    maker = results.Maker(real_data.resolve(), tmp_path)
    assert results.filled(page, section, results.SECTIONS[section](maker)) == page


def test_a_page_without_the_sections_place_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"results\.md has 0 places for games, expected one"):
        results.filled("no place here", "games", ["a table"])

"""The page on formats lists exactly what can be read."""

import re
from pathlib import Path

import pytest

from voirdire.formats.catalogue import formats

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"


def test_page_lists_every_format_once_and_no_other() -> None:
    listed = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(format_.name for format_ in formats())

"""What every test may use: the real data, where it is, and properties that are tried on the same examples each time."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine; `pytest --hypothesis-profile=default` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real public data; tests that need it skip where it is not given."""
    folder = os.environ.get("VOIRDIRE_REAL_DATA")
    if not folder:
        pytest.skip("needs the real data: set VOIRDIRE_REAL_DATA to its folder")
    path = Path(folder).resolve()
    if not path.is_dir():
        pytest.fail(f"VOIRDIRE_REAL_DATA names {path}, which is not a folder")
    return path


@pytest.fixture(scope="session")
def paper(real_data: Path) -> Callable[[str], str]:
    """The text of a paper by its name, from the folder `papers` beside the real data; tests skip where it is not."""

    def read(name: str) -> str:
        path = real_data.parent / "papers" / f"{name}.txt"
        if not path.is_file():
            pytest.skip(f"needs the paper's text, {path.name}, in the folder `papers` beside the real data")
        return path.read_text(encoding="utf-8")

    return read

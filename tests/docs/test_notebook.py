"""The notebook runs from its first cell to its last, and what its cells end with is shown as a notebook shows it.

The cells are run as plain Python: they use nothing that needs a kernel, and a kernel would bring thirty packages.
"""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from voirdire.drawings import DrawnChart
from voirdire.runs import Run
from voirdire.verdict.comparison import Comparison

pytestmark = pytest.mark.slow

NOTEBOOK = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def shown(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; the value of its last line where that is an expression."""
    *body, last = ast.parse(source).body
    if not isinstance(last, ast.Expr):
        body, last = [*body, last], None
    exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)


def test_every_cell_runs_and_shows_something_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names: dict[str, Any] = {"__name__": "__main__"}
    made = [shown("".join(cell["source"]), names) for cell in cells if cell["cell_type"] == "code"]
    values = [one for one in made if one is not None]
    assert {Run, DrawnChart, Comparison} <= {type(value) for value in values}
    for one in values:
        assert len(repr(one)) < 5_000
    assert "forgetful against truthful, 80 rounds that both were asked" in names["comparison"]._repr_html_()
    assert names["forgetful"].to_frame()["measure"].to_list()[0] == "cider1"

"""LaTeX: what would break a table is escaped, and every row has as many cells as the head."""

import pytest

from voirdire.tables import escape_latex, tabular


@pytest.mark.parametrize(
    ("text", "expected"), [("a_b", r"a\_b"), ("5 %", r"5 \%"), ("\\", r"\textbackslash{}"), ("↑", r"$\uparrow$")]
)
def test_escape(text: str, expected: str) -> None:
    assert escape_latex(text) == expected


def test_a_table_needs_only_booktabs() -> None:
    assert tabular(["measure", "a^b"], [["rouge_l", "0.5"]]) == [
        r"\begin{tabular}{lr}",
        r"\toprule",
        r"measure & a\textasciicircum{}b \\",
        r"\midrule",
        r"rouge\_l & 0.5 \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_table_without_rows_is_its_head() -> None:
    assert tabular(["measure"], [])[2:4] == [r"measure \\", r"\midrule"]

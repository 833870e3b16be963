"""Tables: what would break one is escaped, and every row has as many cells as the head."""

from voirdire.tables import aligned, tabular


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


def test_a_row_that_begins_as_an_argument_does_is_a_row() -> None:
    made = tabular(["[2cm]", "n"], [["*", "1"], ["[red]", "2"], ["a", "[3]"]])
    assert made[2] == r"{}[2cm] & n \\"
    assert made[4:7] == [r"{}* & 1 \\", r"{}[red] & 2 \\", r"a & [3] \\"]


def test_a_cell_stays_in_its_line_and_column() -> None:
    head, _, first, second = aligned(["model", "n"], [["a\nb\x1b[2J", "1"], ["[red]c[/red]", "22"]])
    assert head == "model          n"
    assert first == r"a b\u001b[2J   1"
    assert second == "[red]c[/red]  22"

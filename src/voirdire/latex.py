"""A table for a paper: the same from a run, from a comparison and from a report (package booktabs)."""

from collections.abc import Iterable, Sequence

__all__ = ["escape_latex", "tabular"]

_SPECIAL = {
    **{"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "…": r"\dots{}", "−": "$-$"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "→": r"$\rightarrow$", "Δ": r"$\Delta$"},
    **{"↑": r"$\uparrow$", "↓": r"$\downarrow$"},
}


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def tabular(head: Sequence[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """The lines of a table: the first column to the left, figures to the right."""
    return [
        rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *map(_row, rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]


def _row(cells: Iterable[str]) -> str:
    return " & ".join(map(escape_latex, cells)) + r" \\"

"""Texts of other people's files in what we write: one function per kind of writing, so that no text becomes code.

Pages need none of these: their templates take every text for a text (`voirdire.pages`).
"""

import html
import re

_UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What a terminal may obey, or cannot write: controls, marks that turn the direction of text, half characters."""
_ENDS = re.compile(r"[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")

_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
_PLAIN = re.compile(rf"{_NUMBER}(?:\s?%)?(?:\s…\s{_NUMBER})?|-(?:inf)?")
"""Cells that begin with a sign and are no formula: a number, its interval, a dash."""
_FORMULA = re.compile("'*[=+\\-@\t\r\n＝＋－＠]")

_LATEX = {
    **{"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&", "#": r"\#", "$": r"\$"},
    **{"~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--", "±": r"$\pm$", "…": r"\dots{}", "−": "$-$"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "→": r"$\rightarrow$", "Δ": r"$\Delta$"},
    **{"↑": r"$\uparrow$", "↓": r"$\downarrow$", "∈": r"$\in$", "≤": r"$\leq$", "≥": r"$\geq$", "×": r"$\times$"},
    **{"Γ": r"$\Gamma$", "Σ": r"$\Sigma$", "α": r"$\alpha$", "γ": r"$\gamma$", "κ": r"$\kappa$", "λ": r"$\lambda$"},
    **{"μ": r"$\mu$", "ρ": r"$\rho$", "σ": r"$\sigma$", "§": r"\S{}", "†": r"\textdagger{}"},
}
# A low line inside a word, as in the names of measures, is no mark.
_MARKS = re.compile(r"[\\`*\[|~$]|(?<![^\W_])_|_(?![^\W_])")
_STARTS = re.compile(r"[#+=-]|\d+(?=[.)])")


def visible(text: str) -> str:
    r"""Text for a terminal, which obeys nothing in it: an escape is written `\u001b`, as JSON writes it, too."""
    return _CONTROLS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def one_line(text: str) -> str:
    """The same on one line: for a cell of a table, or a comment that must not end before the text does."""
    return visible(_ENDS.sub(" ", text))


def fit(text: str) -> str:
    """Text without characters that neither HTML nor XML can hold."""
    return _UNFIT.sub("\ufffd", text)


def fit_line(text: str) -> str:
    """The same on one line."""
    return fit(_ENDS.sub(" ", text))


def xml(text: str) -> str:
    """Text as an SVG shows it, in an element or an attribute."""
    return html.escape(fit(text))


def sheet_cell(text: str) -> str:
    """A cell that a spreadsheet does not compute: an apostrophe stands before what it would take for a formula."""
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN.fullmatch(text) else text


def latex(text: str) -> str:
    """Text as LaTeX shows it."""
    return "".join(_LATEX.get(character, character) for character in visible(fit_line(text)))


def latex_comment(text: str) -> str:
    """A comment, which ends with its line."""
    return f"% {one_line(text)}"


def markdown(text: str, starts: bool = False) -> str:
    """Text as Markdown shows it, on one line; `starts` where it is what a line or an entry of a list begins with."""
    escaped = html.escape(_MARKS.sub(r"\\\g<0>", fit(" ".join(text.split()))), quote=False)
    if starts and (start := _STARTS.match(escaped)):
        return f"{escaped[: start.end()]}\\{escaped[start.end() :]}" if start[0].isdigit() else f"\\{escaped}"
    return escaped

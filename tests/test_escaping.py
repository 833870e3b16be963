"""Texts in what we write: each stays a text, and what is none of a kind's business stays as it is."""

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from voirdire.escaping import (
    fit,
    fit_line,
    latex,
    latex_comment,
    markdown,
    one_line,
    sheet_cell,
    visible,
    xml,
)

MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
ANY = st.text(st.characters(), max_size=40) | st.text("[]()<>|`*_~#-+=1.!&;\\ \n\ta:/$'\"@", max_size=20)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31mred\x1b[0m", r"\u001b[31mred\u001b[0m"),
        ("\x9b1m\x7f\r\b", r"\u009b1m\u007f\u000d\u0008"),
        ("\u202etxt", r"\u202etxt"),
        ("a\ud800b", r"a\ud800b"),
        ("[red]é\t猫\n", "[red]é\t猫\n"),
    ],
)
def test_a_terminal_obeys_nothing(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(ANY)
def test_json_that_is_made_visible_says_the_same(text: str) -> None:
    assert json.loads(visible(json.dumps(text, ensure_ascii=False))) == text


@given(ANY)
def test_one_line_is_one_line_for_every_reader(text: str) -> None:
    assert len(f"x{one_line(text)}".splitlines()) == 1
    assert len(f"x{fit_line(text)}".splitlines()) == 1
    assert yaml.safe_load(f"a: 1  # {one_line(text)}\n") == {"a": 1}


def test_what_neither_html_nor_xml_can_hold() -> None:
    assert fit("a\x00b\x1bc\x85d\ud800e\ufffef\n") == "a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf\n"
    assert xml('<b> & "it\'s"\x00') == "&lt;b&gt; &amp; &quot;it&#x27;s&quot;\ufffd"


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "'=1", "''@x", "=", "- a", "-1-2"],
)
def test_a_formula_is_no_formula(text: str) -> None:
    assert sheet_cell(text) == "'" + text


@pytest.mark.parametrize(
    "text",
    [
        "-0.25",
        "+3",
        "-1,234.5",
        "-1e-07",
        "+0.5 %",
        "-0.50 … 0.12",
        "-0.50 … -0.12",
        "-",
        "-inf",
        "0.5",
        "",
        "a=b",
        "'a",
    ],
)
def test_numbers_stay_numbers(text: str) -> None:
    assert sheet_cell(text) == text


@given(ANY)
def test_a_cell_keeps_its_text_and_never_starts_a_formula(text: str) -> None:
    cell = sheet_cell(text)
    assert cell in (text, f"'{text}")
    if cell[:1] in ("=", "@", "\t", "\r", "\n"):
        raise AssertionError(cell)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b", r"a\_b"),
        ("5 %", r"5 \%"),
        ("\\", r"\textbackslash{}"),
        ("↑", r"$\uparrow$"),
        ("Γ: σ ≥ 1, A ∈ Σ", r"$\Gamma$: $\sigma$ $\geq$ 1, A $\in$ $\Sigma$"),
        ("a\n\n\\input{/etc/passwd}", r"a \textbackslash{}input\{/etc/passwd\}"),
        ("^^M\r\\x\x00", "\\textasciicircum{}\\textasciicircum{}M \\textbackslash{}x\ufffd"),
    ],
)
def test_latex(text: str, expected: str) -> None:
    assert latex(text) == expected


def test_a_comment_ends_with_its_line() -> None:
    assert latex_comment("a\n\\write18{x}\r\u2028b") == r"% a \write18{x} b"


@given(ANY)
def test_markdown_shows_the_text_and_nothing_else(text: str) -> None:
    shown = fit(" ".join(text.split()))
    plain = {"paragraph_open", "paragraph_close", "inline", "bullet_list_open", "bullet_list_close"}
    plain |= {"list_item_open", "list_item_close", "heading_open", "heading_close"}
    for page, kinds in ((f"# x {markdown(text)} x", plain), (f"- {markdown(text, starts=True)}", plain)):
        tokens = MARKDOWN.parse(page)
        assert {token.type for token in tokens} <= kinds
        assert [token.type for token in tokens].count("inline") == (1 if shown or page[0] == "#" else 0)
        inside = [child for token in tokens for child in token.children or ()]
        assert {one.type for one in inside} <= {"text", "text_special"}
        assert "".join(one.content for one in inside).strip("x ") == shown.strip("x ")


@given(ANY)
def test_a_cell_of_a_markdown_table_stays_one(text: str) -> None:
    tokens = MARKDOWN.parse(f"| a | b |\n| --- | --- |\n| {markdown(text)} | end |\n")
    assert [token.type for token in tokens].count("td_open") == 2
    assert (tokens[-5].type, tokens[-5].content) == ("inline", "end")


def test_names_of_measures_stay_legible() -> None:
    assert markdown("r_score and cider4:best, 0.5 %") == "r_score and cider4:best, 0.5 %"
    assert markdown("<script>|`x` [a](javascript:b) _c_") == r"&lt;script&gt;\|\`x\` \[a](javascript:b) \_c\_"
    assert [markdown(text, starts=True) for text in ("# a", "- b", "1. c", "-0.5")] == [
        r"\# a",
        r"\- b",
        r"1\. c",
        r"\-0.5",
    ]

"""How a model was asked: kept beside its files, told in the warnings and the signature of every run of them."""

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from voirdire.errors import InputError
from voirdire.runs import Run, Signature
from voirdire.runs.provenance import LENGTH, Provenance, read_provenance, with_provenance

PLAIN = Provenance("openai:mine", {"template": "plain", "model": "mine"}, "pictures", replies=1)
FULL = Provenance(
    "openai:mine",
    {},
    "words",
    blind=True,
    replies=2_000,
    faults={"refusal": 1_200, "empty": 2},
    marks={"cut off": 3},
    tried_again={"busy": 4},
    notes=("Its endpoint has no seed.",),
    terms={"guesser": "witness:keen", "most": 8},
)
RUN = Run(
    "taste", {}, pl.DataFrame({"x": [1]}), {}, Signature("1", options={"top": 3}), warnings=("One round is missing.",)
)


def test_what_is_written_beside_the_files_is_read(tmp_path: Path) -> None:
    for one in (PLAIN, FULL):
        one.write(tmp_path)
        assert read_provenance(tmp_path) == one
    assert read_provenance(tmp_path / "elsewhere") is None


def test_what_cannot_be_read_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "asked.json").write_text("{")
    with pytest.raises(InputError, match=r"asked\.json: .*expected what a model was asked. Remove it, or ask"):
        read_provenance(tmp_path)


def test_the_reader_of_figures_is_told_what_became_of_the_replies() -> None:
    assert PLAIN.warnings == ("Asked live: openai:mine, 1 reply, shown pictures.",)
    assert FULL.warnings == (
        "Asked live: openai:mine, 2,000 replies, shown words.",
        "It does not see the pictures that it is sent: the same reply to different ones.",
        "Replies without use: empty 2, refusal 1,200.",
        "Replies that count as they are: cut off 3.",
        "Tried again: busy 4.",
        "Its endpoint has no seed.",
    )
    assert len(Provenance("m", {}, "nothing", marks={"cut off": 1}).warnings) == 2
    short = Provenance("m", {}, "nothing", faults={LENGTH: 1}).warnings
    assert short[1].startswith("Replies without use: length 1. A model that thinks first needs room for that")


def test_the_words_what_was_shown_and_who_else_played_are_signed() -> None:
    assert PLAIN.signed == {"template": "plain", "shown": "pictures"}
    assert FULL.signed == {
        "template": "none",
        "shown": "words",
        "guesser": "witness:keen",
        "most": 8,
        "blind": True,
    }


def test_a_run_is_told_by_the_first_of_its_files_that_was_asked_for(tmp_path: Path) -> None:
    for folder, one in (("first", PLAIN), ("second", FULL)):
        (tmp_path / folder).mkdir()
        one.write(tmp_path / folder)
    files = [tmp_path / folder / "said.json" for folder in ("nobody", "first", "second")]
    told = with_provenance(RUN, files)
    assert told.signature == replace(RUN.signature, options={"top": 3, "asked": PLAIN.signed})
    assert told.warnings == (*RUN.warnings, *PLAIN.warnings)
    assert with_provenance(RUN, files[:1]) is RUN

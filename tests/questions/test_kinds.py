"""Shares of types: every layout of games, figures by hand, the agreement of two lexicons, and the command."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import InputError, UsageError
from voirdire.formats.files import Source
from voirdire.formats.small_formats import parse_word_types
from voirdire.questions.exam import KindsOptions
from voirdire.questions.games import read_games_file
from voirdire.questions.kinds import QuestionTexts, make_lexicon, score_kinds, texts_of
from voirdire.runs import read_run

TEXTS = (("is it a dog?", "is it red?"), ("the second dog?",), ("why?",))


def asked() -> QuestionTexts:
    rows = [(game, turn, text) for game, texts in enumerate(TEXTS, 1) for turn, text in enumerate(texts, 1)]
    games, turns, texts = zip(*rows, strict=True)
    return QuestionTexts(games, tuple(10 * game for game in games), turns, texts, 3)


def theirs(text: str) -> Source:
    return Source("theirs.tsv", text.encode())


def read_texts(path: str) -> QuestionTexts:
    return texts_of(read_games_file(path))


LISTED = make_lexicon(parse_word_types(theirs("dog\tobject\nwhy\tobject\nred\tcolor\n")), "given")


def written(folder: Path, layout: str) -> Path:
    """The three games as a file of this layout."""
    objects = [{"id": 1, "category": "dog", "category_id": 18, "area": 4, "bbox": [1, 1, 2, 2]}]
    image = {"id": 7, "width": 100, "height": 100}
    lines = []
    for number, texts in enumerate(TEXTS, start=1):
        qas = [{"question": text, "answer": "Yes"} for text in texts]
        if layout == "guesswhat":
            lines.append({"id": number, "image": image, "objects": objects, "object_id": 1, "qas": qas})
        elif layout == "by index":
            where = {"target_category": "dog", "target_center_xy_ybottom": [1.0, 1.0], "status": "success"}
            lines.append({"index": number, "image_id": 7, "qas": qas, **where})
        elif layout == "by object":
            lines.append({"image_id": 7, "target_id": 1, "guess_id": 1, "success": True, "qas": qas})
        else:
            said = [
                {"question_step": step, "question": text, "item_specific_answers": {"dog": "yes"}}
                for step, text in enumerate(texts, start=1)
            ]
            lines.append({"dialogue_id": number, "candidates": ["dog"], "target": "dog", "questions": said})
    path = folder / "games.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("layout", ["guesswhat", "by index", "by object", "twenty questions"])
def test_every_layout_gives_the_same_questions(tmp_path: Path, layout: str) -> None:
    texts = read_texts(str(written(tmp_path, layout)))
    assert (texts.game_ids, texts.turns, texts.questions) == (asked().game_ids, asked().turns, asked().questions)
    assert texts.games == 3
    assert set(texts.image_ids) == ({None} if layout == "twenty questions" else {7})


def test_questions_alone_and_text(tmp_path: Path) -> None:
    path = tmp_path / "history.csv"
    path.write_text("question_id,game_id,question\n1,5,red?\n2,6,dog?\n3,5,left?\n")
    texts = read_texts(str(path))
    assert sorted(zip(texts.game_ids, texts.turns, texts.questions, strict=True)) == [
        *((5, 1, "red?"), (5, 2, "left?"), (6, 1, "dog?")),
    ]
    path = tmp_path / "said.txt"
    message = "answerer: This is the list of candidates: elk, fox.\nquestioner: Is it red?\nanswerer: No.\n"
    path.write_text("*" * 18 + "\ntarget = fox\n" + message)
    assert read_texts(str(path)).questions == ("Is it red?",)
    path = tmp_path / "qa.jsonl"
    where = {"answer": 0, "category": 0, "bbox": [0, 0, 1, 1], "width": 9, "height": 9}
    path.write_text(json.dumps({"question_id": 4, "question": "red?", **where}) + "\n")
    assert (read_texts(str(path)).game_ids, read_texts(str(path)).questions) == ((1,), ("red?",))


def test_a_file_without_questions_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv.gz"
    path.write_bytes(gzip.compress(b"gid,pos,question_id,human,o\n1,0,1,<yes>,<no>\n"))
    with pytest.raises(InputError, match=r"answers of GuessWhat.*, expected games or their questions \(guesswhat"):
        read_texts(str(path))


def test_shares_by_hand() -> None:
    run = score_kinds(asked())
    shares = {str(key): figure.value for key, figure in run.measures.items()}
    assert shares == {
        **{"object": 0.5, "color": 0.25, "shape": 0.0, "size": 0.0, "texture": 0.0, "location": 0.25},
        **{"action": 0.0, "other": 0.25, "order": 0.25},
    }
    assert {figure.n for figure in run.measures.values()} == {4}
    first = run.items.row(0, named=True)
    assert (first["game_id"], first["image_id"], first["turn"], first["question"]) == (1, 10, 1, "is it a dog?")
    assert run.items["order"].to_list() == [False, False, True, False]
    assert score_kinds(asked(), options=KindsOptions(exclusive_object=True)).measures["object"].value == 0.25


def test_intervals_draw_games() -> None:
    """Two games, each of one type alone: a resample has 0, 1/2 or all of its games with the type."""
    texts = ("a dog?",) * 50 + ("red?",) * 50
    games = QuestionTexts((1,) * 50 + (2,) * 50, (None,) * 100, tuple(range(1, 51)) * 2, texts, 2)
    share = score_kinds(games).measures["object"]
    assert (share.low, share.value, share.high) == (0, 0.5, 1)
    assert score_kinds(games, options=KindsOptions(seed=1)).measures["object"].value == 0.5


def test_agreement_by_hand() -> None:
    """Types by ours: object | color | object, location | other; by the other: object | color | object | object."""
    run = score_kinds(asked(), against=LISTED)
    figures = {str(key): figure.value for key, figure in run.measures.of("agreement").items()}
    assert figures["agreement"] == 0.5
    assert figures["agreement[object]"] == pytest.approx(0.75)
    # Observed 3/4; by chance 1/2 · 3/4 + 1/2 · 1/4 = 1/2.
    assert figures["agreement[object]:kappa"] == pytest.approx(0.5)
    assert figures["agreement[color]:kappa"] == pytest.approx(1)
    assert figures["agreement[location]"] == pytest.approx(0.75)
    assert figures["agreement[shape]"] == 1
    assert figures["agreement[shape]:kappa"] is None
    assert run.items["object:against"].to_list() == [True, False, True, True]
    assert run.signature.data["against"] == LISTED.fingerprint


def test_a_lexicon_agrees_with_itself() -> None:
    run = score_kinds(asked(), LISTED, LISTED)
    kept = [figure.value for figure in run.measures.of("agreement").values()]
    assert {round(value, 12) for value in kept if value is not None} == {1}


def test_no_question_has_no_share() -> None:
    run = score_kinds(QuestionTexts((), (), (), (), 2), against=LISTED)
    assert {figure.value for figure in run.measures.values()} == {None}
    assert run.warnings == ("2 games without a question.",)
    assert run.items.schema["game_id"] == pl.Int64


def call(*words: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["questions", "kinds", *words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def test_the_command(tmp_path: Path) -> None:
    games, words = str(written(tmp_path, "guesswhat")), tmp_path / "words.tsv"
    words.write_text("dog\tobject\nfire truck\tobject\n")
    code, out, err = call("--games", games)
    assert (code, err) == (0, "")
    assert out.splitlines()[2].split() == ["object", "0.5000", "0.0000", "…", "1.0000", "4"]
    code, out, err = call("--games", games, "--keywords", str(words), "--against", str(words), "--json")
    printed = json.loads(out)
    assert (code, err) == (0, "")
    assert printed["exam"] == "questions"
    assert printed["measures"]["other"]["value"] == 0.5
    assert printed["measures"]["agreement"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 4}
    assert len(printed["warnings"]) == 2
    code, _, _ = call("--games", games, "--exclusive-object", "-o", str(tmp_path / "run"))
    assert code == 0
    assert read_run(tmp_path / "run").measures["object"].value == 0.25


def test_a_list_that_is_none_is_named(tmp_path: Path) -> None:
    games = str(written(tmp_path, "guesswhat"))
    (tmp_path / "words.tsv").write_text("dog\tanimal\n")
    with pytest.raises(UsageError, match=r"(?s)words\.tsv.*line 1.*animal.*one of object"):
        call("--games", games, "--keywords", str(tmp_path / "words.tsv"))

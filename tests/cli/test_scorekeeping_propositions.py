"""`voirdire scorekeeping propositions` and `explain`: what they print and write, and how they refuse."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from voirdire.cli.main import app
from voirdire.errors import UsageError
from voirdire.formats.propositions import read_propositions
from voirdire.scorekeeping.propositions.deriving import NAMES

pytestmark = pytest.mark.slow

RUNNER = CliRunner()
CAPTION = "a clown rides a black goat past an old barn"
ROUNDS = [
    *("is there a ladder? no", "what color is the barn? red", "is he old? yes", "do you see owls? i can't tell"),
    *("is it sunny? yes", "is the goat hungry? no", "is he holding a rope? yes", "any hens? 0"),
    *("how tall is the barn? very", "is the clown happy? yes"),
]


@pytest.fixture
def dialogues(tmp_path: Path) -> str:
    path = tmp_path / "dialogues.json"
    path.write_text(json.dumps([{"img": f"{number}.jpg", "dialog": [CAPTION, *ROUNDS]} for number in range(1, 6)]))
    return str(path)


def call(*words: str) -> str:
    done = RUNNER.invoke(app, ["scorekeeping", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("ending", [".json", ".json.gz", ".parquet"])
def test_a_set_is_written_and_counted(dialogues: str, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"p{ending}"
    words = ["propositions", "--dialogues", dialogues, "--captions", "1", "-o", str(out), "--json"]
    told = json.loads(call(*words))
    written = read_propositions(out)
    values = {name: measure["value"] for name, measure in told["measures"].items()}
    assert told["exam"] == "scorekeeping"
    assert list(written.dialogues) == [0, 1, 2, 3, 4]
    assert (values["dialogues"], values["propositions"]) == (5, len(written))
    texts = {record.proposition for record in written.dialogues[0]}
    assert {"the clown is old.", "there is no ladder.", "the barn is red.", "there is a barn."} <= texts
    assert values["rounds_used"] == 9
    assert values["propositions[there]"] == 10
    assert values["rounds[no rule matches]"] == 5
    assert values["pronouns_replaced"] == 2
    assert values["true"] == 0.5
    assert sum(values[f"propositions[{name}]"] for name in NAMES) == len(written)
    assert told["signature"]["options"]["tagger"] == "hanta"
    assert any(warning.startswith("rules without a proposition: ") for warning in told["warnings"])


def test_the_table_has_everything(dialogues: str, tmp_path: Path) -> None:
    shown = call("propositions", "--dialogues", dialogues, "-o", str(tmp_path / "p.json"), "--seed", "3")
    for words in ("vocabulary", "datapoints true private", "answer positive", "sunny/cloudy", "turn 10", "turns used"):
        assert words in shown
    assert "scorekeeping propositions|version:" in shown
    assert "seed:3" in shown


def test_without_a_resolver_pronouns_drop_their_rounds(dialogues: str, tmp_path: Path) -> None:
    words = ["propositions", "--dialogues", dialogues, "--json", "--captions", "0"]
    with_, without = (
        json.loads(call(*words, "--resolver", name, "-o", str(tmp_path / f"{name}.json"))) for name in ("rules", "none")
    )
    assert with_["measures"]["propositions"]["value"] == without["measures"]["propositions"]["value"] + 2 * 2 * 5
    assert without["measures"]["pronouns_replaced"]["value"] == 0


def test_a_balanced_set_may_leave_nothing(dialogues: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing is left"):
        call("propositions", "--dialogues", dialogues, "--balance", "-o", str(tmp_path / "p.json"))
    assert not (tmp_path / "p.json").exists()


def test_the_same_call_writes_the_same_bytes(dialogues: str, tmp_path: Path) -> None:
    for name in ("a", "b"):
        call("propositions", "--dialogues", dialogues, "-o", str(tmp_path / f"{name}.json"), "--seed", "1")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def test_bad_calls_are_refused_before_any_work(dialogues: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--output must end in \.json or \.json\.gz or \.parquet, got p\.csv"):
        call("propositions", "--dialogues", dialogues, "-o", "p.csv")
    with pytest.raises(UsageError, match="tagger"):
        call("propositions", "--dialogues", dialogues, "-o", str(tmp_path / "p.json"), "--tagger", "nobody")
    with pytest.raises(UsageError, match="resolver"):
        call("propositions", "--dialogues", dialogues, "-o", str(tmp_path / "p.json"), "--resolver", "nobody")
    ids = tmp_path / "ids.txt"
    ids.write_text("1\n2\n")
    with pytest.raises(UsageError, match="expected VisDial dialogues"):
        call("propositions", "--dialogues", str(ids), "-o", str(tmp_path / "p.json"))


def test_words_for_which_dialogues_are_left_out(dialogues: str, tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("owls\n")
    out = str(tmp_path / "p.json")
    with pytest.raises(UsageError, match="nothing is left"):
        call("propositions", "--dialogues", dialogues, "--left-out-words", str(words), "-o", out)
    words.write_text("zebra\n")
    told = json.loads(
        call("propositions", "--dialogues", dialogues, "--left-out-words", str(words), "-o", out, "--json")
    )
    assert told["measures"]["left_out_dialogues"]["value"] == 0
    assert told["signature"]["data"]["left_out_words"]


@pytest.mark.parametrize("figure", ["turns", "used", "sentences"])
def test_propositions_are_drawn(figure: str, dialogues: str, tmp_path: Path) -> None:
    made, out = str(tmp_path / "p.json"), tmp_path / "drawn.svg"
    call("propositions", "--dialogues", dialogues, "-o", made)
    words = ("plot", "--propositions", made, "--propositions", made, "--figure", figure, "--common", "5")
    assert "drawn: " in call(*words, "-o", str(out))
    assert out.read_text().startswith("<svg")


def test_no_sentence_is_common_enough(dialogues: str, tmp_path: Path) -> None:
    made = str(tmp_path / "p.json")
    call("propositions", "--dialogues", dialogues, "-o", made)
    with pytest.raises(UsageError, match="no sentence is there 30 times or more"):
        call("plot", "--propositions", made, "--figure", "sentences", "-o", str(tmp_path / "drawn.svg"))


class TestExplain:
    def test_what_a_rule_yields(self) -> None:
        shown = call("explain", "Is he old?", "Yes.", "--caption", CAPTION)
        assert "after     is the clown old" in shown
        assert "rule      verb_pron_adj (is/are + pronoun + adjective" in shown
        assert "true      the clown is old." in shown
        assert "false     the clown is not old." in shown
        assert "polarity  positive" in shown

    def test_the_question_after_coreference_may_be_given(self) -> None:
        shown = call("explain", "is he old", "no", "--resolved", "is the rider on the camel old")
        assert "after     is the rider on the camel old" in shown
        assert "true      the rider on the camel is not old." in shown
        assert "yields    nothing: no rule matches" in call("explain", "is he old", "no")

    def test_what_is_dropped_is_shown_as_such(self) -> None:
        words = ("explain", "is she in this barn", "yes", "--resolved", "is the rider in this barn")
        shown = call(*words)
        assert "true      the rider is in this barn." in shown
        assert "dropped   for the pronoun this" in shown
        explained = json.loads(call(*words, "--json"))
        assert (explained["entailment"], explained["dropped"]) == ("the rider is in this barn.", "the pronoun this")

    def test_colours_with_or(self) -> None:
        words = ("explain", "what color is the barn", "red or tan", "--colours", "or", "--json")
        assert json.loads(call(*words))["entailment"] == "the barn is red or tan."

    def test_why_there_is_nothing(self) -> None:
        assert "yields    nothing: no rule matches" in call("explain", "how tall is it", "very")
        assert "expression of not knowing" in call("explain", "is it old", "i can't tell")

    def test_for_programs(self) -> None:
        told = json.loads(call("explain", "any hens", "0", "--json"))
        assert told["rule"] == "any_"
        assert told["entailment"] == "there are no hens."
        assert told["qa_fact"] == "negative"
        assert json.loads(call("explain", "why", "so", "--json"))["entailment"] is None

"""Judges' selections: known shares and variances, agreement by hand, one judge, uneven judges, the command."""

import json

import numpy as np
import pytest

from voirdire.answers.humans import judge_sets
from voirdire.formats.files import Source
from voirdire.formats.selections import parse_selections

HEAD = "image_id,round_id,set,judge,candidate,selected"

# One line a task: image, round, set, then one word a candidate with a digit a judge.
TASKS = (
    (5, 1, "H", "111 110"),  # shares: (3 + 2) / 6; by any: 1
    (6, 1, "H", "100 000 111 111"),  # (1 + 0 + 3 + 3) / 12; by any 3/4
    (6, 2, "H", "000"),  # 0; 0
    (5, 1, "S", "101 101"),  # 4/6; 1
    (7, 9, "S", "111"),  # 1; 1
)
SHARES = {"H": [5 / 6, 7 / 12, 0.0], "S": [2 / 3, 1.0]}
ANY = {"H": [1.0, 0.75, 0.0], "S": [1.0, 1.0]}


def table(tasks=TASKS):
    lines = [HEAD]
    for image, round_, name, words in tasks:
        for place, word in enumerate(words.split()):
            lines += [f"{image},{round_},{name},j{judge},c{place},{kept}" for judge, kept in enumerate(word)]
    return "\n".join(lines)


def judged(text):
    return judge_sets(parse_selections(Source("f.csv", text.encode())))


def test_shares_and_variances_by_hand():
    result = judged(table())
    for name in "HS":
        for measure, expected in (("selected", SHARES[name]), ("selected_any", ANY[name])):
            assert result.measures[f"{measure}[{name}]"].value == pytest.approx(np.mean(expected), abs=1e-12)
            variance = result.measures[f"{measure}[{name}]:var"]
            assert variance.value == pytest.approx(np.var(expected, ddof=1), abs=1e-12)
            assert variance.n == len(expected)
    assert result.items.columns == ["image_id", "round_id", "set", "size", "judges", "selected", "selected_any"]
    assert result.items["size"].to_list() == [2, 4, 1, 2, 1]
    assert set(result.items["judges"].to_list()) == {3}
    assert result.warnings == ()


def test_every_task_weighs_the_same_whatever_its_size():
    result = judged(table([(5, 1, "H", "1"), (6, 1, "H", "0 0 0 0 0 0 0 0 0")]))
    assert result.measures["selected[H]"].value == 0.5


def test_agreement_by_hand():
    # Two judges agree on three of four answers and keep 5 of 8. Fleiss' chance is the sum of the squared shares;
    # Krippendorff's draws two of the eight judgements without putting the first back.
    result = judged(table([(5, 1, "H", "11 00 10"), (6, 2, "H", "11"), (7, 3, "S", "11 11")]))
    kept = 5 / 8
    chance = kept**2 + (1 - kept) ** 2
    assert result.measures["kappa[H]"].value == pytest.approx((0.75 - chance) / (1 - chance))
    assert result.measures["alpha[H]"].value == pytest.approx(1 - (1 / 4) / (2 * 5 * 3 / (8 * 7)))
    assert result.measures["alpha[H]"].n == result.measures["kappa[H]"].n == 4
    assert result.measures["alpha[S]"].value is None
    assert result.measures["kappa[S]"].value is None


def test_who_judged_makes_no_difference():
    named = table().replace("6,1,H,j", "6,1,H,other")
    assert judged(named).measures == judged(table()).measures


def test_uneven_judges_have_alpha_only():
    result = judged(table([(5, 1, "H", "11 01"), (6, 2, "H", "111 000")]))
    assert result.measures["kappa[H]"].value is None
    assert result.measures["alpha[H]"].value is not None
    assert result.warnings == ("set H: 2 to 3 judges per answer, so there is no Fleiss' κ.",)


def test_one_judge():
    result = judged(table([(5, 1, "H", "1 0"), (6, 2, "H", "1")]))
    assert result.measures["selected[H]"].value == 0.75
    assert result.measures["alpha[H]"].value is None
    assert result.measures["alpha[H]"].n == 0
    assert result.warnings == ("set H: some answers have one judge only, so they say nothing on agreement.",)


def test_the_command(tmp_path, called):
    path = tmp_path / "j.csv"
    path.write_text(table())
    status, out, _ = called("answers", "humans", "--judgements", path, "--json")
    assert status == 0
    measures = json.loads(out)["measures"]
    assert list(measures)[:4] == ["selected[H]", "selected[H]:var", "selected_any[H]", "selected_any[H]:var"]
    assert {"alpha[H]", "kappa[H]", "alpha[S]", "kappa[S]"} <= set(measures)
    status, out, _ = called("answers", "humans", "--judgements", path)
    assert "selected[H]" in out
    assert " var " in out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEAD + "\n", "found no judgement"),
        (table().replace(",j2,c0,1", ",j2,c0,yes", 1), "field `selected`: found 'yes', expected 0 or 1"),
        (table().replace("5,1,H,j0,c1,1\n", ""), "found 1 judged by 'j0', expected all 2"),
        ("image_id,round_id\n5,1\n", "field `candidate`: found no such column"),
        ("", "an empty file"),
    ],
)
def test_bad_input_is_named_and_exits_with_2(text, expected, tmp_path, called):
    path = tmp_path / "j.csv"
    path.write_text(text)
    status, out, err = called("answers", "humans", "--judgements", path)
    assert (status, out) == (2, "")
    assert expected in err

"""Scores of generations against reference sets: k, best, spread, empties, unmatched rounds, short answers, bounds."""

from importlib.metadata import version

import numpy as np
import pytest
from score_records import Letters, generations, references

from voirdire import compare_runs
from voirdire.answers.exam import BoundOptions, ScoreAnswersOptions
from voirdire.answers.score import score_answers, score_bounds
from voirdire.errors import InputError, UsageError
from voirdire.exam.short_answers import is_wordy
from voirdire.metrics.bleu import caption_bleu
from voirdire.metrics.cider import cider
from voirdire.metrics.ngrams import compare_texts
from voirdire.options import OptionError
from voirdire.runs import read_run, write_run
from voirdire.runs.view import Coverage
from voirdire.text.respelling import respell
from voirdire.text.short_answers import RULE

FAST = ("cider", "bleu", "rouge", "distance")
SETS = [["a cab", "a b"], ["bad", "a bad dab"], ["c"], ["d a", "d"]]


def run(texts, sets=SETS, **options):
    options = {"measures": FAST} | options
    return score_answers(generations(texts), references(sets), ScoreAnswersOptions(**options), [Letters()])


def value(run, name):
    return run.measures[name].value


def test_one_generation_a_round():
    result = run([["a b"], ["bad"], ["d"], ["d a"]])
    assert list(map(str, result.measures))[:4] == ["cider1", "cider1:std", "cider1:extracted", "cider2"]
    assert not any(key.k for key in result.measures)
    first = [0, 2, 4, 5, 7]
    compared = compare_texts(["a b", "bad", "d", "d a"], [text for each in SETS for text in each], first)
    assert value(result, "cider2") == pytest.approx(cider(compared)[:, 1].mean())
    assert value(result, "cider2:std") == pytest.approx(cider(compared)[:, 1].std())
    assert value(result, "bleu2") == pytest.approx(caption_bleu(compared)[:, 1].mean())
    assert value(result, "rouge_l") == pytest.approx(3 / 4)
    assert result.items.columns[:4] == ["image_id", "round", "generations", "empty"]
    assert result.items["bleu1"].to_list() == caption_bleu(compared)[:, 0].tolist()
    l2 = [np.hypot(1, 1) / 2, np.linalg.norm([2, 1, 0, 1]) / 2, np.hypot(1, 1), 1 / 2]
    assert result.items["l2[letters]"].to_list() == pytest.approx(l2)
    assert result.warnings == ()


def test_the_items_hold_the_texts_as_they_were_scored(tmp_path):
    """A generation without text is left out; spelling is the one that was compared; a round without a set is none."""
    texts, theirs = [["a b", "", "a isn't"], ["", ""], ["x"]], references(SETS[:2], images=[1, 0])
    result = score_answers(generations(texts), theirs, ScoreAnswersOptions(measures=("bleu",), common=True))
    assert result.items["image_id"].to_list() == [1, 0]
    assert result.items["references"].to_list() == [["a cab", "a b"], ["bad", "a bad dab"]]
    assert result.items["answers"].to_list() == [[], respell(["a b", "a isn't"])]
    assert result.items["question"].to_list() == ["what is it"] * 2
    write_run(result, tmp_path / "run")
    assert read_run(tmp_path / "run").items.equals(result.items)


def test_several_generations_a_round():
    texts = [["a b", "c", "x", "y", "a cab", "b"], ["bad"] * 6, ["c", "c", "c", "c", "d", "d"], ["d"] * 6]
    result = run(texts, within=True)
    each = caption_bleu(
        compare_texts(
            [text for row in texts for text in row],
            [text for item in SETS for text in item],
            [0, 2, 4, 5, 7],
            np.repeat(np.arange(4), 6),
        )
    )[:, 0].reshape(4, 6)
    for k in (1, 5, 6):
        some = each[:, :k]
        assert value(result, f"bleu1@{k}") == pytest.approx(some.mean(axis=1).mean())
        assert value(result, f"bleu1@{k}:std") == pytest.approx(some.mean(axis=1).std())
        assert value(result, f"bleu1@{k}:best") == pytest.approx(some.max(axis=1).mean())
        assert value(result, f"bleu1@{k}:within") == pytest.approx(some.std(axis=1).mean())
    assert value(result, "bleu1") == value(result, "bleu1@6")
    assert "bleu1@10" not in result.measures
    lowest = result.items["l2@5[letters]:best"].to_numpy()
    assert (lowest <= result.items["l2@5[letters]"].to_numpy()).all()
    assert value(result, "l2@5[letters]:best") < value(result, "l2@5[letters]")
    assert value(result, "cosine@5[letters]:best") > value(result, "cosine@5[letters]")


def test_the_paper_s_k():
    result = run([["a"] * 15] * 4, measures=("bleu",))
    assert [str(key) for key in result.measures.of("bleu1") if key.k and not key.variant] == [
        "bleu1@1",
        "bleu1@5",
        "bleu1@10",
        "bleu1@15",
    ]


def test_generations_are_respelt_and_references_are_not():
    sets = [["yes, it is", "it"], ["yes , it is", "it"]]
    result = run([["yes , it is"]] * 2, sets, measures=("bleu",))
    assert result.items["bleu3"].to_list() == pytest.approx([1.0, 0.0], abs=1e-3)
    written = run([["yes , it is"]] * 2, sets, measures=("bleu",), as_written=True)
    assert written.items["bleu4"].to_list() == pytest.approx([0.0, 1.0], abs=1e-3)
    both = run([["yes , it is"]] * 2, sets, measures=("bleu",), respell_references=True)
    assert both.items["bleu3"].to_list() == [1.0, 1.0]
    assert both.items["references"].to_list() == [["yes, it is", "it"]] * 2
    assert [each.signature.tokeniser for each in (result, written, both)] == [
        "NLTK 3.4 and back, whitespace",
        "whitespace",
        "NLTK 3.4 and back (references too), whitespace",
    ]


def test_generations_are_respelt_as_they_were_or_as_they_are_today():
    today = run([["no, 2"], ["it isn't"]], [["x"], ["y"]], measures=("bleu",), respell="nltk")
    then = run([["no, 2"], ["it isn't"]], [["x"], ["y"]], measures=("bleu",))
    assert today.items["answers"].to_list() == [["no, 2"], ["it isn't"]]
    assert then.items["answers"].to_list() == [["no , 2"], ["it is n't"]]
    assert today.signature.tokeniser == f"NLTK {version('nltk')} and back, whitespace"


@pytest.mark.parametrize("more", [{"respell": "nltk"}, {"respell_references": True}])
def test_what_is_left_as_written_is_not_respelt(more):
    with pytest.raises(OptionError, match="`as_written` says that none is"):
        ScoreAnswersOptions(as_written=True, **more)


def test_empty_generations_are_left_out_and_counted():
    result = run([["", "a b"], [" "], [], ["d", "d"]])
    assert result.items["empty"].to_list() == [1, 1, 0, 0]
    assert result.items["generations"].to_list() == [2, 1, 0, 2]
    assert result.items["bleu1"].to_list() == [1.0, None, None, 1.0]
    assert result.items["bleu1@1"].to_list() == [None, None, None, 1.0]
    assert result.measures["bleu1"].n == 2
    assert result.measures["bleu1@1"].n == 1
    assert value(result, "bleu1") == 1.0
    assert result.warnings[0] == "2 generations without text were left out, in 2 rounds."
    assert result.warnings[1].startswith(
        "image 1, round 0 (counted from 0); image 2, round 0 (counted from 0): no generation"
    )
    assert "2 rounds have fewer than 2 generations" in result.warnings[2]


def test_a_k_at_which_no_round_has_text_has_no_value():
    result = run([["", "a b"], ["", "b"], ["", "c"], ["", "d"]])
    assert result.items["bleu1@1"].to_list() == [None] * 4
    assert (result.measures["bleu1@1"].value, result.measures["bleu1@1:best"].value) == (None, None)
    assert result.measures["bleu1@2"].n == result.measures["bleu1"].n == 4


def test_nothing_to_score():
    with pytest.raises(InputError, match="no text in any round"):
        run([[""], [" "], [], ["\n"]])


def test_rounds_that_one_file_lacks():
    ours, theirs = generations([["a"]] * 3, images=[0, 1, 7]), references(SETS[:3])
    with pytest.raises(InputError) as caught:
        score_answers(ours, theirs, ScoreAnswersOptions(measures=("bleu",), strict=True))
    text = str(caught.value)
    assert "image 2, round 0 (counted from 0): found nothing, expected what the reference sets ask" in text
    assert "image 7, round 0 (counted from 0): found this round, expected a round that the reference sets ask" in text
    result = score_answers(ours, theirs, ScoreAnswersOptions(measures=("bleu",)))
    again = score_answers(ours, theirs, ScoreAnswersOptions(measures=("bleu",), common=True))
    assert (result.measures, result.warnings) == (again.measures, again.warnings)
    assert result.items["image_id"].to_list() == [0, 1, 2]
    assert result.items["bleu1"].to_list()[2] is None
    assert result.coverage == Coverage("round", 3, 2, 1)
    assert result.warnings[0] == (
        "2 rounds of 3 are scored. The generations lack 1 of the reference sets (image 2, round 0 (counted from 0)): "
        "`:asked` counts these as wrong. The reference sets are a sample: 1 other rounds of the generations are left "
        "aside."
    )
    assert (result.measures["bleu1"].n, result.measures["bleu1:asked"].n) == (2, 3)
    assert result.measures["bleu1:asked"].value == pytest.approx(result.measures["bleu1"].value * 2 / 3)


def test_distances_say_nothing_of_missing_answers():
    result = run([["a b"], ["bad"], ["c"], [""]])
    assert value(result, "cosine[letters]:asked") == pytest.approx(value(result, "cosine[letters]") * 3 / 4)
    assert "l2[letters]:asked" not in {str(key) for key in result.measures}


def test_a_wrong_base_is_named():
    ours = generations([["a"]] * 4, rounds=[1, 2, 3, 4], images=[5] * 4)
    theirs = references(SETS, rounds=[2, 3, 4, 5], images=[5] * 4)
    for common in (False, True):
        if common:
            result = score_answers(ours, theirs, ScoreAnswersOptions(measures=("bleu",), common=True))
            assert (
                "3 rounds are in both files, but 4 if the generations are counted one round later" in result.warnings[1]
            )
        else:
            with pytest.raises(InputError, match=r"but 4 if the generations are counted one round later.*`round_base`"):
                score_answers(ours, theirs, ScoreAnswersOptions(measures=("bleu",)))


def test_no_round_in_common_is_an_error_even_with_common():
    with pytest.raises(InputError, match="none of the 1 round of the reference sets, but 1 other"):
        score_answers(
            generations([["a"]], images=[9]), references(SETS[:1]), ScoreAnswersOptions(measures=("bleu",), common=True)
        )


def test_a_single_round_cannot_have_cider():
    with pytest.raises(UsageError, match="single document"):
        run([["a"]], SETS[:1])
    assert value(run([["a b"]], SETS[:1], measures=("bleu",)), "bleu1") == 1.0


def test_frequencies_are_those_of_the_whole_file_of_references():
    whole = run([["a b"], ["bad"], ["c"], ["d"]])
    part = score_answers(
        generations([["a b"], ["bad"]]), references(SETS), ScoreAnswersOptions(measures=("cider",), common=True)
    )
    assert part.items["cider1"].to_list() == [*whole.items["cider1"].to_list()[:2], None, None]


def test_odd_sets_are_reported():
    result = score_answers(
        generations([["a"], ["a"]]),
        references([["a", " "], ["b"]], truths=["a", "z"]),
        ScoreAnswersOptions(measures=("bleu",)),
    )
    assert result.warnings == (
        "image 1, round 0 (counted from 0): the ground truth is not in the reference set.",
        "1 references have no text; nothing is like them.",
    )


def test_the_order_of_the_generations_file_makes_no_difference():
    texts = [["a b"], ["bad"], ["c"], ["d"]]
    single_run = run(texts)
    other = score_answers(
        generations(texts[::-1], images=[3, 2, 1, 0]), references(SETS), ScoreAnswersOptions(measures=FAST), [Letters()]
    )
    assert single_run.items.equals(other.items)
    assert single_run.measures == other.measures


def test_bad_encoders_and_families():
    with pytest.raises(UsageError, match="no family of measures 'spice'; there are: cider, bleu"):
        run([["a"]] * 4, measures=("spice",))
    with pytest.raises(UsageError, match="two encoders are called 'letters'"):
        score_answers(
            generations([["a"]] * 4),
            references(SETS),
            ScoreAnswersOptions(measures=("distance",)),
            [Letters(), Letters()],
        )

    class Broken(Letters):
        name = "broken"

        def encode(self, texts):
            return np.where(super().encode(texts) > 1, np.nan, 1.0)

    with pytest.raises(InputError, match=r"encoder broken: found a vector of .* not finite"):
        score_answers(
            generations([["aa"]] * 4), references(SETS), ScoreAnswersOptions(measures=("distance",)), [Broken()]
        )


def test_the_run_can_be_kept(tmp_path):
    result = run([["", "a b"], [" "], ["c"], ["d", "d"]])
    back = read_run(write_run(result, tmp_path / "run"))
    assert back.items.equals(result.items)
    assert list(back.measures) == list(result.measures)
    assert back.fingerprints == {"generations": "g", "references": "r"}
    assert "letters" in (back.signature.encoder or "")


def test_within_needs_several():
    result = run([["a b"], ["bad"], ["c"], ["d"]], within=True)
    assert "no spread inside a round" in result.warnings[0]
    assert not any(key.variant == "within" for key in result.measures)


def test_diversity_of_several_generations():
    """Over all answers with text and over the first k, from two on; of one answer per round there is none."""
    texts = [["a b", "a b", "a c", "", "b", "b"], ["d", "", "", "", "", ""], ["c", "c", "c", "c", "c", "d a"]]
    result = run(texts, SETS[:3])
    names = ["distinct1", "distinct2", "self_bleu1", "self_bleu2", "self_bleu3", "self_bleu4", "different"]
    assert [key.measure for key in result.measures if key.measure in names and not key.k and not key.variant] == names
    assert result.items["different"].to_list() == [3, None, 2]
    assert result.items["different@5"].to_list() == [3, None, 1]
    assert result.items["distinct1@5"].to_list() == pytest.approx([3 / 7, None, 1 / 5])
    assert result.items["distinct2@5"].to_list() == pytest.approx([2 / 3, None, None])
    assert (result.measures["different@5"].value, result.measures["different@5"].n) == (2, 2)
    assert {key.k for key in result.measures if key.measure == "different"} == {None, 5, 6}
    assert not any(key.variant == "best" for key in result.measures if key.measure in names)
    assert {key.measure for key in run([["a"]] * 4).measures}.isdisjoint(names)


@pytest.mark.parametrize("provider", ["glove", "words", "fasttext"])
def test_distances_by_word_vectors_take_digits_for_words(provider, tmp_path):
    """As the published ones: "2" is "two", "Two" as well, and "two dogs." holds one known word."""
    rows = "two 1 0\ndogs 0 1\n2 0 -1\n"
    table = tmp_path / "table.txt"
    table.write_text(rows if provider == "glove" else f"3 2\n{rows}")
    options = ScoreAnswersOptions(measures=("distance",), encoder=(f"{provider}:{table}",), as_written=True)
    theirs = references([["two"], ["2 dogs"], ["two"]])
    result = score_answers(generations([["2"], ["Two dogs"], ["two dogs."]]), theirs, options)
    assert result.items[f"cosine[{provider}]"].to_list() == pytest.approx([1, 1, 1])
    assert result.items[f"l2[{provider}]"].to_list() == pytest.approx([0, 0, 0])


SENTENCE_SETS = [["yes", "yes it is"], ["red"], ["2", "two"]]
WORDY = [["Yes, that can be seen in the image."], ["It is red."], ["There are 2 dogs."]]
SHORT = [["yes"], ["red"], ["2"]]
WHERE = {"images": [1, 2, 3], "rounds": [0, 0, 0]}


def extract(texts, sets=SENTENCE_SETS, **options):
    given = ScoreAnswersOptions(measures=("bleu", "rouge"), **options)
    return score_answers(generations(texts, **WHERE), references(sets, **WHERE), given)


def test_without_short_answers_it_is_said_that_the_texts_are_sentences():
    result = extract(WORDY, extract=False)
    assert not [key for key in result.measures if key.variant == "extracted"]
    assert "extracted" not in result.signature.options
    (warning,) = result.warnings
    assert warning.startswith("3 of 3 generations (100 %) are written as sentences, 20 % of the references are")
    assert "`extract`" in warning


def test_extracted_measures_come_beside_the_others():
    result, short = extract(WORDY), extract(SHORT)
    plain = extract(WORDY, extract=False)
    for name in ("bleu1", "rouge_l"):
        assert result.measures[name] == plain.measures[name]
        assert result.measures[f"{name}:extracted"] == short.measures[name]
        assert result.measures[f"{name}:extracted"].value > result.measures[name].value
    assert result.items["extracted"].to_list() == SHORT
    assert result.items["answers"].to_list() == plain.items["answers"].to_list()
    assert result.signature.options["extracted"] == RULE
    assert result.warnings[0].startswith("3 of 3 generations (100 %) are written as sentences, 20 % of the references")
    assert result.measures["sentences"].value == 1
    assert result.measures["usual_sentences"].value == 1 / 5
    assert is_wordy(result)
    assert not is_wordy(short)


def test_where_answers_are_sentences_the_extracted_figures_lead():
    sets = [["yes it is"], ["red"], ["2", "two"]]
    (compared,) = compare_runs(["wordy", "short"], [extract(WORDY, sets), extract(SHORT, sets)])
    assert compared.lead.startswith("Figures by short answers lead")
    assert compared.measures[0].measure.name == "bleu1:extracted"
    assert {row.measure.key.variant for row in compared.slices} == {"extracted"}
    (compared,) = compare_runs(["one", "two"], [extract(SHORT), extract(SHORT)])
    assert not compared.lead
    assert not any(row.measure.key.variant == "extracted" for row in compared.measures)


def test_several_generations_have_extracted_measures_at_k():
    result = extract([["It is blue.", "Yes, it is."], ["It is red."] * 2, ["2", "There are 3."]], extract=True)
    assert result.measures["bleu1@1:extracted"].value == pytest.approx(2 / 3)
    assert result.measures["bleu1@2:extracted"].value == pytest.approx((1 / 2 + 1 + 1 / 2) / 3)
    assert result.measures["bleu1:extracted"].value == result.measures["bleu1@2:extracted"].value


def test_short_generations_get_no_warning():
    assert extract(SHORT).warnings == ()


BOUND_SETS = [["a cab", "a b", "x"], ["bad", "a bad dab"]]


def test_both_rows_of_bounds():
    result = score_bounds(
        references(BOUND_SETS, truths=["a b", "z"]), BoundOptions(measures=("cider", "bleu", "distance")), [Letters()]
    )
    flat, first = [text for texts in BOUND_SETS for text in texts], [0, 3, 5]
    members = cider(compare_texts(flat, flat, first, [0, 0, 0, 1, 1]))[:, 1]
    means, bests = [members[:3].mean(), members[3:].mean()], [members[:3].max(), members[3:].max()]
    truths = cider(compare_texts(["a b", "z"], flat, first))[:, 1]
    value = {str(key): estimate.value for key, estimate in result.measures.items()}
    assert value["cider2[gamma]"] == pytest.approx(np.mean(means))
    assert value["cider2[gamma]:std"] == pytest.approx(np.std(means))
    assert value["cider2[gamma]:best"] == pytest.approx(np.mean(bests))
    assert value["cider2[a_gt]"] == pytest.approx(truths.mean())
    assert value["bleu1[gamma]"] == 1.0
    assert value["bleu1[a_gt]"] == 0.5
    assert value["l2[letters, gamma]:best"] < value["l2[letters, gamma]"]
    assert "cider2[a_gt]:best" not in value
    assert result.items.height == 4
    assert result.items["bound"].to_list() == ["a_gt", "a_gt", "gamma", "gamma"]
    assert result.warnings == ("image 1, round 0 (counted from 0): the ground truth is not in the reference set.",)
    assert result.title == "answers bounds"


def test_in_bounds_ground_truths_are_respelt_and_members_are_not():
    sets = references([["yes , it is"], ["b"]])
    value = {
        as_written: score_bounds(sets, BoundOptions(measures=("bleu",), as_written=as_written)).measures
        for as_written in (False, True)
    }
    assert value[False]["bleu1[gamma]"].value == value[True]["bleu1[a_gt]"].value == 1.0
    # Of "yes, it is" two words in three are in "yes , it is", which is longer by one.
    assert value[False]["bleu1[a_gt]"].value == pytest.approx((np.exp(1 - 4 / 3) * 2 / 3 + 1) / 2)

"""Runs of probes: every measure counted again by hand from the items, controls, seeds, and bad data."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from probe_dialogues import THINGS, Table, given, material

from voirdire.errors import InputError, UsageError
from voirdire.formats.dialogues import Dialogues
from voirdire.formats.propositions import Proposition, PropositionSet
from voirdire.formats.states import States
from voirdire.metrics.key import Key
from voirdire.progress import Progress, Stages
from voirdire.runs import Estimate, Run, read_run, write_run
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.points import TASKS
from voirdire.scorekeeping.probe.sample import check_balanced, count_unbalanced, words_only
from voirdire.scorekeeping.probe.score import compare_items, probe_states
from voirdire.scorekeeping.probe.splits import ProbeData
from voirdire.scorekeeping.tables import headline_only, probe_tables, table_2
from voirdire.verdict.comparison import Comparison, compare_runs

pytestmark = pytest.mark.slow

SMALL: dict[str, Any] = {"epochs": 4, "batch": 256, "rate": 1e-2, "hidden": 32}


@pytest.fixture(scope="module")
def encoder() -> Table:
    return Table()


@pytest.fixture(scope="module")
def run(encoder: Table) -> Run:
    return probe_states(**given(material(100)), encoder=encoder, options=ProbeOptions(**SMALL))


@pytest.fixture(scope="module")
def every() -> Run:
    return probe_states(
        **given(material(100)),
        encoder=Table(),
        options=ProbeOptions(all=True, **SMALL | {"epochs": 10, "rate": 3e-2}),
    )


class Told(Stages):
    """What was told, in order, and how far each stage was."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.at: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)

    def __call__(self, name: str, unit: str) -> Progress:
        return lambda done, total: self.at[name, unit].append((done, total))

    def note(self, text: str) -> None:
        self.told.append(f"note {text}")

    def say(self, text: str) -> None:
        self.told.append(f"say {text}")


def share(values: list[bool]) -> float:
    return sum(values) / len(values)


def test_accuracies_are_shares_of_the_items(run: Run) -> None:
    rows = run.items.to_dicts()
    assert len(rows) == 20 * 8 * 11
    right = [row["gold"] == row["predicted"] for row in rows]
    assert right == [row["right"] for row in rows]

    def accuracy(**wanted: object) -> float:
        return share([ok for row, ok in zip(rows, right, strict=True) if wanted.items() <= row.items()])

    def value(name: str) -> float | None:
        return run.measures[name].value

    assert value("accuracy") == pytest.approx(share(right))
    for turn in range(11):
        assert value(f"accuracy@{turn}") == pytest.approx(accuracy(turn=turn))
    for rule in ("caption", "there", "can_you_see"):
        assert value(f"accuracy[{rule}]") == pytest.approx(accuracy(rule=rule))
    for polarity in ("positive", "negative", "none"):
        assert value(f"accuracy[{polarity}]") == pytest.approx(accuracy(polarity=polarity))
    assert value("accuracy[positive, said at 3]") == pytest.approx(accuracy(polarity="positive", turn_shared=3))
    assert value("accuracy[none, said at 0]") == pytest.approx(accuracy(turn_shared=0))
    assert value("accuracy[seen]") == pytest.approx(accuracy(seen=True))
    assert value("accuracy[unseen]") is None
    of_class = [row["predicted"] for row in rows if row["gold"] == "true private" and row["turn"] == 5]
    assert value("confusion@5[true private → true shared]") == pytest.approx(
        share([taken == "true shared" for taken in of_class])
    )
    by_dialogue = defaultdict(list)
    for row, ok in zip(rows, right, strict=True):
        if row["turn"] == 7:
            by_dialogue[row["dialogue"]].append(ok)
    assert value("dialogue_accuracy@7") == pytest.approx(np.mean([share(one) for one in by_dialogue.values()]))
    assert run.measures["dialogue_accuracy@7"].n == 20


def test_dialogues_without_states_count_as_wrong_beside(run: Run) -> None:
    made = material(100)
    turns = dict.fromkeys(made.propositions.dialogues, 11)
    some = States(made.states.states[:80])
    inputs: dict[str, Any] = {"propositions": replace(made.propositions, turns=turns), "states": some}
    found = probe_states(**inputs, encoder=Table(), options=ProbeOptions(**SMALL))
    # The same dialogues are scored as of a model with all states, but for those without.
    scored, every = (set(one.items["dialogue"].unique()) for one in (found, run))
    assert scored == {one for one in every if one < 80}
    assert 0 < len(scored) < len(every) == 20
    assert found.coverage is not None
    assert (found.coverage.asked, found.coverage.answered) == (100, 80)
    for name in ("accuracy", "accuracy@5"):
        here, asked = found.measures[name], found.measures[f"{name}:asked"]
        assert asked.n * len(scored) == here.n * 20
        assert asked.value == pytest.approx(here.value * here.n / asked.n)
    assert "The states lack 20 of the propositions" in found.warnings[0]
    assert "accuracy:asked" not in run.measures
    # Where nothing says how many turns a dialogue has, there is no such figure, and no word of it.
    unknown = probe_states(propositions=made.propositions, states=some, encoder=Table(), options=ProbeOptions(**SMALL))
    assert "accuracy:asked" not in unknown.measures
    assert ":asked" not in unknown.warnings[0]
    with pytest.raises(InputError, match="states of 80 dialogues"):
        probe_states(**inputs, encoder=Table(), options=ProbeOptions(**SMALL, strict=True))


def test_scoreboards_are_scored_as_defined(run: Run) -> None:
    columns: dict[tuple[int, int], dict[int, dict]] = defaultdict(dict)
    for row in run.items.iter_rows(named=True):
        columns[row["dialogue"], row["index"]][row["turn"]] = row
    right, only, stable, agree = [], [], [], []
    for (dialogue, index), column in columns.items():
        shared = ["shared" in column[turn]["predicted"] for turn in range(11)]
        said = column[0]["turn_shared"]
        due = [turn >= said for turn in range(11)]
        right.append(shared[0] if said == 0 else shared[said] and not shared[said - 1])
        only.append(shared == due)
        truths = ["true" in column[turn]["predicted"] for turn in range(11)]
        stable.append(len(set(truths)) == 1)
        if index % 2 == 0:
            other = columns[dialogue, index + 1]
            agree += [("true" in other[turn]["predicted"]) == truths[turn] for turn in range(11)]
    for name, values in (
        ("shift_right", right),
        ("shift_only_right", only),
        ("truth_stable", stable),
        ("opposites_agree", agree),
    ):
        assert run.measures[name].value == pytest.approx(share(values)), name
        assert run.measures[name].n == len(values)


def test_each_sentence_is_embedded_once(encoder: Table, run: Run) -> None:
    assert run.items.height
    assert len(encoder.asked) == len(set(encoder.asked)) == 12


def test_the_run_says_how_it_came_about(run: Run, tmp_path: Path) -> None:
    assert run.title == "scorekeeping probe"
    assert any("dealt out by seed 0: 60 to learn from, 20 to choose" in warning for warning in run.warnings)
    assert run.signature.encoder == "table:0123456789ab"
    assert run.signature.options["split"] == "60:20:20 by dialogue"
    assert run.options == ProbeOptions(**SMALL).plain()
    stored = read_run(write_run(run, tmp_path / "run"))
    assert stored.items.equals(run.items)
    assert stored.measures == run.measures


def test_words_alone_are_scored_beside_it(run: Run) -> None:
    words = run.items["words_right"].to_numpy()
    assert run.measures["words_accuracy"].value == pytest.approx(words.mean())
    assert run.measures["words_accuracy@5"].value == pytest.approx(words[run.items["turn"] == 5].mean())
    assert not any("training sentences are not as often true as false" in warning for warning in run.warnings)


def figure(value: float) -> Estimate:
    return Estimate(value, None, None, 1)


def test_tables_for_people(run: Run, every: Run) -> None:
    shown = probe_tables(run)
    value = run.measures["dialogue_accuracy@7"].value
    assert value is not None
    assert f"{100 * value:.2f}" in shown
    assert "gold ↓ predicted →" in shown
    assert "can_you_see" in shown
    assert list(map(str, headline_only(run.measures))) == [
        *("accuracy@5", "accuracy", "shift_right", "shift_only_right", "truth_stable", "opposites_agree"),
        *("words_accuracy@5", "words_accuracy", "accuracy[seen]", "accuracy[unseen]"),
        *("accuracy@5:valid", "accuracy:valid"),
        *(f"{things}_in_train[{part}]" for part in ("valid", "test") for things in ("types", "words")),
    ]
    lines = table_2(every).splitlines()
    assert lines[0].split() == ["A", "accuracy", "at", "turn", "5", "TFxPS", "TF", "PS", "PxTSFS"]
    assert lines[1].split()[0] == "main"
    main = every.measures["accuracy@5[PS]"].value
    assert main is not None
    assert f"{100 * main:.2f}" in lines[1]
    assert lines[2].split()[:2] == ["random", "r"]
    assert lines[3].split()[4].endswith("*")
    turned = {"accuracy@5[PS]": every.measures["accuracy@5[PS, null]"], "accuracy@5[PS, null]": figure(main)}
    changed = every.measures | {Key.parse(name): one for name, one in turned.items()}
    worse = table_2(replace(every, measures=changed)).splitlines()
    assert worse[3].split()[4] == f"{100 * main:.2f}!"


def test_everything_is_asked_with_both_controls(every: Run) -> None:
    kinds = every.items.select("task", "control").unique().height
    assert kinds == 12
    names = [key for key in every.measures.of("accuracy") if key.k == 5]
    assert len([key for key in names if not key.condition]) == 12
    assert len([key for key in names if key.condition == "valid"]) == 12
    for name in ("accuracy@5[PS]", "accuracy@5[PS, random]", "accuracy@5[PS, null]", "truth_stable[TF]"):
        assert every.measures[name].value is not None
    for name in ("truth_stable[PS]", "shift_right[TF]", "words_accuracy[PS, null]", "accuracy[caption]"):
        assert name not in every.measures
    by_points = every.measures["permutation_p[PS, null]:points"]
    assert by_points.value == pytest.approx(1 / 1001)
    p = every.measures["permutation_p[PS, null]"]
    assert p.value is not None
    assert p.value < 0.01
    assert p.n == 20 * 8
    main, null = every.measures["accuracy@5[PS]"].value, every.measures["accuracy@5[PS, null]"].value
    assert main is not None
    assert null is not None
    assert main > null + 0.1


def test_the_test_against_a_control_is_paired_by_point(every: Run) -> None:
    items = every.items.filter(pl.col("task") == "PS")
    main, null = (items.filter(pl.col("control") == control) for control in ("", "null"))
    found = compare_items(main, null)
    assert found.p == every.measures["permutation_p[PS, null]"].value
    five = pl.col("turn") == 5
    difference = np.mean(main.filter(five)["right"].to_numpy()) - np.mean(null.filter(five)["right"].to_numpy())
    assert found.difference == pytest.approx(difference)
    assert compare_items(main, main).p == 1.0
    with pytest.raises(UsageError, match="not of the same points"):
        compare_items(main, null.head(10))


def test_controls_are_scored_on_real_states() -> None:
    blind = ProbeOptions("PS", control="null", **SMALL)
    found = probe_states(**given(material(60)), encoder=Table(), options=blind)
    assert set(found.items["control"]) == {"null"}
    # It learnt nothing of the states, so it says the same of a sentence at all turns, but for what chance weights add.
    steady = found.items.group_by("dialogue", "index").agg(pl.col("predicted").n_unique() == 1)["predicted"]
    assert np.mean(steady.to_numpy()) > 0.9


def test_several_seeds_have_a_spread() -> None:
    options = ProbeOptions("PS", seeds=3, seed=5, **SMALL)
    found = probe_states(**given(material(60)), encoder=Table(), options=options)
    assert sorted(set(found.items["seed"])) == [5, 6, 7]
    each = [
        float(np.mean(found.items.filter((pl.col("seed") == seed) & (pl.col("turn") == 5))["right"].to_numpy()))
        for seed in (5, 6, 7)
    ]
    assert found.measures["accuracy@5"].value == pytest.approx(np.mean(each))
    assert found.measures["accuracy@5:std"].value == pytest.approx(np.std(each, ddof=1))
    assert len(set(each)) > 1


def test_the_questioner_has_two_tasks() -> None:
    found = probe_states(
        **given(material(40)), encoder=Table(), options=ProbeOptions(role="Q", all=True, **SMALL | {"epochs": 1})
    )
    assert list(dict.fromkeys(found.items["task"])) == ["PS", "PxTSFS"]
    assert table_2(found).splitlines()[1].split()[1:3] == ["–", "–"]
    with pytest.raises(UsageError, match="cannot be asked of the questioner"):
        ProbeOptions(role="Q")
    with pytest.raises(UsageError, match="`role` must be one of A, Q, got 'B'"):
        ProbeOptions(role="B", all=True)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="`all` has both controls"):
        ProbeOptions(all=True, control="null")
    with pytest.raises(UsageError, match="`seeds` must be at least 1, got 0"):
        ProbeOptions(seeds=0)


def test_dialogues_that_end_early_have_no_points_afterwards() -> None:
    long, short = material(40), material(40, 1, name="test", turns=4)
    padded = np.zeros((40, 11, 12), np.float32)
    padded[:, :4] = short.states.states
    test = ProbeData.of("test", short.propositions, replace(short.states, states=padded))
    found = probe_states(**given(long, test=test), encoder=Table(), options=ProbeOptions("PS", **SMALL))
    assert found.items.height == 40 * 8 * 4
    assert found.measures["accuracy@5"].value is None
    assert found.measures["accuracy"].value is not None
    assert found.measures["confusion[shared → shared]"].n == found.items["shared"].sum()
    assert "accuracy@4" not in found.measures
    assert any("40 of 40 dialogues of test end before turn 10" in warning for warning in found.warnings)
    assert "gold ↓" in probe_tables(found)


def test_short_dialogues_have_no_turn_5() -> None:
    found = probe_states(**given(material(40, turns=4)), encoder=Table(), options=ProbeOptions("PS", **SMALL))
    assert found.measures["accuracy@5"].value is None
    assert "No scored dialogue has more than 3 rounds, so there is no accuracy@5." in found.warnings


def test_a_class_without_training_points_is_refused() -> None:
    whole = material(20)
    true = {at: tuple(one for one in some if one.a_thinks_true) for at, some in whole.propositions.dialogues.items()}
    held = replace(whole, propositions=replace(whole.propositions, dialogues=true))
    with pytest.raises(InputError, match="train propositions: found no point of the class 'false', expected points of"):
        probe_states(**given(held), encoder=Table(), options=ProbeOptions("TF", balance=False, **SMALL))
    caption = {at: tuple(one for one in some if not one.turn_shared) for at, some in true.items()}
    held = replace(whole, propositions=replace(whole.propositions, dialogues=caption))
    with pytest.raises(InputError, match="no point of the class 'private'"):
        probe_states(**given(held), encoder=Table(), options=ProbeOptions("PS", balance=False, **SMALL))


def test_a_class_without_scored_points_is_said() -> None:
    train, test = material(20), material(20, 1, name="test")
    shared = {at: tuple(one for one in some if not one.turn_shared) for at, some in test.propositions.dialogues.items()}
    test = replace(test, propositions=replace(test.propositions, dialogues=shared))
    found = probe_states(**given(train, test=test), encoder=Table(), options=ProbeOptions("PS", **SMALL))
    assert "No scored point of PS is private." in found.warnings
    assert found.measures["confusion@5[private → shared]"].value is None


def test_results_are_told_as_they_come_and_kept(tmp_path: Path) -> None:
    stages = Told()
    options = ProbeOptions(all=True, role="Q", **SMALL | {"epochs": 2})

    def again() -> Run:
        kept = tmp_path / "kept"
        return probe_states(**given(material(30)), encoder=Table(), options=options, work=kept, stages=stages)

    first = again()
    assert [re.sub(r"0\.\d{4}$", "0.…", text) for text in stages.told[:3]] == [
        "note PS, seed 0: validation accuracy after epoch 1 0.…",
        "note PS, seed 0: validation accuracy after epoch 2 0.…",
        "say PS, seed 0: accuracy@5 0.…",
    ]
    assert stages.told[-1] == "note "
    assert len(list((tmp_path / "kept").iterdir())) == 6
    assert again().items.equals(first.items)
    with pytest.raises(UsageError, match="another training: standardise was False"):
        probe_states(
            **given(material(30)), encoder=Table(), options=replace(options, standardise=True), work=tmp_path / "kept"
        )


def test_progress_counts_all_probes() -> None:
    stages = Told()
    options = ProbeOptions("PS", seeds=2, balance=False, **SMALL)
    probe_states(**given(material(30)), encoder=Table(), options=options, stages=stages)
    at = stages.at["train", "points"]
    points = 18 * 8 * 11
    assert {total for _, total in at} == {2 * 4 * points}
    assert at[-1][0] == 2 * 4 * points
    assert at == sorted(at)
    assert stages.at["embed", "sentences"][-1] == (12, 12)


def test_standardised_states_are_learnt_from() -> None:
    whole = material(60)
    # A number that dwarfs all others hides what they say.
    states = whole.states.states * np.float32(1e-3)
    states[:, :, 0] += 50
    dim = ProbeData.of("train", whole.propositions, replace(whole.states, states=states))
    options = ProbeOptions("PS", **SMALL | {"epochs": 12})
    raw, scaled = (
        probe_states(**given(dim), encoder=Table(), options=replace(options, standardise=how)) for how in (False, True)
    )
    worse, better = raw.measures["accuracy"].value, scaled.measures["accuracy"].value
    assert worse is not None
    assert better is not None
    assert better > worse + 0.05
    assert scaled.signature.options["standardise"]


def balanced_set(more: int = 0) -> PropositionSet:
    said = [("there is a dog", 1), ("there is a dog", 0), ("there is no dog", 1), ("there is no dog", 0)]
    said += [("there is a dog", 1)] * more
    records = [Proposition(text, true, 1, "there", "positive") for text, true in said]
    return PropositionSet("train", "made", {at: (record,) for at, record in enumerate(records)})


def test_a_balanced_set_tells_nothing_by_its_sentences() -> None:
    check_balanced(balanced_set(), "made")
    assert count_unbalanced(balanced_set()) == (0, 2)
    assert count_unbalanced(balanced_set(2)) == (1, 2)
    with pytest.raises(InputError, match="'there is a dog': found 3 times true and 1 times false"):
        check_balanced(balanced_set(2), "made")


def test_training_points_are_balanced_unless_asked_otherwise() -> None:
    assert ProbeOptions().balance
    whole = material(60)
    plain, even = (
        probe_states(**given(whole), encoder=Table(), options=ProbeOptions("TF", balance=how, **SMALL))
        for how in (False, True)
    )
    told = "not as often true as false"
    assert any(told in warning for warning in plain.warnings)
    assert not any(told in warning for warning in even.warnings)
    # What is scored stays as it is.
    assert even.items.select("dialogue", "index", "turn", "gold").equals(
        plain.items.select("dialogue", "index", "turn", "gold")
    )
    alone = {at: (Proposition(f"there is a dog {at}", 1, 0, "caption", None),) for at in range(60)}
    held = replace(whole, propositions=replace(whole.propositions, dialogues=alone))
    with pytest.raises(InputError, match="no sentence that is both true and false"):
        probe_states(**given(held), encoder=Table(), options=ProbeOptions("PS", balance=True, **SMALL))


def test_words_only_learns_what_a_word_gives_away() -> None:
    texts = ["there is a dog", "there is no dog", "there is a cat", "there is no cat", "there is no bird"]
    sentence = np.repeat([0, 1, 2, 3], 10)
    label = np.repeat([1, 0, 1, 0], 10)
    found = words_only(texts, sentence, label, np.array([0, 1, 4, 4]))
    assert found.tolist() == [1, 0, 0, 0]
    # One class alone.
    assert words_only(texts, sentence, np.ones_like(label), np.array([0, 4])).tolist() == [1, 1]
    # As many of each class for every sentence: it has no better than to guess.
    even = np.tile([0, 1], 20)
    guessed = words_only(texts, sentence, even, sentence)
    assert (guessed == even).mean() == 0.5


def test_the_same_options_give_the_same_run(run: Run) -> None:
    again = probe_states(**given(material(100)), encoder=Table(), options=ProbeOptions(**SMALL))
    assert again.items.equals(run.items)
    assert again.measures == run.measures


def test_tasks_do_not_share_their_classes() -> None:
    assert all(len(set(task.classes)) == len(task.classes) for task in TASKS.values())


def test_states_after_a_dialogue_s_end_change_nothing() -> None:
    train, test = material(60), material(30, 1, name="test", turns=7)
    padded = np.zeros((30, 11, test.states.states.shape[2]), np.float32)
    padded[:, :7] = test.states.states
    noisy = padded.copy()
    noisy[:, 7:] = np.random.default_rng(5).normal(size=noisy[:, 7:].shape)
    told = replace(test.propositions, turns=dict.fromkeys(range(30), 7))

    def held(propositions: PropositionSet, states: np.ndarray) -> Run:
        where = {"test_propositions": propositions, "test_states": States(states)}
        return probe_states(**given(train), **where, encoder=Table(), options=ProbeOptions("PS", **SMALL))

    clean, kept, guessed = held(test.propositions, padded), held(told, noisy), held(test.propositions, noisy)
    assert kept.measures["accuracy"] == clean.measures["accuracy"] != guessed.measures["accuracy"]
    assert guessed.measures["accuracy"].n == clean.measures["accuracy"].n * 11 / 7
    assert (
        "test states: the states of 30 dialogues go on after the dialogue's end (0, 1, 2, 3, 4, …, from 0); what "
        "follows it is not read."
    ) in kept.warnings
    assert any("test propositions: nothing says how many turns" in warning for warning in guessed.warnings)
    assert not any("test propositions: nothing says" in warning for warning in kept.warnings)


def test_dialogues_without_propositions_are_refused() -> None:
    with pytest.raises(UsageError, match="`test_dialogues` are for `test_propositions` and `test_states`"):
        probe_states(**given(material(20)), test_dialogues=Dialogues(()), encoder=Table())


def test_what_is_known_from_train(run: Run) -> None:
    # Twelve sentences of six things; all are learnt from.
    for part in ("valid", "test"):
        assert (run.measures[f"types_in_train[{part}]"].value, run.measures[f"types_in_train[{part}]"].n) == (1, 12)
        assert (run.measures[f"words_in_train[{part}]"].value, run.measures[f"words_in_train[{part}]"].n) == (1, 10)
    train, other = material(30), material(30, 1, name="test")
    new = {at: (replace_text(some[0], "a ship sails"), *some[1:]) for at, some in other.propositions.dialogues.items()}
    ship = replace(other, propositions=replace(other.propositions, dialogues=new))
    found = probe_states(**given(train, test=ship), encoder=Wide(), options=ProbeOptions("PS", **SMALL)).measures
    assert found["types_in_train[test]"].value == pytest.approx(12 / 13)
    assert found["words_in_train[test]"].value == pytest.approx(10 / 12)


def replace_text(one: Proposition, text: str) -> Proposition:
    return Proposition(text, one.a_thinks_true, one.turn_shared, one.rule, one.qa_fact)


class Wide(Table):
    """Knows one sentence more."""

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        known = super().encode([text if text.split()[-1] in THINGS else "there is a dog" for text in texts])
        return np.asarray(known)


def test_the_validation_points_have_figures_of_their_own() -> None:
    train, valid, test = (material(40, seed, name=name) for seed, name in enumerate(("train", "valid", "test")))
    options = ProbeOptions("PS", **SMALL)
    whole = probe_states(**given(train, valid, test), encoder=Table(), options=options).measures
    alone = probe_states(**given(train, valid), encoder=Table(), options=options).measures
    for name in ("accuracy@5", "accuracy"):
        # Without test the scores are those on valid.
        assert whole[f"{name}:valid"].value == alone[name].value != whole[name].value


@pytest.mark.parametrize("layers", [0, 2])
def test_a_shallow_and_a_deep_probe(layers: int) -> None:
    made = probe_states(**given(material(60)), encoder=Table(), options=ProbeOptions("PS", layers=layers, **SMALL))
    assert made.options["layers"] == layers
    assert made.signature.options["layers"] == layers
    value = made.measures["accuracy"].value
    assert value is not None
    assert value > 0.5


def of_both_roles(**options: Any) -> Comparison:
    whole = material(60)
    runs = [
        probe_states(**given(whole), encoder=Table(), options=ProbeOptions(role=role, **options, **SMALL))
        for role in ("A", "Q")
    ]
    (found,) = compare_runs(["a", "q"], runs, resamples=50)
    assert "a and q are of an answerer and a questioner" in " ".join(found.warnings)
    return found


def test_an_answerer_and_a_questioner_are_compared() -> None:
    found = of_both_roles(task="PS")
    assert (found.paired, found.only_first, found.only_second) == (12 * 8 * 11, 0, 0)


def test_of_all_tasks_those_that_both_roles_are_asked_are_compared() -> None:
    found = of_both_roles(all=True)
    names = [measure.measure.name for measure in found.measures]
    assert {"accuracy@5[PS]", "accuracy@5[PxTSFS]"} <= set(names)
    assert not any("TF]" in name or "TFxPS" in name for name in names)
    assert any(warning.startswith("Only a has accuracy@5[TFxPS]") for warning in found.warnings)

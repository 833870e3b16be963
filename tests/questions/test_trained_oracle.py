"""The trained oracle: its parts by hand, its LSTM against torch's, and that it learns."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle_games import game, simple_games

from voirdire.engine.threads import one_thread
from voirdire.errors import InputError, UsageError
from voirdire.formats.guesswhat import ANSWERS
from voirdire.questions.exam import OracleOptions
from voirdire.questions.trained_oracle.model_oracle import CLOSE, ModelOracle, TrainedOracle, make_network
from voirdire.questions.trained_oracle.network import (
    UNKNOWN,
    OracleNetwork,
    PrefixTree,
    Vocabulary,
    read_tree,
    spatial,
    words_of,
)
from voirdire.questions.trained_oracle.training import Collector, Examples, train_oracle

pytestmark = pytest.mark.slow

SMALL = OracleOptions(epochs=8, batch=64, rate=5e-3, word=12, lstm=24, category=12, hidden=48)


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    with one_thread():
        yield


def examples_of(games: list) -> Examples:
    collector = Collector()
    collector.add(games)
    return collector.examples()


@pytest.fixture(scope="module")
def trained() -> TrainedOracle:
    return train_oracle(examples_of(simple_games(1000, 1)), examples_of(simple_games(150, 2)), SMALL)


def test_spatial_features_are_turned_upward() -> None:
    # A box from (160, 120), 320 wide and 60 high, in an image of 640 × 480: its upper edge is a quarter down.
    (found,) = spatial([(160, 120, 320, 60)], [640], [480])
    assert found.tolist() == [-0.5, 0.25, 0.5, 0.5, 0.0, 0.375, 1.0, 0.25]
    (whole,) = spatial([(0, 0, 640, 480)], [640], [480])
    assert whole.tolist() == [-1, -1, 1, 1, 0, 0, 2, 2]
    assert spatial([], [], []).shape == (0, 8)


def test_words_and_their_numbers() -> None:
    assert words_of("Isn’t it the 3rd dog's bowl, on_top?") == [
        "isn't",
        "it",
        "the",
        "3rd",
        "dog's",
        "bowl",
        "on",
        "top",
    ]
    known = Vocabulary.of({"is it a dog": 2, "is it a cat?": 1, "???": 5}, min_count=2)
    assert known.words == ("a", "dog", "is", "it")
    assert len(known) == 5
    assert known.numbers("Is it a CAT") == [3, 4, 1, UNKNOWN]
    assert known.numbers("?!") == [UNKNOWN]
    with pytest.raises(ValueError, match="twice"):
        Vocabulary(["dog", "dog"])


def test_a_tree_shares_beginnings() -> None:
    tree = PrefixTree([[1, 2, 3], [1, 2], [1, 2, 4], [5]])
    assert len(tree.word) == 5
    levels = tree.levels(np.array([0, 1, 2, 3]))
    assert [len(words) for words in levels.words] == [2, 1, 2]
    assert levels.vocabulary.tolist() == [1, 2, 3, 4, 5]
    assert [levels.vocabulary[words].tolist() for words in levels.words] == [[1, 5], [2], [3, 4]]
    assert levels.ends.tolist() == [3, 2, 4, 1]
    part = tree.levels(np.array([3, 3]))
    assert [len(words) for words in part.words] == [1]
    assert part.ends.tolist() == [0, 0]
    with pytest.raises(ValueError, match="at least one word each, got one without"):
        PrefixTree([[1], []])


@settings(max_examples=40)
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=8))
def test_the_tree_reads_as_an_lstm_does(questions: list[list[int]]) -> None:
    generator = torch.Generator().manual_seed(len(questions))
    size, width = 5, 3
    peer = torch.nn.LSTM(width, size, batch_first=True).double()
    table = torch.randn(4, width, generator=generator, dtype=torch.float64, requires_grad=True)
    levels = PrefixTree(questions).levels(np.arange(len(questions)))
    weights = (peer.weight_ih_l0, peer.weight_hh_l0)
    inputs = table[torch.from_numpy(levels.vocabulary)] @ peer.weight_ih_l0.T + peer.bias_ih_l0 + peer.bias_hh_l0
    ours = read_tree(inputs, peer.weight_hh_l0, levels)
    theirs = torch.cat([peer(table[question][None])[1][0][0] for question in questions])
    torch.testing.assert_close(ours, theirs)
    pull = torch.randn(ours.shape, generator=generator, dtype=torch.float64)
    wanted = torch.autograd.grad((theirs * pull).sum(), (table, *weights))
    # A tree of one level does not reach the recurrent weights; their gradient is zero there.
    found = torch.autograd.grad((ours * pull).sum(), (table, *weights))
    for mine, peers in zip(found, wanted, strict=True):
        torch.testing.assert_close(mine, peers)


def test_examples_are_the_questions_of_won_games() -> None:
    box = (0.0, 0.0, 64.0, 48.0)
    won = game(1, [("car", box), ("dog", (320.0, 0.0, 64.0, 48.0))], [("a?", "yes"), ("b?", "n/a")], target=1)
    lost = game(2, [("car", box)], [("c?", "no")], status="failure")
    unsaid, silent = game(3, [("car", box)], [("c?", "no")], status=None), game(4, [("car", box)], [])
    found = examples_of([won, lost, unsaid, silent, game(5, [("person", box)], [("a?", "no")])])
    assert found.texts == ("a?", "b?")
    assert found.question.tolist() == [0, 1, 0]
    assert [ANSWERS[code] for code in found.answer] == ["yes", "n/a", "no"]
    assert found.target.tolist() == [0, 0, 1]
    assert found.category.tolist() == [18, 1]
    assert found.spatial[0, :2].tolist() == pytest.approx([0.0, 0.8])
    assert found.unused == 3
    assert found.times() == {"a?": 2, "b?": 1}


def test_an_unknown_category_is_named() -> None:
    odd = game(7, [("unicorn", (0.0, 0.0, 9.0, 9.0))], [("a?", "no")])
    with pytest.raises(InputError, match=r"game 7, object 700, field `category_id`: found 95 \(unicorn\)"):
        examples_of([odd])


def test_nothing_to_learn_from_is_an_error() -> None:
    with pytest.raises(UsageError, match="no question to train on"):
        train_oracle(examples_of([]))
    with pytest.raises(UsageError, match="no question to validate on"):
        train_oracle(examples_of(simple_games(3, 1)), examples_of([]), SMALL)


def test_it_learns_what_category_and_box_tell(trained: TrainedOracle) -> None:
    unseen = [one for one in simple_games(300, 3) if one.status == "success"]
    oracle = ModelOracle(trained)
    right = total = 0
    for one, given_ in zip(unseen, oracle.answer(unseen), strict=True):
        place = [thing.id for thing in one.objects].index(one.target_id)
        right += sum(ANSWERS[code] == qa.answer for code, qa in zip(given_.answers[:, place], one.qas, strict=True))
        total += len(one.qas)
    assert right / total > 0.95
    assert trained.history[trained.epoch - 1].valid_error < 0.05 < trained.history[0].error


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    examples = examples_of(simple_games(60, 5))
    short = replace(SMALL, epochs=1)
    first, second = (train_oracle(examples, None, short) for _ in range(2))
    assert all(np.array_equal(first.weights[name], second.weights[name]) for name in first.weights)
    other = train_oracle(examples, None, replace(short, seed=1))
    assert not np.array_equal(first.weights["output.weight"], other.weights["output.weight"])


def test_training_stops_when_the_validation_error_no_longer_falls() -> None:
    # Validation answers that contradict those of train: the more is learnt, the more is wrong.
    turned = {"yes": "no", "no": "yes", "n/a": "n/a"}
    games = simple_games(80, 6)
    against = [
        game_.__class__(**{**{f: getattr(game_, f) for f in game_.__struct_fields__}, "qas": qas})
        for game_ in simple_games(40, 7)
        for qas in [tuple(type(qa)(qa.question, turned[qa.answer]) for qa in game_.qas)]
    ]
    made = train_oracle(examples_of(games), examples_of(against), replace(SMALL, epochs=20, patience=2))
    assert len(made.history) == made.epoch + 2 < 20
    errors = [epoch.valid_error for epoch in made.history]
    assert min(errors) == errors[made.epoch - 1]


def test_a_batch_answers_as_single_calls_do(trained: TrainedOracle) -> None:
    oracle, games = ModelOracle(trained), simple_games(60, 8)
    batched = oracle.answer(games)
    for one, given_ in zip(games, batched, strict=True):
        for row, qa in enumerate(one.qas):
            for column, thing in enumerate(one.objects):
                assert given_.answers[row, column] == oracle.one(qa.question, one.image, thing).argmax()
    few = [ModelOracle(trained).answer([one])[0] for one in games[:20]]
    assert all(np.array_equal(a.answers, b.answers) for a, b in zip(few, batched, strict=False))


def test_the_bound_of_close_calls_is_far_above_the_difference(trained: TrainedOracle) -> None:
    oracle, games = ModelOracle(trained), simple_games(25, 9)
    network = make_network(trained)
    texts = sorted({qa.question for one in games for qa in one.qas})
    words = Vocabulary(trained.words)
    questions = network.of_questions(PrefixTree([words.numbers(t) for t in texts]).levels(np.arange(len(texts))))
    pairs = [(one.image, thing) for one in games for thing in one.objects]
    objects = oracle._objects(pairs)
    apart = 0.0
    for row, text in enumerate(texts):
        scores = network.scores(questions[[row] * len(pairs)], objects).numpy()
        for (image, thing), batched in zip(pairs, scores, strict=True):
            apart = max(apart, float(np.abs(oracle.one(text, image, thing) - batched).max()))
    assert 0 < apart < CLOSE / 20


def test_close_calls_are_made_alone_and_ties_counted(trained: TrainedOracle) -> None:
    # Without weights in the last layer all three scores are equal: the first class, every call a tie.
    flat = {**trained.weights, "output.weight": np.zeros_like(trained.weights["output.weight"])}
    flat["output.bias"] = np.zeros(3, np.float32)
    one = simple_games(1, 1)[0]
    (found,) = ModelOracle(replace(trained, weights=flat)).answer([one])
    assert (found.answers == 0).all()
    assert found.ties == found.answers.size
    flat["output.bias"] = np.array([0.0, 0.0, 1e-6], np.float32)
    (found,) = ModelOracle(replace(trained, weights=flat)).answer([one])
    assert (found.answers == 2).all()
    assert found.ties == 0


def test_games_without_questions_or_objects_are_answered(trained: TrainedOracle) -> None:
    silent = game(1, [("car", (0.0, 0.0, 9.0, 9.0))], [])
    assert ModelOracle(trained).answer([]) == []
    (found,) = ModelOracle(trained).answer([silent])
    assert found.answers.shape == (0, 1)
    with pytest.raises(InputError, match=r"the games, beside model:o\.npz: game 2, object 200, field `category_id`"):
        ModelOracle(trained, name="model:o.npz").answer([game(2, [("unicorn", (0.0, 0.0, 9.0, 9.0))], [("a?", "no")])])


def test_questions_are_remembered_and_forgotten(trained: TrainedOracle, monkeypatch: pytest.MonkeyPatch) -> None:
    games = simple_games(40, 10)
    wanted = ModelOracle(trained).answer(games)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.GAMES", 3)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.REMEMBERED", 7)
    monkeypatch.setattr("voirdire.questions.trained_oracle.model_oracle.CALLS", 5)
    told: list[tuple[int, int]] = []
    found = ModelOracle(trained).answer(games, lambda done, total: told.append((done, total)))
    assert all(np.array_equal(a.answers, b.answers) for a, b in zip(found, wanted, strict=True))
    assert told[0] == (3, 40)
    assert told[-1] == (40, 40)


def test_first_weights_depend_on_the_seed_alone() -> None:
    torch.manual_seed(1)
    options = OracleOptions(word=4, lstm=6, category=4, hidden=8)
    first = OracleNetwork(options, 5, seed=3).arrays()
    torch.manual_seed(2)
    second = OracleNetwork(options, 5, seed=3).arrays()
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert first["input.bias"][6:12].min() > 1 - 0.51


@pytest.mark.parametrize(
    ("name", "value"), [("epochs", 0), ("rate", 0.0), ("decay", 1.1), ("clip", float("inf")), ("seed", -1)]
)
def test_options_that_cannot_be(name: str, value: float) -> None:
    with pytest.raises(UsageError, match=f"`{name}` must be"):
        OracleOptions(**{name: value})

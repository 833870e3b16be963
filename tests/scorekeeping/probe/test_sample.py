"""Controls and scaling of what a probe is given."""

import numpy as np
import pytest

from voirdire.errors import UsageError
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.probe.sample import ProbeSample, controlled, scaling_of


def sample(seed: int = 0) -> ProbeSample:
    rng = np.random.default_rng(seed)
    states = rng.normal(3, 2, (50, 40)).astype(np.float32)
    states[40:] = 1000  # Not among the training points.
    state = rng.integers(0, 40, 300)
    state[:40] = np.arange(40)
    sentences = rng.normal(size=(7, 5)).astype(np.float32)
    label, group = rng.integers(0, 2, 300), state // 4
    return ProbeSample(states, sentences, state, rng.integers(0, 7, 300).astype(np.int32), label, group)


def test_random_states_have_the_mean_and_spread_of_the_real_ones() -> None:
    made = sample()
    found = controlled(made, "random", 1)
    rows = found.states[found.state]
    assert abs(float(rows.mean()) - 3) < 0.3
    assert abs(float(found.states.std()) - 2) < 0.15
    # The same state stays the same: a point's neighbours at its turn see the same vector.
    for row in range(40):
        assert len(np.unique(rows[made.state == row], axis=0)) == 1
    assert len(np.unique(found.states, axis=0)) == 40
    real = made.states[made.state]
    assert abs(np.corrcoef(real.ravel(), rows.ravel())[0, 1]) < 0.1
    assert np.array_equal(found.states, controlled(made, "random", 1).states)
    assert not np.array_equal(found.states, controlled(made, "random", 2).states)
    assert np.array_equal(found.label, made.label)
    assert np.array_equal(found.sentence, made.sentence)


def test_null_states_are_zero_and_no_control_changes_nothing() -> None:
    made = sample()
    assert not controlled(made, "null", 0).states[controlled(made, "null", 0).state].any()
    assert controlled(made, "", 0) is made
    with pytest.raises(UsageError, match="`control` must be one of random, null, got 'nil'"):
        ProbeOptions(control="nil")  # type: ignore[arg-type]


def test_scaling_is_that_of_the_training_rows() -> None:
    made = sample()
    made.states[:, 3] = 5.0
    scaled = scaling_of(made.states, made.state).apply(made.states)
    used = np.delete(scaled[:40], 3, axis=1)
    assert np.allclose(used.mean(axis=0), 0, atol=1e-5)
    assert np.allclose(used.std(axis=0), 1, atol=1e-5)
    assert not scaled[:, 3].any()
    assert scaled[45, 0] > 100

"""What a probe is trained on or asked, and what it has to beat: controls, and the words alone.

A sample is points as places in a table of states and in one of sentences. Controls change the states of the training
points only: `random` draws them from the normal distribution with the mean and the standard deviation of all numbers of
the real ones, `null` makes them zero. So what a control's probe gets right about real states it knows from the
sentences. (scorekeeping, §5; Hewitt and Liang 2019.)

    balanced         ⇔  for every sentence:  #{it is true} = #{it is false}
    words_accuracy   accuracy of a logistic regression on a sentence's bag of words

A sentence that is mostly true, or mostly said early, can be judged without any state; what a probe gets right beyond
that it has from the states. In a balanced training set no sentence tells true from false. (scorekeeping, §4.)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.strict import Problems

Control = Literal["", "random", "null"]
CONTROLS: tuple[Control, ...] = get_args(Control)
BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class ProbeSample:
    """n points.

    states     float32[rows, d], the table of states
    sentences  float32[types, e], the table of embeddings
    state      int64[n], places in the table of states
    sentence   int32[n], places in the table of sentences
    label      int64[n], classes
    group      int64[n], dialogues
    """

    states: npt.NDArray[np.float32]
    sentences: npt.NDArray[np.float32]
    state: npt.NDArray[np.int64]
    sentence: npt.NDArray[np.int32]
    label: npt.NDArray[np.int64]
    group: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.label)


@dataclass(frozen=True, eq=False)
class Scaling:
    """x ↦ (x − mean) / std, each number of a vector for itself."""

    mean: npt.NDArray[np.float32]
    std: npt.NDArray[np.float32]

    def apply(self, table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """A table with its rows scaled."""
        scaled = table - self.mean
        scaled /= self.std
        return scaled


def scaling_of(table: npt.NDArray[np.float32], rows: npt.NDArray[np.integer]) -> Scaling:
    """The scaling that gives these rows mean 0 and standard deviation 1; numbers that never change keep their size."""
    distinct = np.unique(rows)
    total, squares = np.zeros(table.shape[1]), np.zeros(table.shape[1])
    for start in range(0, len(distinct), BLOCK):
        total += table[distinct[start : start + BLOCK]].sum(axis=0, dtype=np.float64)
    mean = total / max(1, len(distinct))
    for start in range(0, len(distinct), BLOCK):
        squares += ((table[distinct[start : start + BLOCK]] - mean) ** 2).sum(axis=0)
    std = np.sqrt(squares / max(1, len(distinct)))
    still = std <= 1e-7 * np.maximum(1.0, np.abs(mean))
    return Scaling(mean.astype(np.float32), np.where(still, 1.0, std).astype(np.float32))


def controlled(sample: ProbeSample, control: Control, seed: int) -> ProbeSample:
    """The sample with its states replaced as the control asks."""
    if not control:
        return sample
    if control == "null":
        none = np.zeros((1, sample.states.shape[1]), np.float32)
        return replace(sample, states=none, state=np.zeros_like(sample.state))
    rows, state = np.unique(sample.state, return_inverse=True)
    total = squares = 0.0
    for start in range(0, len(rows), BLOCK):
        block = sample.states[rows[start : start + BLOCK]]
        total += float(block.sum(dtype=np.float64))
        squares += float(np.square(block, dtype=np.float64).sum())
    size = len(rows) * sample.states.shape[1]
    mean = total / size
    std = max(0.0, squares / size - mean**2) ** 0.5
    drawn = np.random.default_rng([seed, 1]).standard_normal((len(rows), sample.states.shape[1]), np.float32)
    drawn *= np.float32(std)
    drawn += np.float32(mean)
    return replace(sample, states=drawn, state=state.reshape(-1).astype(np.int64))


ITERATIONS = 1000


def _counts(propositions: PropositionSet) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for records in propositions.dialogues.values():
        for record in records:
            counts.setdefault(record.proposition, [0, 0])[record.a_thinks_true] += 1
    return counts


def count_unbalanced(propositions: PropositionSet) -> tuple[int, int]:
    """How many sentences are not true exactly as often as false, and how many there are."""
    counts = _counts(propositions)
    return sum(false != true for false, true in counts.values()), len(counts)


def check_balanced(propositions: PropositionSet, name: str) -> None:
    """Refuse propositions among which a sentence is more often true than false, or the other way round."""
    problems = Problems(name)
    for sentence, (false, true) in _counts(propositions).items():
        if false != true:
            problems.add(repr(sentence), "", f"{true} times true and {false} times false", "as often true as false")
    problems.check()


def words_only(
    texts: Sequence[str],
    train_sentence: npt.NDArray[np.integer],
    train_label: npt.NDArray[np.int64],
    sentence: npt.NDArray[np.integer],
) -> npt.NDArray[np.int64]:
    """The classes that a regression on words predicts for points, given by the places of their sentences in `texts`.

    It learns from the training points; points with the same sentence and class are one row with their number as weight.
    """
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    classes = int(train_label.max()) + 1
    pairs, weights = np.unique(train_sentence.astype(np.int64) * classes + train_label, return_counts=True)
    known, labels = np.divmod(pairs, classes)
    if len(np.unique(labels)) == 1:
        return np.full(len(sentence), labels[0], np.int64)
    words = CountVectorizer(token_pattern=r"\S+", binary=True)
    rows = words.fit_transform([texts[place] for place in known.tolist()])
    with one_thread():
        model = LogisticRegression(max_iter=ITERATIONS).fit(rows, labels, sample_weight=weights)
    asked, back = np.unique(sentence, return_inverse=True)
    predicted = model.predict(words.transform([texts[place] for place in asked.tolist()]))
    taken: npt.NDArray[np.int64] = np.asarray(predicted, np.int64)[back.reshape(-1)]
    return taken

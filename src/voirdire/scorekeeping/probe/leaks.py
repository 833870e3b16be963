"""What do the words of a proposition alone give away?

    balanced         ⇔  for every sentence:  #{it is true} = #{it is false}
    words_accuracy   accuracy of a logistic regression on a sentence's bag of words

A sentence that is mostly true, or mostly said early, can be judged without any state; what a probe gets right beyond
that it has from the states. In a balanced training set no sentence tells true from false. (scorekeeping, §4.)
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from voirdire.engine.threads import one_thread
from voirdire.formats.propositions import PropositionSet
from voirdire.formats.strict import Problems

ITERATIONS = 1000


def _counts(propositions: PropositionSet) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for records in propositions.dialogues.values():
        for one in records:
            counts.setdefault(one.proposition, [0, 0])[one.a_thinks_true] += 1
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
    found = model.predict(words.transform([texts[place] for place in asked.tolist()]))
    taken: npt.NDArray[np.int64] = np.asarray(found, np.int64)[back.reshape(-1)]
    return taken

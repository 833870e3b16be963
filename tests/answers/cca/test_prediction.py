"""Training, rankings and generations of CCA and its baselines, against plain readings on a small world."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from word_world import DIMENSION, WordWorld, word_world

from voirdire.answers.cca import Cca, open_sentences, unit_rows
from voirdire.answers.cca.prediction import Scored, generate, nearest_rounds, predict_answers, predict_ranks
from voirdire.answers.cca.sentences import Sentences, sentences
from voirdire.answers.cca.training import (
    pairs_of_ground_truths,
    pairs_of_references,
    train,
    train_vocabulary,
    training_pairs,
)
from voirdire.answers.exam import BlindModel, CcaOptions, PredictOptions
from voirdire.errors import InputError, UsageError
from voirdire.formats.features import Features, read_features
from voirdire.formats.option_numbers import read_dense
from voirdire.formats.references import read_references
from voirdire.formats.visdial import VisDial, read_visdial

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> WordWorld:
    return word_world(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="module")
def learnt(world: WordWorld) -> VisDial:
    return read_visdial(world["train"])


@pytest.fixture(scope="module")
def val(world: WordWorld) -> VisDial:
    return read_visdial(world["val"])


@pytest.fixture(scope="module")
def texts(world: WordWorld, learnt: VisDial) -> Sentences:
    return sentences(world.encoder, train_vocabulary(learnt))


@pytest.fixture(scope="module")
def cca(learnt: VisDial, texts: Sentences) -> Cca:
    return train(pairs_of_ground_truths(learnt), texts, CcaOptions(k=40))


@pytest.fixture(scope="module")
def images(learnt: VisDial, val: VisDial) -> Features:
    ids = np.concatenate([learnt.image_ids, val.image_ids])
    return Features("x", "image", ids, np.random.default_rng(3).normal(size=(len(ids), 8)).astype(np.float32), "0")


def of_round(visdial: VisDial, texts: Sentences, round_: int) -> tuple[np.ndarray, np.ndarray]:
    return texts.vectors([visdial.question_text(round_)])[0], texts.vectors(visdial.option_texts(round_))


def order(ranks: np.ndarray) -> np.ndarray:
    return np.argsort(ranks)


def test_pairs(world: WordWorld, learnt: VisDial) -> None:
    pairs = pairs_of_ground_truths(learnt)
    assert len(pairs) == len(learnt.question)
    assert (pairs.answers[pairs.answer[5]], pairs.questions[pairs.question[5]]) == (
        learnt.answer_text(5),
        learnt.question_text(5),
    )
    true = read_references(world["val_references_true"])
    pairs = pairs_of_references(true)
    assert len(pairs) == len(true.texts)
    assert [pairs.answers[place] for place in pairs.answer] == true.texts
    assert pairs.questions[pairs.question[-1]] == true.questions[-1]
    human, _ = training_pairs(learnt, read_dense(world["train_dense"], 1), None)
    assert human.source == "human reference sets"
    assert set(human.data) == {"visdial", "dense"}


def test_what_pairs_can_be_made_of(learnt: VisDial, world: WordWorld) -> None:
    with pytest.raises(UsageError, match="give the dialogues to train on"):
        training_pairs(None, None, None)
    with pytest.raises(UsageError, match="exclude each other"):
        training_pairs(None, read_dense(world["val_dense"], 1), read_references(world["val_references_true"]))
    each = replace(pairs_of_ground_truths(learnt), answer=np.array([0]), question=np.array([0]), images=np.array([1]))
    with pytest.raises(UsageError, match="at least two question-answer pairs; there are 1"):
        train(each, sentences(world.encoder, ["yes"]))
    same = replace(each, answer=np.array([0, 0]), question=np.array([0, 1]), images=np.array([1, 1]))
    with pytest.raises(UsageError, match="`encoder` gives all answers of the training pairs the same vector"):
        train(same, sentences(world.encoder, train_vocabulary(learnt)))


def test_words_and_distinct_vectors_train_the_same_model(learnt: VisDial, texts: Sentences, cca: Cca) -> None:
    class Opaque:
        """The same vectors from something that has no tokens."""

        spec, signature, words, dimension = "x", "y", None, DIMENSION
        vectors = staticmethod(texts.vectors)

    other = train(pairs_of_ground_truths(learnt), Opaque(), CcaOptions(k=40))  # type: ignore[arg-type]
    np.testing.assert_allclose(other.eigenvalues, cca.eigenvalues, atol=1e-9)
    assert (cca.source, cca.pairs) == ("ground truths", len(learnt.question))
    assert cca.words == texts.words


def test_another_encoder_is_refused(world: WordWorld, cca: Cca, tmp_path: Path) -> None:
    assert open_sentences(cca).signature == cca.signature
    table = Path(world.encoder.removeprefix("glove:")).read_text().splitlines()
    (tmp_path / "short.txt").write_text("\n".join(" ".join(line.split()[:-1]) for line in table))
    with pytest.raises(
        UsageError, match=f"has {DIMENSION - 1} dimensions, but the CCA was trained with .* had {DIMENSION}"
    ):
        open_sentences(cca, f"glove:{tmp_path / 'short.txt'}")
    (tmp_path / "other.txt").write_text("\n".join(line[:-1] + "9" for line in table))
    with pytest.raises(UsageError, match="is not the one that the CCA was trained with"):
        open_sentences(cca, f"glove:{tmp_path / 'other.txt'}")


@pytest.mark.parametrize("model", ["cca-aq", "ncca-aq"])
def test_ranks_by_correlation(model: BlindModel, val: VisDial, texts: Sentences, cca: Cca) -> None:
    rankings = predict_ranks(Scored(model, texts, cca), val)
    assert rankings.base == 1
    assert len(rankings) == len(val.question)
    for round_ in (0, 17, 63):
        question, options = of_round(val, texts, round_)
        if model == "cca-aq":
            question, options = cca.project("question", question[None])[0], cca.project("answer", options)
        else:
            question, options = question - cca.means[1], options - cca.means[0]
        cosine = unit_rows(options) @ question
        np.testing.assert_allclose(cosine[order(rankings.ranks[round_])], np.sort(cosine)[::-1], atol=1e-9)


@pytest.mark.parametrize("model", ["nn-aq", "nn-aqi"])
def test_ranks_by_nearest_neighbours(
    model: BlindModel, val: VisDial, learnt: VisDial, texts: Sentences, images: Features
) -> None:
    rankings = predict_ranks(Scored(model, texts, None, images), val, learnt)
    asked = texts.vectors([learnt.question_text(round_) for round_ in range(len(learnt.question))])
    answers = texts.vectors([str(learnt.answer_text(round_)) for round_ in range(len(learnt.question))])
    pictures = images.features[images.rows(learnt.image_ids)][learnt.round_dialogues()]
    for round_ in (0, 17, 63):
        question, options = of_round(val, texts, round_)
        apart = np.linalg.norm(asked - question, axis=1)
        # Equally near questions are one question, whose rounds come in the order of the file.
        near = np.lexsort((np.arange(len(apart)), np.round(apart, 9)))[:100]
        if model == "nn-aqi":
            own = images.features[images.rows(val.image_ids)][val.round_dialogues()[round_]]
            near = near[np.argsort(np.linalg.norm(pictures[near] - own, axis=1), kind="stable")[:20]]
        far = np.linalg.norm(options - answers[near].mean(axis=0), axis=1)
        np.testing.assert_allclose(far[order(rankings.ranks[round_])], np.sort(far), atol=1e-6)


def test_cca_beats_its_baselines(val: VisDial, learnt: VisDial, texts: Sentences, cca: Cca) -> None:
    """The published order of the two baselines (nn before ncca) is not asked for: of the 480 rounds of train here the
    100 nearest are so large a part that their mean says little, and nn is no better than chance."""
    ranks = {}
    for model in ("cca-aq", "nn-aq", "ncca-aq"):
        rankings = predict_ranks(Scored(model, texts, cca), val, learnt).ranks  # type: ignore[arg-type]
        ranks[model] = rankings[np.arange(len(rankings)), val.gt_index].mean()
    assert ranks["cca-aq"] < 30
    assert ranks["cca-aq"] < min(ranks["nn-aq"], ranks["ncca-aq"]) - 10


def test_three_views(val: VisDial, learnt: VisDial, texts: Sentences, cca: Cca, images: Features) -> None:
    three = train(pairs_of_ground_truths(learnt), texts, CcaOptions(k=8), images)
    assert three.views == ("answer", "question", "image")
    assert set(three.data) == {"visdial", "images"}
    rankings = predict_ranks(Scored("cca-aqi", texts, three), val)
    question, options = of_round(val, texts, 5)
    cosine = unit_rows(three.project("answer", options)) @ three.project("question", question[None])[0]
    np.testing.assert_allclose(cosine[order(rankings.ranks[5])], np.sort(cosine)[::-1], atol=1e-9)
    with pytest.raises(UsageError, match="cca-aq does not go with a CCA that was trained with image features"):
        Scored("cca-aq", texts, three)
    with pytest.raises(UsageError, match="cca-aqi does not go with a CCA that was trained without"):
        Scored("cca-aqi", texts, cca)
    with pytest.raises(InputError, match=r"image 999: found nothing|image 999, field"):
        images.rows(np.array([int(learnt.image_ids[0]), 999_999_999, 999]))


def test_what_a_model_needs(val: VisDial, texts: Sentences, cca: Cca, learnt: VisDial) -> None:
    with pytest.raises(UsageError, match="model cca-aq needs a trained CCA"):
        Scored("cca-aq", texts)
    with pytest.raises(UsageError, match="nn-aqi needs image features"):
        Scored("nn-aqi", texts)
    with pytest.raises(UsageError, match="needs the train dialogues"):
        predict_ranks(Scored("nn-aq", texts), val)
    with pytest.raises(InputError, match="no candidate answers"):
        predict_ranks(Scored("cca-aq", texts, cca), replace(val, options=np.full_like(val.options, -1)))
    few = replace(learnt, answer=np.where(np.arange(len(learnt.answer)) < 3, learnt.answer, -1).astype(np.int32))
    with pytest.raises(UsageError, match="`train` must have at least 100 rounds with an answer, got 3"):
        predict_ranks(Scored("nn-aq", texts), val, few)


def test_nothing_is_written_before_all_of_it_is_made(
    world: WordWorld, val: VisDial, learnt: VisDial, cca: Cca, tmp_path: Path
) -> None:
    few = replace(learnt, answer=np.full_like(learnt.answer, -1))
    options = PredictOptions(model="cca-aq", encoder=world.encoder)
    places = {"ranks": str(tmp_path / "ranks.json"), "generations": str(tmp_path / "said.json")}
    with pytest.raises(UsageError, match="`train` must have at least 100 rounds with an answer, got 0"):
        predict_answers(val, few, cca, options=options, **places)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("centred", [False, True])
def test_generations_come_from_the_answers_to_near_questions(
    val: VisDial, learnt: VisDial, texts: Sentences, cca: Cca, centred: bool
) -> None:
    """By the authors' code the training mean stays in the answers, φ(a) = a W diag(λ); `centred` takes it off."""
    scored = Scored("cca-aq", texts, cca)
    replies = generate(scored, val, learnt, 400, np.random.default_rng(0), centred=centred)
    mean = 0 if centred else cca.means[0] @ (cca.weights[0] * cca.eigenvalues)
    assert len(replies) == len(val.question)
    asked = unit_rows(cca.project("question", texts.vectors([learnt.questions[q] for q in learnt.question])))
    for round_ in (0, 31):
        question, _ = of_round(val, texts, round_)
        anchor = unit_rows(cca.project("question", question[None]))[0]
        near = np.lexsort((np.arange(len(asked)), -np.round(asked @ anchor, 9)))[:100]
        pool = [str(learnt.answer_text(int(place))) for place in near]
        weight = np.maximum(unit_rows(cca.project("answer", texts.vectors(pool)) + mean) @ anchor, 0)
        drawn = replies.of(round_)
        share: dict[str, float] = {}
        for text, part in zip(pool, weight / weight.sum(), strict=True):
            share[text] = share.get(text, 0.0) + part
        assert set(drawn) <= {text for text, part in share.items() if part > 0}
        for text, part in share.items():
            assert abs(drawn.count(text) / 400 - part) < 5 * np.sqrt(part * (1 - part) / 400) + 1e-9


def test_the_same_seed_gives_the_same_generations(val: VisDial, learnt: VisDial, texts: Sentences, cca: Cca) -> None:
    one, two, other = (
        generate(Scored("cca-aq", texts, cca), val, learnt, 3, np.random.default_rng(seed)).texts for seed in (1, 1, 2)
    )
    assert one == two
    assert one != other
    with pytest.raises(ValueError, match="`k` must be at least 1, got 0"):
        generate(Scored("cca-aq", texts, cca), val, learnt, 0, np.random.default_rng(0))


def test_nearest_rounds_across_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voirdire.answers.cca.prediction.COLUMNS", 16)
    monkeypatch.setattr("voirdire.answers.cca.prediction.ROWS", 4)
    rng = np.random.default_rng(0)
    train_vectors, queries = rng.integers(-2, 3, (50, 3)).astype(float), rng.integers(-2, 3, (9, 3)).astype(float)
    asked = np.concatenate([np.arange(50), rng.integers(0, 50, 30)])
    nearest = nearest_rounds(queries, train_vectors, asked, 25, "l2")
    for row, query in enumerate(queries):
        apart = ((train_vectors - query) ** 2).sum(axis=1)
        expected = np.lexsort((np.arange(80), asked, apart[asked]))[:25]
        np.testing.assert_array_equal(nearest[row], expected)
    with pytest.raises(ValueError, match="`asked` must have at least n = 81 rounds, got 80"):
        nearest_rounds(queries, train_vectors, asked, 81, "correlation")


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"image_ids": [1, 2]}, "field `features`: found nothing"),
        ({"image_ids": [1, 1], "features": np.ones((2, 3))}, "image 1, field `image_ids`: found this image twice"),
        ({"image_ids": [1, 2], "features": [[1.0], [np.nan]]}, "image 2, field `features`: found a number that is not"),
        ({"image_ids": [1, 2], "features": np.ones((3, 3))}, r"expected floats of shape \(2, d\)"),
        ({"image_ids": [1.5, 2], "features": np.ones((2, 3))}, "expected whole numbers"),
        ({"image_ids": 1, "features": np.ones((2, 3))}, r"int64 of shape \(\), expected whole numbers"),
    ],
)
def test_image_features_are_read_strictly(arrays: dict[str, object], message: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "f.npz", **{name: np.array(value) for name, value in arrays.items()})
    with pytest.raises(InputError, match=message):
        read_features(tmp_path / "f.npz", "image")

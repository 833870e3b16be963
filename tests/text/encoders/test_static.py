"""The distilled table."""

import multiprocessing
import threading
from pathlib import Path

import numpy as np
import pytest
from tqdm import tqdm

from voirdire.errors import CacheWarning
from voirdire.text.encoders import encoder, static
from voirdire.text.encoders.neural import minilm

pytestmark = pytest.mark.slow


def test_the_recipe_by_hand_on_a_small_model(tiny_st: Path) -> None:
    model = encoder(f"st:{tiny_st}").backend.model  # type: ignore[attr-defined]
    table = static.distil(model, 4)
    tokens = model.tokenizer.convert_ids_to_tokens(list(range(len(model.tokenizer))))
    unused = tokens.index("[unused1]")
    assert table.shape == (len(tokens), 4)
    assert table.dtype == np.float32
    assert not table[unused].any()
    # Another way to the same numbers: each token encoded alone, and principal components by singular values.
    import torch

    means = []
    for number in range(len(tokens)):
        if number == unused:
            continue
        ids = torch.tensor([[model.tokenizer.cls_token_id, number, model.tokenizer.sep_token_id]])
        with torch.no_grad():
            states = model[0].auto_model(input_ids=ids).last_hidden_state[0]
        means.append(states.mean(0).double().numpy())
    centred = np.array(means) - np.mean(means, axis=0)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    scores = (left * values)[:, :4]
    scores *= np.sign(scores[np.abs(scores).argmax(0), range(4)])
    share = 1 / np.arange(2, len(means) + 2)
    weights = 1e-4 / (1e-4 + share / share.sum())
    np.testing.assert_allclose(np.delete(table, unused, axis=0), scores * weights[:, None], atol=1e-6)


def test_it_is_the_same_each_time_and_for_any_number_of_threads(tiny_st: Path) -> None:
    import torch

    model = encoder(f"st:{tiny_st}").backend.model  # type: ignore[attr-defined]
    first = static.distil(model, 8)
    before = torch.get_num_threads()
    torch.set_num_threads(1 if before > 1 else 2)
    try:
        assert (static.distil(model, 8) == first).all()
    finally:
        torch.set_num_threads(before)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A stand-in for the distillation, which takes half a minute; counts its calls."""
    calls: list[int] = []

    def made(model: object, dimension: int = static.DIMENSION) -> np.ndarray:
        calls.append(1)
        table = np.random.default_rng(3).normal(size=(30522, dimension))
        return table.astype(np.float32)

    monkeypatch.setattr(static, "distil", made)
    return calls


def test_it_is_made_once_and_kept(counted: list[int], own_cache: Path) -> None:
    vectors = encoder("static").encode(["a dog", "yes"])
    again = encoder("static")
    assert (again.encode(["yes", "a dog"])[::-1] == vectors).all()
    assert len(counted) == 1
    assert again.dimension == vectors.shape[1] == 256
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert list(own_cache.rglob("static/*.npy"))


def test_a_damaged_table_is_said_and_made_again(counted: list[int], own_cache: Path) -> None:
    first = encoder("static").signature
    (file,) = own_cache.rglob("static/*.npy")
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 255
    file.write_bytes(bytes(data))
    with pytest.warns(CacheWarning, match="not what was written"):
        assert encoder("static").signature == first
    assert len(counted) == 2
    assert encoder("static").signature == first
    assert len(counted) == 2


def test_a_table_that_another_wrote_is_said_and_made_again(counted: list[int], own_cache: Path) -> None:
    first = encoder("static").signature
    (file,) = own_cache.rglob("static/*.npy")
    np.save(file, np.zeros_like(np.load(file)))
    with pytest.warns(CacheWarning, match="not what was written"):
        assert encoder("static").signature == first
    assert len(counted) == 2


def test_the_frequent_part_of_the_real_table_keeps_the_order_of_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vocabulary's first fifth, where the common words stand, as the whole takes half a minute of one core."""
    texts, part = ["a dog", "two dogs", "a cat", "the train leaves at night"], 6500
    backend = minilm()
    tokeniser = backend.model.tokenizer
    # A token outside the part would count as nothing.
    assert max(max(ids) for ids in tokeniser(texts)["input_ids"]) < part
    names = tokeniser.convert_ids_to_tokens

    def frequent(ids: list[int]) -> list[str]:
        return [name if number < part else "[unused]" for number, name in zip(ids, names(ids), strict=True)]

    monkeypatch.setattr(tokeniser, "convert_ids_to_tokens", frequent)
    monkeypatch.setattr(static, "minilm", lambda: backend)
    dog, dogs, cat, train = encoder("static").encode(texts)
    assert dog @ dogs > dog @ cat > dog @ train


def test_a_worker_makes_no_semaphore(counted: list[int], own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is killed would leave it behind, and its parent would end with a warning."""
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    # Put back afterwards, whatever the model sets.
    monkeypatch.setattr(tqdm, "_lock", None, raising=False)
    encoder("static").encode(["yes"])
    assert isinstance(tqdm.get_lock(), type(threading.RLock()))

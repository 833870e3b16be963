"""`bert:PATH` and `st:PATH` on small models made here, against the libraries used directly."""

from pathlib import Path

import numpy as np
import pytest

from voirdire.errors import InputError, UsageError
from voirdire.text.encoders import encoder

pytestmark = pytest.mark.slow

TEXTS = ["the dog is red", "yes", "what color is the big cat in the park on the street ? no . are there running dogs ?"]


def states(folder: Path, text: str, tokens: int) -> np.ndarray:
    """Last layer's states of one text, alone and without padding."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokeniser = AutoTokenizer.from_pretrained(str(folder))
    model = AutoModel.from_pretrained(str(folder)).eval()
    with torch.no_grad():
        ids = tokeniser([text], truncation=True, max_length=tokens, return_tensors="pt")
        return model(**ids).last_hidden_state[0].numpy()


def test_bert_takes_the_first_state_of_at_most_sixteen_tokens(tiny_bert: Path) -> None:
    made = encoder(f"bert:{tiny_bert}")
    vectors = made.encode(TEXTS)
    assert vectors.shape == (3, 32)
    assert vectors.dtype == np.float32
    assert made.dimension == 32
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(vector, states(tiny_bert, text, 16)[0], atol=1e-5)
    # The limit matters for the long text only.
    assert len(states(tiny_bert, TEXTS[2], 99)) > 16
    assert not np.allclose(vectors[2], states(tiny_bert, TEXTS[2], 99)[0], atol=1e-5)


def test_bert_mean_and_token_limit_are_options(tiny_bert: Path) -> None:
    vectors = encoder(f"bert:{tiny_bert}?pool=mean&max_tokens=5").encode(TEXTS)
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_allclose(vector, states(tiny_bert, text, 5).mean(0), atol=1e-5)


def test_options_are_part_of_the_signature(tiny_bert: Path) -> None:
    specs = [f"bert:{tiny_bert}{options}" for options in ("", "?pool=mean", "?max_tokens=8", "?pool=cls&max_tokens=16")]
    plain, mean, short, spelled = (encoder(spec).signature for spec in specs)
    assert len({plain, mean, short}) == 3
    assert plain == spelled


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("?pool=max", "`pool` of bert must be one of cls, mean, got 'max'"),
        ("?max_tokens=two", "`max_tokens` of bert must be a whole number of at least 3, got 'two'"),
        ("?max_tokens=2", "at least 3, got '2'"),
        ("?layers=1", "no option 'layers'"),
    ],
)
def test_a_bad_option_is_named(tiny_bert: Path, options: str, message: str) -> None:
    with pytest.raises(UsageError, match=None) as caught:
        encoder(f"bert:{tiny_bert}{options}")
    assert message in str(caught.value)


def test_missing_or_wrong_folders_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="`encoder` bert needs a path"):
        encoder("bert")
    for name in ("bert", "st"):
        with pytest.raises(InputError, match="found nothing"):
            encoder(f"{name}:{tmp_path / 'absent'}")
        with pytest.raises(InputError, match=r"no (config|modules)\.json"):
            encoder(f"{name}:{tmp_path}")
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match="cannot be loaded"):
        encoder(f"bert:{tmp_path}").encode(["a"])


def test_st_equals_the_library_itself(tiny_st: Path) -> None:
    from sentence_transformers import SentenceTransformer

    made = encoder(f"st:{tiny_st}")
    expected = SentenceTransformer(str(tiny_st), device="cpu").encode(TEXTS)
    np.testing.assert_allclose(made.encode(TEXTS), expected, atol=1e-5)
    assert made.dimension == 32


@pytest.mark.parametrize("provider", ["bert", "st"])
def test_bytes_do_not_depend_on_company(provider: str, tiny_bert: Path, tiny_st: Path) -> None:
    folder = tiny_bert if provider == "bert" else tiny_st
    backend = encoder(f"{provider}:{folder}").backend
    rng = np.random.default_rng(0)
    words = ["a", "the", "is", "dog", "cat", "man", "red", "blue", "in", "on", "park"]
    texts = list(dict.fromkeys(" ".join(rng.choice(words, size=rng.integers(1, 14))) for _ in range(60)))
    together = backend.encode_distinct(texts)
    mixed = rng.permutation(len(texts))
    assert (backend.encode_distinct([texts[i] for i in mixed]) == together[mixed]).all()
    for index in (0, 17, 41):
        assert (backend.encode_distinct([texts[index]])[0] == together[index]).all()


def test_a_changed_weight_changes_the_signature(tiny_bert: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(tiny_bert, copy)
    assert encoder(f"bert:{copy}").signature == encoder(f"bert:{tiny_bert}").signature
    weights = copy / "model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(bytes(data))
    assert encoder(f"bert:{copy}").signature != encoder(f"bert:{tiny_bert}").signature

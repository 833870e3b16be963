"""The default encoder with its real weights."""

import socket

import numpy as np
import pytest

from voirdire.bundled import digest_file
from voirdire.errors import UsageError
from voirdire.text.encoders import Encoder, encoder
from voirdire.text.encoders.neural import MINILM_SHA256, minilm

pytestmark = pytest.mark.slow

COMPANY = ["is it sunny outside?", "a man rides a bicycle down the street", "no", "two zebras graze near a fence"]


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("the network was asked for")


def test_it_loads_and_encodes_without_a_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HF_HUB_OFFLINE")
    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    made = encoder()
    vectors = made.encode(["a dog"])
    assert isinstance(made, Encoder)
    assert (made.name, made.dimension, made.signature) == ("minilm", 384, MINILM_SHA256)
    assert vectors.shape == (1, 384)
    assert vectors.dtype == np.float32


def test_bytes_depend_on_the_text_alone() -> None:
    import torch

    backend = minilm()
    alone = backend.encode_distinct(["is there a dog?"])
    among = backend.encode_distinct([COMPANY[0], "is there a dog?", *COMPANY[1:]])
    many = backend.encode_distinct([*(f"{text} {n}" for n in range(9) for text in COMPANY), "is there a dog?"])
    assert (among[1] == alone[0]).all()
    assert (many[-1] == alone[0]).all()
    before = torch.get_num_threads()
    torch.set_num_threads(1 if before > 1 else 2)
    try:
        assert (backend.encode_distinct(["is there a dog?", "no"])[0] == alone[0]).all()
    finally:
        torch.set_num_threads(before)


def test_it_equals_the_library_itself() -> None:
    backend = minilm()
    np.testing.assert_allclose(backend.encode_distinct(COMPANY), backend.model.encode(COMPANY), atol=1e-6)


def test_near_meanings_are_near() -> None:
    texts = ["a dog runs in the park", "a puppy is running through a park", "a cat sleeps", "the bank raised its rates"]
    dog, puppy, cat, bank = encoder().encode(texts)
    assert dog @ puppy > dog @ cat > dog @ bank
    assert dog @ dog == pytest.approx(1, abs=1e-6)


def test_long_and_empty_texts_are_encoded() -> None:
    vectors = encoder().encode(["", "dog " * 1000])
    assert np.isfinite(vectors).all()


def test_the_signature_is_the_digest_of_the_weights() -> None:
    assert digest_file(minilm().folder / "model.safetensors") == MINILM_SHA256


def test_it_takes_no_argument() -> None:
    with pytest.raises(UsageError, match="takes no argument"):
        encoder("minilm:large")

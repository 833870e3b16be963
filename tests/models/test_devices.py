"""Where a network computes."""

import pytest
import torch

from voirdire.errors import UsageError
from voirdire.models.devices import find_device


def test_the_processor_is_always_there() -> None:
    assert find_device("cpu") == torch.device("cpu")


def test_a_card_that_is_not_there_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(UsageError, match=r"`device` cuda is not there for torch; there is: cpu$"):
        find_device("cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert find_device("cuda").type == "cuda"

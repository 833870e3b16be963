"""Small models that the tests make, and a cache of their own."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

VOCABULARY = """[PAD] [UNK] [CLS] [SEP] [MASK] [unused1]
a the is are dog cat man woman red blue big in on park street there what color yes no ? . run ##ning ##s
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test touches the user's cache or the network's hub."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("VOIRDIRE_CACHE", str(folder))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return folder


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two layers with random weights and a WordPiece vocabulary of ours."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(VOCABULARY.split()))
    tokeniser = BertTokenizer.from_pretrained(str(folder), local_files_only=True)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        model = BertModel(
            BertConfig(
                vocab_size=len(tokeniser),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=64,
                max_position_embeddings=40,
            )
        )
    model.save_pretrained(str(folder))
    tokeniser.save_pretrained(str(folder))
    return folder


@pytest.fixture(scope="session")
def tiny_st(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same BERT with mean pooling, as sentence-transformers saves it."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

    folder = tmp_path_factory.mktemp("st")
    transformer = Transformer(str(tiny_bert), max_seq_length=32)
    SentenceTransformer(modules=[transformer, Pooling(32)], device="cpu").save(str(folder))
    return folder

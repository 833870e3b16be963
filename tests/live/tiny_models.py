"""Tiny models of random weights, in folders as Hugging Face's: one that sees (Idefics3), one that reads (Llama)."""

from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3Processor,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

# The other image processors need torchvision, which is never installed here.
from transformers.models.idefics3.image_processing_pil_idefics3 import Idefics3ImageProcessorPil

__all__ = ["make_reader", "make_seer"]

END = "<end_of_utterance>"
IMAGE = "<image>"
SPECIAL = ["<pad>", "<s>", "<unk>", END, IMAGE, "<fake_token_around_image>", "<global-img>"]
SIZES = {"hidden_size": 32, "intermediate_size": 64, "num_attention_heads": 2}
TEXT = {**SIZES, "num_hidden_layers": 2, "num_key_value_heads": 2}
TEMPLATE = (
    "{% for m in messages %}{{ m['role'] + ':' }}"
    "{% if m['content'] is string %}{{ m['content'] }}"
    "{% else %}{% for c in m['content'] %}{% if c['type'] == 'image' %}{{ '<image>' }}{% else %}{{ c['text'] }}"
    "{% endif %}{% endfor %}{% endif %}{{ '<end_of_utterance>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ 'assistant:' }}{% endif %}"
)


def _tokenizer() -> PreTrainedTokenizerFast:
    """One token per byte, and one for each of Yes and No."""
    words = {word: number for number, word in enumerate([*SPECIAL, *sorted(pre_tokenizers.ByteLevel.alphabet())])}
    made = Tokenizer(models.BPE(vocab=words, merges=[], unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    names = {"bos_token": "<s>", "eos_token": END, "pad_token": "<pad>", "unk_token": "<unk>"}
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, additional_special_tokens=SPECIAL[4:], **names)
    # Whoever reads one token for yes and no needs such tokens.
    tokenizer.add_tokens(["Yes", "No"])
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def _save(model: torch.nn.Module, folder: Path) -> None:
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.copy_(0.3 * torch.randn(weights.shape, generator=generator))
    model.save_pretrained(folder)


def make_seer(folder: Path) -> None:
    """A model that takes pictures."""
    tokenizer = _tokenizer()
    edge = {"longest_edge": 64}
    pictures = Idefics3ImageProcessorPil(do_image_splitting=False, size=edge, max_image_size=edge)
    text = {**TEXT, "model_type": "llama", "vocab_size": len(tokenizer), "max_position_embeddings": 8192}
    config = Idefics3Config(
        image_token_id=tokenizer.convert_tokens_to_ids(IMAGE),
        scale_factor=2,
        vision_config={**SIZES, "num_hidden_layers": 1, "image_size": 64, "patch_size": 16},
        text_config={**text, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": tokenizer.eos_token_id},
        pad_token_id=0,
    )
    _save(Idefics3ForConditionalGeneration(config), folder)
    Idefics3Processor(
        image_processor=pictures, tokenizer=tokenizer, image_seq_len=4, chat_template=TEMPLATE
    ).save_pretrained(folder)


def make_reader(folder: Path) -> None:
    """A model that takes text alone."""
    tokenizer = _tokenizer()
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": tokenizer.eos_token_id}
    _save(LlamaForCausalLM(LlamaConfig(**TEXT, vocab_size=len(tokenizer), max_position_embeddings=8192, **ids)), folder)
    tokenizer.save_pretrained(folder)

"""Words of questions beside the tokeniser of pycocoevalcap, which needs Java."""

import shutil

import pytest
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.text.tokens import words

# It keeps brackets by name and other signs; ours have neither.
SIGNS = {"-lrb-", "-rrb-", "$", "#", "&", "%", "??", "\\/"}

pytestmark = [pytest.mark.slow, pytest.mark.skipif(shutil.which("java") is None, reason="needs Java")]


def theirs(texts):
    cut = PTBTokenizer().tokenize({at: [{"caption": text}] for at, text in enumerate(texts)})
    return [cut[at][0].split() for at in range(len(texts))]


def test_made_up_questions():
    texts = ["Is the man's dog red?", "Isn't it, perhaps, a well-lit room?", 'Does it say "Stop"?', "CANNOT you see?"]
    assert [words(text) for text in texts] == theirs(texts)


def test_real_questions(real_data):
    every = read_vqa_questions(real_data / "vqa/vqa2_subset_valid_questions.json.gz").questions
    texts = [" ".join(text.split()) for text in dict.fromkeys(every)][:4000]
    same = [
        words(text) == [token for token in cut if token not in SIGNS]
        for text, cut in zip(texts, theirs(texts), strict=True)
    ]
    assert sum(same) >= 0.998 * len(texts)

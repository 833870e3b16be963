"""Encoders: one protocol, several providers.

minilm                       all-MiniLM-L6-v2, whose weights come with us (default)
static                       a fast table distilled from it
st:PATH                      a folder that sentence-transformers saved
bert:PATH?pool=…&max_tokens= a folder that transformers saved
fasttext:PATH                FastText, .bin (with subwords) or .vec
glove:PATH                   GloVe's text
words:PATH                   word2vec's text or binary
skipthoughts:FOLDER          the published Skip-thoughts model, 4800 numbers per text
npz:PATH                     vectors made elsewhere
"""

# Each of these registers its encoders.
from voirdire.text.encoders import neural, npz, skipthoughts, static, word_vectors
from voirdire.text.encoders.protocol import ENCODERS, Backend, DistinctEncoder, Encoder, encoder
from voirdire.text.encoders.word_vectors import SpokenWords, WordTable, word_table

__all__ = [
    "ENCODERS",
    "Backend",
    "DistinctEncoder",
    "Encoder",
    "SpokenWords",
    "WordTable",
    "encoder",
    "neural",
    "npz",
    "skipthoughts",
    "static",
    "word_table",
    "word_vectors",
]

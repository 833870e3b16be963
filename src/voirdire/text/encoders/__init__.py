"""Encoders: one protocol, several providers.

minilm                       all-MiniLM-L6-v2, whose weights come with us (default)
static                       a fast table distilled from it
st:PATH                      a folder that sentence-transformers saved
bert:PATH?pool=…&max_tokens= a folder that transformers saved
fasttext:PATH                FastText, .bin (with subwords) or .vec
glove:PATH                   GloVe's text
words:PATH                   word2vec's text or binary
npz:PATH                     vectors made elsewhere
"""

from voirdire.text.encoders import bert, fasttext, npz, sentence, static, words
from voirdire.text.encoders.protocol import ENCODERS, Backend, DistinctEncoder, Encoder, encoder
from voirdire.text.encoders.words import WordTable, word_table

__all__ = [
    "ENCODERS",
    "Backend",
    "DistinctEncoder",
    "Encoder",
    "WordTable",
    "bert",
    "encoder",
    "fasttext",
    "npz",
    "sentence",
    "static",
    "word_table",
    "words",
]

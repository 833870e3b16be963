"""Parts of speech and lemmas, in one tag set: Universal POS.

tagger("hanta").tag("is the dog running ?")  ->  [Token("is", "AUX", "be"), …]

hanta        HanTa's English model, which comes with its package (default)
spacy:MODEL  a spaCy pipeline that the user has installed
"""

import gzip
import io
import pickle
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from voirdire.bundled import HANTA
from voirdire.errors import MissingExtra, UsageError
from voirdire.providers import Registry
from voirdire.text.tokens import treebank

UNIVERSAL = frozenset(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split()  # noqa: SIM905
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word, its Universal POS tag and its lemma.

    head  the place of the word that governs it, its own if none does; None where the tagger does not know
    """

    text: str
    pos: str
    lemma: str
    head: int | None = None


class Tagger(Protocol):
    """Tags one sentence, given as tokens or as text, which the tagger parts into tokens of its own."""

    @property
    def name(self) -> str: ...
    def tag(self, sentence: str | Sequence[str]) -> list[Token]: ...


TAGGERS: Registry[Tagger] = Registry("tagger", "voirdire.taggers")


def tagger(spec: str = "hanta") -> Tagger:
    """The tagger that `spec` names."""
    return TAGGERS.make(spec)


# HanTa's English tags are those of the British National Corpus (C5). A tag is looked up by itself, then by its first
# two letters.
_C5 = {
    "AJ": "ADJ", "AT": "DET", "AV": "ADV", "AVP": "ADP", "CJC": "CCONJ", "CJS": "SCONJ", "CJT": "SCONJ", "CR": "NUM",
    "DP": "PRON", "DT": "DET", "EX": "PRON", "IN": "ADP", "IT": "INTJ", "NN": "NOUN", "NP": "PROPN", "OR": "ADJ",
    "PN": "PRON", "PO": "PART", "PR": "ADP", "PU": "PUNCT", "TO": "PART", "VB": "AUX", "VD": "VERB", "VH": "VERB",
    "VM": "AUX", "VV": "VERB", "XX": "PART",
}  # fmt: skip

NAME = "NP0"
_NOMINAL = ("NN", "NP", "AJ", "CR", "OR", "ZZ")
_PLACES = frozenset({"inside", "outside"})  # adverbs where they end a question: is the dog inside
LONGEST = 60
"""Signs of a word that the model is asked about. Its time grows with the square of a word's length and more; longer
than this are addresses and keys that were held down, which are taken for names: a proper noun that is its own lemma."""

_ANSWERS = {"yes": "INTJ", "yeah": "INTJ", "yep": "INTJ", "nope": "INTJ", "hello": "INTJ"}


class _Remembering(ABC):
    """Sentences that come again are answered from memory."""

    REMEMBERED = 100_000

    def __init__(self) -> None:
        self._memory: dict[str | tuple[str, ...], list[Token]] = {}

    def tag(self, sentence: str | Sequence[str]) -> list[Token]:
        key = sentence if isinstance(sentence, str) else tuple(sentence)
        if key not in self._memory:
            if len(self._memory) >= self.REMEMBERED:
                self._memory.clear()
            self._memory[key] = self._tag(key)
        return list(self._memory[key])

    @abstractmethod
    def _tag(self, sentence: str | tuple[str, ...]) -> list[Token]: ...


class HanTa(_Remembering):
    """HanTa's hidden Markov model, with its tags mended where a question asks for it."""

    name = "hanta"

    def __init__(self) -> None:
        super().__init__()
        from HanTa.HanoverTagger import HanoverTagger

        # Given a file's name, the constructor would look in the working folder first and unpickle what it finds.
        (file,) = HANTA.paths()
        self._model = HanoverTagger(None, _Plain(io.BytesIO(gzip.decompress(file.read_bytes()))).load())
        # As with a file's name: words that the model does not know may be analysed.
        self._model.strict = False

    def _tag(self, sentence: str | tuple[str, ...]) -> list[Token]:
        words = tuple(treebank(sentence)) if isinstance(sentence, str) else sentence
        if not words:
            return []
        # The model sees such a word cut, so that the words around it are tagged as beside any that it does not know.
        tagged = self._model.tag_sent([word[:LONGEST] for word in words], casesensitive=True)
        tags = [NAME if len(word) > LONGEST else tag for word, (_, _, tag) in zip(words, tagged, strict=True)]
        lemmas = [word if len(word) > LONGEST else lemma for word, (_, lemma, _) in zip(words, tagged, strict=True)]
        for place, tag in self._mended(words, tags):
            tags[place], lemmas[place] = tag, self._model.analyze(words[place][:LONGEST], pos=tag)[0]
        return [Token(word, _universal(word, tags, place), lemmas[place]) for place, word in enumerate(words)]

    def _mended(self, words: tuple[str, ...], tags: list[str]) -> Iterator[tuple[int, str]]:
        """Places with tags in place of the model's, which was trained on sentences, and on few questions."""
        if len(words) == 1:
            # A word alone is what it mostly is: no order of tags says more.
            yield from ((0, tag) for tag, _ in self._analyses(words[0])[:1])
            return
        for place, word in enumerate(words):
            if _may_be_participle(word, tags, place):
                yield from ((place, tag) for tag, _ in self._analyses(word) if tag[0] == "V" and tag[-1] == "G")
            elif tags[place][:2] == "AJ" and _governs_nothing(tags, place):
                yield place, "NN1"
            elif word == "or" and 1 < place < len(words) - 1:
                joined = (place - 1, place + 1)
                asked = tags[place - 2][:2] == "NN" or "AJ" in {tags[other][:2] for other in joined}
                if asked and all("AJ0" in dict(self._analyses(words[other])) for other in joined):
                    # What it joins is of one kind: is the plate round or square.
                    yield from ((other, "AJ0") for other in joined)
            elif word in _PLACES and place == len(words) - 1 and tags[place - 1][:2] == "NN":
                yield place, "AV0"
        if tags[0][:2] == "VD" and not any(tag[0] == "V" for tag in tags[1:]):
            # `do` asks for a verb: the noun that is most easily one.
            nouns = {place: self._ease(words[place]) for place, tag in enumerate(tags) if place > 1 and tag[:2] == "NN"}
            if nouns and max(nouns.values()) > -np.inf:
                yield max(nouns, key=nouns.__getitem__), "VVI"

    def _analyses(self, word: str) -> list[tuple[str, float]]:
        """What the word is by itself, the likeliest first, with log probabilities."""
        return self._model.tag_word(word) if 0 < len(word) <= LONGEST else []

    def _ease(self, word: str) -> float:
        """How much likelier a word is an infinitive than a noun."""
        analyses = dict(self._analyses(word))
        noun = max((share for tag, share in analyses.items() if tag[0] == "N"), default=0.0)
        return float(analyses.get("VVI", -np.inf) - noun)


class _Plain(pickle.Unpickler):
    """Reads containers, strings and numbers, which is all that HanTa's model is made of; calls nothing else."""

    NUMBERS = frozenset({("numpy._core.multiarray", "scalar"), ("numpy", "dtype")})

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in self.NUMBERS:
            raise pickle.UnpicklingError(f"{module}.{name} is no number")
        return super().find_class(module, name)


def _universal(word: str, tags: Sequence[str], place: int) -> str:
    tag = tags[place]
    if word.lower() in _ANSWERS:
        return _ANSWERS[word.lower()]
    if tag == "CRD" and word.endswith("s"):
        # A number has a plural as nouns have: hundreds, 30s.
        return "NOUN"
    # `this dog` has a determiner, `is this a dog` a pronoun: C5 has one tag for both.
    if tag in ("DT0", "DTQ"):
        follows = tags[place + 1] if place + 1 < len(tags) else ""
        before = (*_NOMINAL, "AT", "DP") if word in ("all", "both") else _NOMINAL
        return "DET" if follows.startswith(before) else "PRON"
    # `do` and `have` before another verb are auxiliaries.
    if tag[:2] in ("VD", "VH"):
        return "AUX" if _another_verb(tags, place) else "VERB"
    return _C5.get(tag, _C5.get(tag[:2], "X"))


def _governs_nothing(tags: Sequence[str], place: int) -> bool:
    """Whether an adjective stands for a noun: `the remote on the table`, `in english`."""
    before, after = tags[place - 1][:2] if place else "", tags[place + 1][:2] if place + 1 < len(tags) else ""
    return (before == "AT" and after == "PR") or (before == "PR" and after in ("", "PU"))


def _may_be_participle(word: str, tags: Sequence[str], place: int) -> bool:
    """Whether a word in -ing that was taken for a noun or an adjective ends a progressive: `is the dog running`.

    A form of `be` stands before it with no other verb in between, and it has no article or adjective of its own.
    """
    if not word.endswith("ing") or tags[place][:2] not in ("NN", "AJ") or place == 0:
        return False
    before = tags[:place]
    if before[-1][:2] in ("AT", "DT", "DP", "AJ", "PR", "CR", "CJ", "EX", "PO"):
        return False
    last_verb = next((tag for tag in reversed(before) if tag[0] == "V"), "")
    return last_verb.startswith("VB")


def _another_verb(tags: Sequence[str], place: int) -> bool:
    """Whether a verb that `do` or `have` can support follows in the same clause."""
    supported = ("I", "B", "Z") if tags[place].startswith("VD") else ("N", "D")
    for tag in tags[place + 1 :]:
        if tag[0] == "V":
            return tag[1] != "M" and tag.endswith(supported)
        # In a statement the verb follows at once; in a question the subject stands between.
        if place > 0 and tag[:2] not in ("AV", "XX", "PN", "EX"):
            return False
        if tag[:2] in ("PU", "CJ"):
            return False
    return False


class Spacy(_Remembering):
    """A spaCy pipeline; it tags the tokens that it is given, and its own of a text."""

    def __init__(self, model: str) -> None:
        super().__init__()
        try:
            import spacy
        except ImportError:
            raise MissingExtra(f"tagger spacy:{model}", "spacy") from None
        self.name = f"spacy:{model}"
        # A bare name is an installed model's: a folder of that name in the working folder is not meant.
        installed = model.isidentifier() and find_spec(model) is not None
        if not installed and Path(model).name == model and Path(model).exists():
            raise UsageError(f"spaCy has no model {model!r} installed; for the folder, write spacy:./{model}")
        try:
            self._pipeline: Callable[[Any], Any] = spacy.load(model, exclude=["ner"])
        except OSError:
            raise UsageError(
                f"spaCy has no model {model!r} installed. Install one of its English models with: "
                "python -m spacy download en_core_web_sm"
            ) from None

    def _tag(self, sentence: str | tuple[str, ...]) -> list[Token]:
        from spacy.tokens import Doc

        given = isinstance(sentence, str)
        document = self._pipeline(sentence if given else Doc(self._pipeline.vocab, words=list(sentence)))  # type: ignore[attr-defined]
        parsed = document.has_annotation("DEP")
        return [Token(word.text, word.pos_ or "X", word.lemma_, word.head.i if parsed else None) for word in document]


@TAGGERS.register("hanta")
def _hanta(argument: str | None) -> HanTa:
    if argument is not None:
        raise UsageError(f"hanta takes no argument, got {argument!r}")
    return HanTa()


@TAGGERS.register("spacy")
def _spacy(argument: str | None) -> Spacy:
    if not argument:
        raise UsageError("spacy needs the name of a model or its folder: spacy:MODEL")
    return Spacy(argument)

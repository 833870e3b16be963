"""A made-up source of METEOR's data, small enough to compute with by hand."""

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from voirdire.metrics.meteor.source import Source

FUNCTION_WORDS = "the a of is ."
IRREGULAR = {"mouse": "mice"}
SYNSETS = {
    "couch": "1 9",
    "sofa": "1",
    "cat": "2",
    "feline": "2 3",
    "mouse": "4",
    "rodent": "4",
    "bus": "5",
    "coach": "5",
}
PARAPHRASES = (
    *(("a lot of", "many"), ("many", "a lot of"), ("many", "plenty of"), ("seems", "is"), ("red", "scarlet coloured")),
    *(("big", "large"), ("a lot", "much")),
)


@pytest.fixture(scope="session")
def write_meteor() -> Callable[..., Source]:
    """Write the two files into a folder and name them."""

    def write(folder: Path, paraphrases: tuple[tuple[str, str], ...] = PARAPHRASES) -> Source:
        source = Source(folder / "words.jar", folder / "paraphrases.gz")
        with zipfile.ZipFile(source.jar, "w") as archive:
            archive.writestr("function/english.words", "".join(f"{word}\n" for word in FUNCTION_WORDS.split()))
            archive.writestr("nonbreaking/english.prefixes", "#titles\nMr\n\nNo #NUMERIC_ONLY#\n")
            forms = "".join(f"{base}\n{forms}\n" for base, forms in IRREGULAR.items())
            archive.writestr("synonym/english.exceptions", forms)
            archive.writestr("synonym/english.synsets", "".join(f"{word}\n{sets}\n" for word, sets in SYNSETS.items()))
        with gzip.open(source.paraphrases, "wt", encoding="utf-8") as file:
            file.writelines(f"0.5\n{phrase}\n{instead}\n" for phrase, instead in paraphrases)
        return source

    return write

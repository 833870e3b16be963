"""A made-up source of METEOR's data, small enough to compute with by hand."""

import gzip
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from voirdire.metrics.meteor.index import MeteorFiles

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
def write_meteor() -> Callable[..., MeteorFiles]:
    """Write the two files into a folder and name them; the same bytes at any time, since an index is known by them."""

    def write(folder: Path, paraphrases: tuple[tuple[str, str], ...] = PARAPHRASES) -> MeteorFiles:
        source = MeteorFiles(folder / "words.jar", folder / "paraphrases.gz")
        members = {
            "function/english.words": "".join(f"{word}\n" for word in FUNCTION_WORDS.split()),
            "nonbreaking/english.prefixes": "#titles\nMr\n\nNo #NUMERIC_ONLY#\n",
            "synonym/english.exceptions": "".join(f"{base}\n{forms}\n" for base, forms in IRREGULAR.items()),
            "synonym/english.synsets": "".join(f"{word}\n{sets}\n" for word, sets in SYNSETS.items()),
        }
        with zipfile.ZipFile(source.jar, "w") as archive:
            for name, text in members.items():
                archive.writestr(zipfile.ZipInfo(name), text)
        table = "".join(f"0.5\n{phrase}\n{instead}\n" for phrase, instead in paraphrases)
        source.paraphrases.write_bytes(gzip.compress(table.encode(), mtime=0))
        return source

    return write

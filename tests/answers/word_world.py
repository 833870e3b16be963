"""A small world, and a table of random word vectors for all of its words: an encoder that costs nothing."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from voirdire.answers.cca.sentences import tokens
from voirdire.formats.visdial import read_visdial
from voirdire.world.build import build_world

DIMENSION = 60


@dataclass(frozen=True)
class WordWorld:
    folder: Path
    encoder: str

    def __getitem__(self, name: str) -> str:
        return str(self.folder / f"visdial_{name}.json")


def word_world(folder: Path, scenes: int = 60, seed: int = 11) -> WordWorld:
    build_world(folder, scenes, seed)
    words = {"<EOS>"}
    for split in ("train", "val"):
        visdial = read_visdial(folder / f"visdial_{split}.json")
        for text in (*visdial.questions, *visdial.answers):
            words.update(tokens(text))
    rng = np.random.default_rng(0)
    rows = (f"{word} {' '.join(f'{x:.4f}' for x in rng.normal(size=DIMENSION))}\n" for word in sorted(words))
    (folder / "words.txt").write_text("".join(rows))
    return WordWorld(folder, f"glove:{folder / 'words.txt'}")

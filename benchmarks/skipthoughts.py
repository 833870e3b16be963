"""Questions encoded by Skip-thoughts with random weights of the published shape, beside torch's own GRU.

The peer reads batches of 128 texts of one length, as the published program does. Both have one thread for each
product, since threads that wait for each other count as CPU time. Bars: the vectors agree, and fixed batch shapes
cost at most half as much CPU time again. Then the index of a table of objects as large as the published ones (930,913
rows), which is made once per call: at most 30 seconds of CPU time.
"""

import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from encode import texts

from voirdire.text.encoders.neural import one_torch_thread
from voirdire.text.encoders.skipthoughts import SkipThoughts, WordRows, sentence_words

TEXTS, ROWS, PUBLISHED = 256, 20_000, 930_913
WORD, UNI, BI, BATCH = 620, 2400, 1200, 128


def make(folder: Path, vocabulary: list[str]) -> None:
    """The five files, with the words that are needed and others up to `ROWS`."""
    draw = np.random.default_rng(0)
    words = ["<eos>", "UNK", *vocabulary, *(f"word{number}" for number in range(ROWS))][:ROWS]
    (folder / "dictionary.txt").write_text("".join(f"{word}\n" for word in words))
    for name in ("utable", "btable"):
        np.save(folder / f"{name}.npy", draw.normal(0, 0.1, (ROWS, WORD)).astype(np.float32))
    for name, size, prefixes in (("uni_skip", UNI, ("encoder",)), ("bi_skip", BI, ("encoder", "encoder_r"))):
        shapes = {"W": (WORD, 2 * size), "b": (2 * size,), "U": (size, 2 * size)}
        shapes |= {"Wx": (WORD, size), "bx": (size,), "Ux": (size, size)}
        arrays = {
            f"{prefix}_{key}": draw.normal(0, 0.03, shape).astype(np.float32)
            for prefix in prefixes
            for key, shape in shapes.items()
        }
        np.savez(folder / f"{name}.npz", **arrays)


def load_peer(folder: Path) -> list[tuple[np.ndarray, torch.nn.GRU]]:
    """`torch.nn.GRU` with the weights of uni-skip and of bi-skip, and their tables."""
    halves = []
    for name, size, prefixes in (("uni_skip", UNI, ("encoder",)), ("bi_skip", BI, ("encoder", "encoder_r"))):
        table = np.load(folder / f"{'utable' if size == UNI else 'btable'}.npy", mmap_mode="r")
        gru = torch.nn.GRU(WORD, size, batch_first=True, bidirectional=len(prefixes) == 2)
        with np.load(folder / f"{name}.npz") as p, torch.no_grad():
            for prefix, suffix in zip(prefixes, ("", "_reverse"), strict=False):
                getattr(gru, f"weight_ih_l0{suffix}").copy_(
                    torch.from_numpy(np.concatenate([p[f"{prefix}_W"], p[f"{prefix}_Wx"]], 1).T.copy())
                )
                getattr(gru, f"weight_hh_l0{suffix}").copy_(
                    torch.from_numpy(np.concatenate([p[f"{prefix}_U"], p[f"{prefix}_Ux"]], 1).T.copy())
                )
                getattr(gru, f"bias_ih_l0{suffix}").copy_(
                    torch.from_numpy(np.concatenate([p[f"{prefix}_b"], p[f"{prefix}_bx"]]))
                )
                getattr(gru, f"bias_hh_l0{suffix}").zero_()
        halves.append((table, gru))
    return halves


def peer(halves: list[tuple[np.ndarray, torch.nn.GRU]], words: dict[str, int], questions: list[str]) -> np.ndarray:
    """Batches of one length."""
    lengths = defaultdict(list)
    ids = [[words.get(word, 1) for word in sentence_words(text)] for text in questions]
    for place, row in enumerate(ids):
        lengths[len(row)].append(place)
    out = np.empty((len(questions), UNI + 2 * BI), np.float32)
    with torch.inference_mode():
        for places in lengths.values():
            for start in range(0, len(places), BATCH):
                some = places[start : start + BATCH]
                made = []
                for table, gru in halves:
                    _, last = gru(torch.from_numpy(table[[ids[place] for place in some]]))
                    joined = last.transpose(0, 1).reshape(len(some), -1)
                    made.append(joined / joined.norm(dim=1, keepdim=True))
                out[some] = torch.cat(made, 1).numpy()
    return out


def main() -> int:
    """Run both, check that they agree, print times and bars; 1 where a bar is missed."""
    questions = texts(TEXTS)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, sorted({word for text in questions for word in sentence_words(text)}))
        ours = SkipThoughts(folder)
        ours.encode_distinct(questions[:16])
        start, wall = time.process_time(), time.perf_counter()
        vectors = ours.encode_distinct(questions)
        our_time, our_wall = time.process_time() - start, time.perf_counter() - wall
        halves = load_peer(folder)
        words = {word: row for row, word in enumerate((folder / "dictionary.txt").read_text().split())}
        peer(halves, words, questions[:16])
        start, wall = time.process_time(), time.perf_counter()
        with one_torch_thread():
            theirs = peer(halves, words, questions)
        their_time, their_wall = time.process_time() - start, time.perf_counter() - wall
        apart = float(np.abs(vectors - theirs).max())
        print(f"{TEXTS} questions, {sum(len(sentence_words(text)) for text in questions) / TEXTS:.1f} words each")
        print(f"ours:      {TEXTS / our_time:7.1f} per CPU second ({our_wall:.1f} s by the clock)")
        print(f"torch.GRU: {TEXTS / their_time:7.1f} per CPU second ({their_wall:.1f} s by the clock)")
        print(f"largest difference: {apart:.1e}")
        rows = np.empty(PUBLISHED, object)
        for number in range(PUBLISHED):
            rows[number] = np.full(4, number, np.float32)
        np.save(folder / "objects.npy", rows, allow_pickle=True)
        del rows
        start = time.process_time()
        read = WordRows(folder / "objects.npy").rows([PUBLISHED - 1], 4)
        index_time = time.process_time() - start
        print(f"index of a table of {PUBLISHED:,} objects: {index_time:.1f} s of CPU time")
    good = apart < 1e-5 and our_time <= 1.5 * their_time and index_time <= 30 and read[0, 0] == PUBLISHED - 1
    print("bars met" if good else "a bar is missed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())

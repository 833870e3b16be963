"""The world at size: CPU seconds, distinct questions, the share of long answers, understanding in questions a second.

    python benchmarks/world.py [--scenes 10000] [--text-only-scenes 28000]

Bars: 10,000 scenes without pictures in under 60 s of CPU; at least 3,000 distinct questions from 300 scenes and 190,000
from a text-only run; at least a fifth of the dialogue answers of four words or more.
"""

import argparse
import tempfile
import time
from pathlib import Path

from voirdire.formats.guesswhat import read_games
from voirdire.formats.visdial import read_visdial
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.world.build import build_world
from voirdire.world.understand import understand


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=10_000)
    parser.add_argument("--text-only-scenes", type=int, default=28_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        start = time.process_time()
        build_world(folder / "full", options.scenes, seed=1)
        spent = time.process_time() - start
        size = sum(path.stat().st_size for path in (folder / "full").iterdir())
        print(f"{options.scenes:,} scenes, all files: {spent:.1f} s of CPU, {size / 1e6:,.0f} MB (bar: 10,000 in 60 s)")
        print(f"  answers of four words or more: {long_answers(folder / 'full'):.1%} (bar: 20 %)")
        build_world(folder / "small", 300, seed=1)
        print(f"300 scenes: {len(distinct(folder / 'small')):,} distinct questions (bar: 3,000)")
        start = time.process_time()
        build_world(folder / "text", options.text_only_scenes, seed=1, text_only=True)
        spent = time.process_time() - start
        texts = distinct(folder / "text")
        print(f"{options.text_only_scenes:,} scenes, text only: {len(texts):,} distinct questions (bar: 190,000)")
        print(f"  {spent:.1f} s of CPU; {sum(map(len, map(str.split, texts))) / len(texts):.1f} words a question")
        sample = sorted(texts)[:: max(1, len(texts) // 20_000)]
        understand.cache_clear()
        start = time.process_time()
        missed = sum(understand(text) is None for text in sample)
        rate = len(sample) / (time.process_time() - start)
        print(
            f"understanding: {rate:,.0f} questions a second of CPU, {missed} of {len(sample):,} not understood (bar: 0)"
        )


def long_answers(folder: Path) -> float:
    """Of all rounds of the dialogues, the share whose answer has four words or more."""
    long = total = 0
    for split in ("train", "val"):
        visdial = read_visdial(folder / f"visdial_{split}.json")
        long_text = [len(text.split()) >= 4 for text in visdial.answers]
        long += sum(long_text[place] for place in visdial.answer.tolist())
        total += len(visdial.answer)
    return long / total


def distinct(folder: Path) -> set[str]:
    """All questions of a world, case and final mark aside."""
    texts: set[str] = set()
    for split in ("train", "val"):
        texts.update(read_vqa_questions(folder / f"vqa_{split}_questions.json").questions)
        if (folder / f"visdial_{split}.json").exists():
            texts.update(read_visdial(folder / f"visdial_{split}.json").questions)
            texts.update(qa.question for game in read_games(folder / f"guesswhat_{split}.jsonl") for qa in game.qas)
    return {text.rstrip("?").lower() for text in texts}


if __name__ == "__main__":
    main()

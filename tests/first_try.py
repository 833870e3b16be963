"""What a user sees who has published files, an empty folder, and nothing else: `voirdire init` and `voirdire exam`.

    cd EMPTY_FOLDER && python …/tests/first_try.py REAL_DATA [NAME …]

It copies files into folders as a user would, calls the two commands in each without an edit, and prints every call,
what it said, and how it ended. With names (dialogues, questions, games, flat, apart) only these folders. No test by
itself: `tests/real/test_first_try.py` goes through the same folders.
"""

import shutil
import subprocess
import sys
from pathlib import Path

FOLDERS = {
    "dialogues": (
        "visdial/visdialconv/visdial_1.0_val_crowdsourced.json",
        "visdial/visdialconv/visdial_1.0_val_dense_annotations_crowdsourced.json",
        "visdial/dense/refs_H_human_val.json",
        "visdial/dense/refs_S_human_val.json",
        "visdial/dialogues/blip2_val_generations.json",
        "visdial/dense/cca_aq_g_val_generations.json",
    ),
    "questions": (
        "vqa/smallval589/smallval_questions.json",
        "vqa/smallval589/smallval_annotations.json",
        "vqa/transformer_vqa_val100k/gpt2_results.json.gz",
        "vqa/transformer_vqa_val100k/vggpt2_results.json.gz",
        "vqa/lstm_baseline_val100k/predictions.json",
    ),
    "games": ("guesswhat/guesswhat_human_12_games.jsonl",),
}
FLAT, APART = "flat", "apart"
"""All files in one folder, and each of the three in a folder of its own inside one."""


def make_folder(name: str, data: Path, place: Path) -> Path:
    """The files of one of the folders, copied below `place`."""
    folder = place / name
    for group, files in FOLDERS.items():
        if name not in (group, FLAT, APART):
            continue
        into = folder / group if name == APART else folder
        into.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(data / file, into / Path(file).name)
    return folder


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, as a user gives it; both streams together, as a terminal shows them."""
    command = [sys.executable, "-c", "from voirdire.cli.main import run; run()", *words]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main() -> int:
    """Go through the folders; the exit code is 1 where a call did not end with 0."""
    data, names = Path(sys.argv[1]).resolve(), sys.argv[2:] or [*FOLDERS, FLAT, APART]
    failed = 0
    for name in names:
        folder = make_folder(name, data, Path.cwd())
        print(f"===== {name}", flush=True)
        for words in (("init", "."), ("exam",)):
            print(f"{name}$ voirdire {' '.join(words)}", flush=True)
            done = call(folder, *words)
            failed += done.returncode != 0
            print(f"{done.stdout}[exit {done.returncode}]", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

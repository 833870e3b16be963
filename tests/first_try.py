"""What a user sees who has published files, an empty folder, and nothing else: `voirdire init` and `voirdire exam`.

    cd EMPTY_FOLDER && python …/tests/first_try.py REAL_DATA [NAME …]

It copies files into folders as a user would, calls the two commands in each without an edit, and prints every call,
what it said, and how it ended. A further folder, `outputs`, holds what a model writes that speaks in sentences, as
LLaVA's scripts lay it out; it is validated, converted and scored. With names (dialogues, questions, games, flat, apart,
outputs) only these folders. No test by itself: `tests/real/test_first_try.py` goes through the same folders.
"""

import json
import shutil
import subprocess
import sys
from collections import Counter
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
FLAT, APART, OUTPUTS = "flat", "apart", "outputs"
"""All files in one folder, and each of the three in a folder of its own inside one; what a model wrote."""
SAID = "answers.jsonl"
EXAM = (("init", "."), ("exam",))
OWN = (
    ("validate", SAID),
    ("convert", SAID, "--to", "vqa_results", "-o", "answers.json"),
    ("validate", "answers.json", "--against", "smallval_questions.json"),
    ("robustness", "accuracy", "--annotations", "smallval_annotations.json", "--results", "answers.json"),
    (
        "robustness",
        "accuracy",
        "--annotations",
        "smallval_annotations.json",
        "--results",
        "answers.json",
        "--limit",
        "20",
    ),
)
"""The calls in a folder of published files, and in that of a model's own output, the first of which must fail."""


def make_folder(name: str, data: Path, place: Path) -> Path:
    """The files of one of the folders, copied below `place`."""
    folder = place / name
    if name == OUTPUTS:
        return _outputs(data, folder)
    for group, files in FOLDERS.items():
        if name not in (group, FLAT, APART):
            continue
        into = folder / group if name == APART else folder
        into.mkdir(parents=True, exist_ok=True)
        for file in files:
            shutil.copyfile(data / file, into / Path(file).name)
    return folder


def _outputs(data: Path, folder: Path) -> Path:
    """What people mostly say to the 589 real questions, as a model would that answers in sentences."""
    folder.mkdir(parents=True)
    for file in FOLDERS["questions"][:2]:
        shutil.copyfile(data / file, folder / Path(file).name)
    truth = json.loads((folder / "smallval_annotations.json").read_text())["annotations"]
    lines = [
        {
            "question_id": one["question_id"],
            "prompt": "",
            "text": _wordy(Counter(each["answer"] for each in one["answers"]).most_common(1)[0][0]),
            "model_id": "m",
        }
        for one in truth
    ]
    (folder / SAID).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def _wordy(answer: str) -> str:
    return {"yes": "Yes, it is.", "no": "No, it isn't."}.get(answer, f"The answer is {answer}.")


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A command in a folder, as a user gives it; both streams together, as a terminal shows them."""
    command = [sys.executable, "-c", "from voirdire.cli.main import run; run()", *words]
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


def main() -> int:
    """Go through the folders; the exit code is 1 where a call did not end as it should."""
    data, names = Path(sys.argv[1]).resolve(), sys.argv[2:] or [*FOLDERS, FLAT, APART, OUTPUTS]
    failed = 0
    for name in names:
        folder = make_folder(name, data, Path.cwd())
        print(f"===== {name}", flush=True)
        for words in OWN if name == OUTPUTS else EXAM:
            print(f"{name}$ voirdire {' '.join(words)}", flush=True)
            done = call(folder, *words)
            failed += done.returncode != (2 if words == OWN[0] else 0)
            print(f"{done.stdout}[exit {done.returncode}]", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

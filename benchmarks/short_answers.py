"""How well the rule of short answers undoes five verbose styles, and what it does to answers that are short already.

    python benchmarks/short_answers.py DATA

DATA is the folder of real data (see tests/conftest.py). For each set of annotations: the official accuracy of most
people's answers, then by style the official accuracy, the normalised one, and the share of answers that come out. Then
how many of the annotators' own answers, and of three published models', the rule changes.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "text"))

from verbose_styles import STYLES, say

from voirdire.formats.vqa_annotations import read_vqa_annotations
from voirdire.formats.vqa_questions import read_vqa_questions
from voirdire.formats.vqa_results import VQA_PREDICTIONS, read_vqa_results
from voirdire.metrics.vqa_accuracy import HumanAnswers, accuracies, process_answer
from voirdire.text.short_answers import RULE, short_answer

SETS = ("smallval589/smallval_{}.json", "vqa2_subset_valid_{}.json.gz", "vqa2_subset_train_{}.json.gz")


def styles(folder: Path, name: str) -> None:
    """One line for each style."""
    annotations = read_vqa_annotations(folder / name.format("annotations"))
    questions = read_vqa_questions(folder / name.format("questions"))
    asked = dict(zip(questions.question_ids.tolist(), questions.questions, strict=True))
    people = HumanAnswers(annotations.answers, annotations.pool)
    majority = [Counter(annotations.answers_of(row)).most_common(1)[0][0] for row in range(len(annotations))]
    print(f"{name.format('annotations')}: {len(majority):,} questions")
    print(f"  {'as it is':<16} official {accuracies(people.matches(majority)).mean():6.2f}")
    ids = annotations.question_ids.tolist()
    for style in STYLES:
        said = [say(style, id_, asked[id_], answer) for id_, answer in zip(ids, majority, strict=True)]
        short = [short_answer(text) for text in said]
        same = np.mean([process_answer(a) == process_answer(b) for a, b in zip(short, majority, strict=True)])
        official, normalised = people.matches(said), people.matches(short, processed=True)
        # What the rule leaves as it is keeps its official accuracy, as in the exam.
        kept = np.where([a == b for a, b in zip(said, short, strict=True)], official, normalised)
        print(
            f"  {style:<16} official {accuracies(official).mean():6.2f}   normalised {accuracies(kept).mean():6.2f}   "
            f"recovered {100 * same:6.2f}"
        )
    changed = [place for place, text in enumerate(annotations.pool) if short_answer(text) != text]
    count = int(np.isin(annotations.answers, changed).sum())
    print(f"  changed among the annotators' own answers: {count:,} of {annotations.answers.size:,}")


def main(data: str) -> None:
    """All sets, then the models."""
    folder = Path(data) / "vqa"
    print(RULE)
    for name in SETS:
        styles(folder, name)
    models = {
        "LSTM": VQA_PREDICTIONS.read(folder / "lstm_baseline_val100k" / "predictions.json"),
        "GPT-2": read_vqa_results(folder / "transformer_vqa_val100k" / "gpt2_results.json.gz"),
        "VGGPT-2": read_vqa_results(folder / "transformer_vqa_val100k" / "vggpt2_results.json.gz"),
    }
    for name, results in models.items():
        changed = sum(short_answer(text) != text for text in results.answers)
        print(f"changed among the answers of {name}: {changed:,} of {len(results):,}")


if __name__ == "__main__":
    main(*sys.argv[1:])

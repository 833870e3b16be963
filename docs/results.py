"""Fill docs/results.md: what the exams say of real models whose outputs are public.

    python docs/results.py DATA [SECTION …] [--work FOLDER]

DATA is the folder of public files. Each section of the page stands between `<!-- NAME -->` and `<!-- end -->`: the
commands, and tables of the runs that they make. What is between is made anew, for the named sections or for all; the
words around it stay. Runs are kept in the work folder, and what is there already is not made again. All sections take
about an hour of one processor, nearly all of it for the probes of scorekeeping.
"""

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

import voirdire
from voirdire.formats.game_logs import FORMAT as GAME_LOGS
from voirdire.formats.vqa_results import VQA_ACCURACIES
from voirdire.metrics.vqa_accuracy import VQA_ACCURACY
from voirdire.runs import Run
from voirdire.runs.estimate import Estimate
from voirdire.stats import bootstrap, paired_permutation

PAGE = Path(__file__).with_name("results.md")
COMMAND = [sys.executable, "-c", "from voirdire.cli.main import run; run()"]
SETS = {"H": "visdial/dense/refs_H_human_val.json", "S": "visdial/dense/refs_S_human_val.json"}
ANSWERERS = {
    "BLIP-2": "visdial/dialogues/blip2_val_generations.json",
    "CCA-AQ-G": "visdial/dense/cca_aq_g_val_generations.json",
}
DIALOGUES = "visdial/dialogues/visdial_1.0_val_text.json"
LSTM, GPT = "vqa/lstm_baseline_val100k", "vqa/transformer_vqa_val100k"
VQA = {
    "LSTM": (f"{LSTM}/predictions.json", f"{LSTM}/eval_qa.json"),
    "VGGPT-2": (f"{GPT}/vggpt2_results.json.gz", f"{GPT}/vggpt2_eval_qa.json.gz"),
    "GPT-2": (f"{GPT}/gpt2_results.json.gz", f"{GPT}/gpt2_eval_qa.json.gz"),
}
VQA_KEYS = ("accuracy", "accuracy[yes/no]", "accuracy[number]", "accuracy[other]", "accuracy_normalised")
LOGS = {
    "people": "guesswhat/human_100_games.jsonl",
    "RL": "guesswhat/rl_qgen_100_games.jsonl",
    "VDST": "guesswhat/vdst_1606_games.jsonl",
}
KINDS = ("object", "location", "color", "action", "texture", "size", "shape", "order", "other")
TWENTY = {f"{size} candidates": f"guesswhat/twenty_questions/{size}_mcrae_oracle_annotations.json" for size in (8, 16)}
TWENTY_KEYS = (
    *("task_success", "effectiveness", "effectiveness@1", "effectiveness@3", "effectiveness@5", "effectiveness@8"),
    *("last_effective", "referring", "last_referring"),
)
ENCODERS = ("minilm",)
TASKS = ("TFxPS", "TF", "PS", "PxTSFS")


class Maker:
    """Runs commands, each once, in a folder of its own, and remembers how a reader types them."""

    def __init__(self, data: Path, work: Path) -> None:
        self.data, self.work = data, work
        self.typed: list[str] = []

    def make(self, words: str, output: str, **files: str) -> Path:
        """What `voirdire WORDS … -o OUTPUT` makes; `files` are options that take a file."""
        flags = {f"--{name.replace('_', '-')}": path for name, path in files.items()}
        command = ["voirdire", *words.split()]
        for flag, path in flags.items():
            command += [flag, Path(path).name]
        self.typed.append(shlex.join([*command, "-o", output]))
        if not (self.work / output).exists():
            places = [word for flag, path in flags.items() for word in (flag, str(self._find(path)))]
            done = subprocess.run([*COMMAND, *words.split(), *places, "-o", output], cwd=self.work, check=False)
            if done.returncode:
                sys.exit(f"{self.typed[-1]} ended with {done.returncode}")
        return self.work / output

    def run(self, words: str, output: str, **files: str) -> Run:
        """The run that a command makes."""
        return voirdire.read_run(self.make(words, output, **files))

    def _find(self, path: str) -> Path:
        return self.work / path if (self.work / path).exists() else self.data / path

    def commands(self) -> str:
        """The commands since the last call, as a block of the page."""
        typed, self.typed = self.typed, []
        return "\n".join(f"    {line}" for line in typed)


def shown(figure: Estimate, digits: int = 4, unit: float = 1) -> str:
    """A figure with its interval, as `0.71 (0.69 … 0.73)`."""
    if figure.value is None:
        return "–"
    value = f"{unit * figure.value:.{digits}f}"
    if figure.low is None or figure.high is None:
        return value
    return f"{value} ({unit * figure.low:.{digits}f} … {unit * figure.high:.{digits}f})"


def mean_of(values: Sequence[float], digits: int = 3) -> str:
    """A mean with its interval."""
    ends = bootstrap(values, seed=0)
    low, high = (ends.low, ends.high) if ends else (None, None)
    return shown(Estimate(float(np.mean(values)), low, high, len(values)), digits)


def of_p(p: float | None) -> str:
    """A p for readers."""
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of the page."""
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows))


def answers(maker: Maker) -> list[str]:
    """BLIP-2 and CCA-AQ-G against the published reference sets of VisDial's validation rounds."""
    tables = []
    for sets, references in SETS.items():
        runs = [
            maker.run("answers score", f"runs/{model.lower()}-{sets}", generations=file, references=references)
            for model, file in ANSWERERS.items()
        ]
        (compared,) = voirdire.compare_runs(list(ANSWERERS), runs)
        rows = [
            [f"`{one.measure.name}`", *(shown(run.measures[one.measure.name]) for run in runs), of_p(one.p_holm)]
            for one in compared.measures
        ]
        tables.append(table([f"{sets}, {runs[0].items.height:,} rounds", *ANSWERERS, "p, after Holm"], rows))
    return [maker.commands(), *tables]


def ranked(maker: Maker) -> list[str]:
    """What VD-BERT ranks first in fifty test dialogues, beside what people said to the same question."""
    test = voirdire.read_visdial(maker.data / "visdial/visdial_1.0_test_first50.json")
    ranks = voirdire.read_ranks(maker.data / "visdial/ranks/vdbert_test_ranks.json")
    place = {key: row for row, key in enumerate(zip(ranks.image_ids.tolist(), ranks.rounds.tolist(), strict=True))}
    people: dict[str, set[str]] = {}
    for dialogue in json.loads((maker.data / DIALOGUES).read_text()):
        for line in dialogue["dialog"][1:]:
            question, _, answer = line.partition("? ")
            people.setdefault(question.strip().lower(), set()).add(answer)
    first, agree = [], []
    for number, image in enumerate(test.image_ids.tolist()):
        rounds = test.rounds(number)
        best = int(np.argmin(ranks.ranks[place[image, len(rounds) - 1]]))
        first.append(test.answers[test.options[rounds[-1]][best]])
        said = people.get(test.questions[test.question[rounds[-1]]].lower().rstrip("? "))
        if said:
            agree.append(first[-1] in said)
    columns: dict[str, Sequence[float]] = {
        "its words": [len(text.split()) for text in first],
        "it begins with yes or no": [bool(re.match(r"(yes|yep|yup|yeah|no|nope|nah)\b", text)) for text in first],
        "it says that it cannot tell": [bool(re.search(r"can't|cannot|not sure|don't know", text)) for text in first],
        "it is one of people's answers to the same question": agree,
    }
    rows = [[name, mean_of(values), str(len(values))] for name, values in columns.items()]
    return [table(["the answer ranked first", "mean or share", "n"], rows)]


def vqa(maker: Maker) -> list[str]:
    """Answers to VQA v2 questions: our accuracy where annotations are, the official score of each on all."""
    annotations = "vqa/smallval589/smallval_annotations.json"
    runs = [
        maker.run("robustness accuracy", f"runs/{model.lower()}-vqa", annotations=annotations, results=results)
        for model, (results, _) in VQA.items()
    ]
    rows = [
        [f"`{key}`", *(shown(run.measures[key], 2) for run in runs), str(runs[0].measures[key].n)] for key in VQA_KEYS
    ]
    official, figures = {}, []
    for model, (_, scores) in VQA.items():
        record = VQA_ACCURACIES.read(maker.data / scores)
        order = np.argsort(record.question_ids)
        images = record.question_ids[order] // 1000
        official[model] = record.accuracies[order]
        items = {"accuracy": official[model], "image": images}
        figures.append(voirdire.estimate(items, [VQA_ACCURACY], clusters="image", seed=0)["accuracy"])
    rows.append(["official scores", *(shown(one, 2) for one in figures), f"{figures[0].n:,}"])
    tests = []
    for one, other in pairwise(official):
        found = paired_permutation(official[one], official[other], seed=0, clusters=images)
        tests.append([f"{one} against {other}", f"{found.difference:+.2f}", of_p(found.p)])
    return [
        maker.commands(),
        table(["percent", *VQA, "n"], rows),
        table(["official scores, images swapped", "difference", "p"], tests),
    ]


def games(maker: Maker) -> list[str]:
    """Kinds of questions and outcomes in logs of games by people and by two models."""
    runs = [maker.run("questions kinds", f"runs/{Path(file).stem}", games=file) for file in LOGS.values()]
    rows = [[f"`{kind}`", *(shown(run.measures[kind], 3) for run in runs)] for kind in KINDS]
    logs = [list(GAME_LOGS.read(maker.data / file)) for file in LOGS.values()]
    rows.append(["games won", *(mean_of([game.status == "success" for game in log]) for log in logs)])
    return [
        maker.commands(),
        table(["", *(f"{name}, {len(log):,} games" for name, log in zip(LOGS, logs, strict=True))], rows),
    ]


def twenty(maker: Maker) -> list[str]:
    """ChatGPT asks twenty questions about concepts."""
    runs = [
        maker.run("questions score --wins named", f"runs/{Path(file).name.split('_')[0]}-mcrae", games=file)
        for file in TWENTY.values()
    ]
    rows = [[f"`{key}`", *(shown(run.measures[key], 3) for run in runs)] for key in TWENTY_KEYS]
    return [maker.commands(), table(["90 games each", *TWENTY], rows)]


def scorekeeping(maker: Maker) -> list[str]:
    """What a text encoder's states hold of the validation dialogues, beside controls and people."""
    words = "scorekeeping/left_out_words.txt"
    maker.make("scorekeeping propositions", "val.json", dialogues=DIALOGUES, left_out_words=words)
    rows = []
    for name in ENCODERS:
        maker.make(f"scorekeeping states --encoder {name}", f"{name}.h5", dialogues=DIALOGUES)
        run = maker.run("scorekeeping probe --all", f"runs/{name}", propositions="val.json", states=f"{name}.h5")
        rows.append([f"`{name}`", *(_at_five(run, task) for task in TASKS)])
        rows.append(["random states", *(_at_five(run, task, "random") for task in TASKS)])
        rows.append(["no states", *(_at_five(run, task, "null") for task in TASKS)])
    people = maker.run("scorekeeping humans", "runs/people", judgements="scorekeeping/human_judgements.csv")
    rows.append(["people", *(shown(people.measures[task.lower()], 2, 100) for task in TASKS)])
    return [maker.commands(), table(["percent, at turn 5", *TASKS], rows)]


def _at_five(run: Run, task: str, control: str = "") -> str:
    """Accuracy of a task at turn 5; of a control also p of the real states against it."""
    if not control:
        return shown(run.measures[f"accuracy@5[{task}]"], 2, 100)
    part = f"{task}, {control}"
    p = of_p(run.measures[f"permutation_p[{part}]"].value)
    return f"{shown(run.measures[f'accuracy@5[{part}]'], 2, 100)}, p {p}"


SECTIONS: dict[str, Callable[[Maker], list[str]]] = {
    one.__name__: one for one in (answers, ranked, vqa, games, twenty, scorekeeping)
}


def filled(page: str, name: str, blocks: Sequence[str]) -> str:
    """The page with a section's blocks in their place."""
    place = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end -->)", re.DOTALL)
    text = "\n" + "\n\n".join(blocks) + "\n\n"
    new, found = place.subn(lambda match: match[1] + text + match[2], page)
    if found != 1:
        sys.exit(f"{PAGE.name} has {found} places for {name}, expected one")
    return new


def main() -> int:
    """Fill the page's sections."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="the folder of public files")
    parser.add_argument("sections", nargs="*", default=[], help=f"of {', '.join(SECTIONS)}; all of them unless given")
    parser.add_argument("--work", type=Path, default=Path("build/results"), help="where runs are kept")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"`{unknown.pop()}` is no section; they are {', '.join(SECTIONS)}")
    given.work.mkdir(parents=True, exist_ok=True)
    maker = Maker(given.data.resolve(), given.work.resolve())
    for name in given.sections or SECTIONS:
        PAGE.write_text(filled(PAGE.read_text(), name, SECTIONS[name](maker)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

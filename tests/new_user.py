"""What a new user does, one try after the other, and what the commands print: `tests/first_try.py` goes further here.

    cd EMPTY_FOLDER && python …/tests/new_user.py REAL_DATA [NAME …]

Each try has a folder of its own, filled with published files as a user would fill it, or with what is made of them
here: answers in sentences, in other tools' layouts, in Chinese, with one in twenty missing. With names only these
tries. The exit code is 1 where a call did not end as it should. It is no test by itself: pictures of its reports are
taken by `tests/browser/screenshots.py`.
"""

import csv
import gzip
import json
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

sys.path.extend([str(Path(__file__).parent), str(Path(__file__).parent / "live")])

from scripted import Answer, chat, serving

from first_try import call

HERE = Path(__file__).parent
VOIRDIRE = [sys.executable, "-c", "from voirdire.cli.main import run; run()"]
SMALL = "vqa/smallval589"
QUESTIONS, ANNOTATIONS = f"{SMALL}/smallval_questions.json", f"{SMALL}/smallval_annotations.json"
REPLIES = "Yes, it is.", "The answer is white.", "No, it isn't.", "There are two.", "It is a dog.", "Red.", "I see"
"""What the scripted server says."""
CHINESE = {"yes": "是的", "no": "不是", "2": "两个"}
FUNCTION = '''
from words_of_mine import WORDS


def reply(messages, picture):
    """A model of ten lines: it says how many bytes a picture has, else yes to half of what it is asked."""
    if picture is not None:
        return f"{len(picture)} {WORDS[0]}"
    text = str(messages[-1]["content"])
    return WORDS[1] if len(text) % 2 else WORDS[2]
'''
INTERRUPTED = 130, -signal.SIGINT
failed = 0


class Try:
    """One folder, and the calls in place."""

    def __init__(self, name: str, data: Path) -> None:
        self.folder, self.data = Path.cwd() / name, data
        self.folder.mkdir(parents=True)
        print(f"\n===== {name}", flush=True)

    def take(self, *files: str) -> None:
        """Copy published files as they are."""
        for file in files:
            shutil.copy(self.data / file, self.folder)

    def write(self, name: str, value: Any) -> None:
        """A JSON file, or lines of JSON."""
        path = self.folder / name
        lines = name.endswith(".jsonl")
        path.write_text("".join(json.dumps(row) + "\n" for row in value) if lines else json.dumps(value))

    def call(self, *words: str, ends: int = 0) -> str:
        """A command as a user types it, what it prints, and how it ends."""
        global failed
        print(f"$ voirdire {' '.join(words)}", flush=True)
        done = call(self.folder, *words)
        failed += done.returncode != ends
        print(f"{done.stdout}[exit {done.returncode}]", flush=True)
        return done.stdout

    def stop(self, *words: str, how: signal.Signals, after: Callable[[], bool]) -> None:
        """A command that is stopped on the way."""
        global failed
        print(f"$ voirdire {' '.join(words)}    # {how.name} on the way", flush=True)
        process = subprocess.Popen(
            [*VOIRDIRE, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        until = time.monotonic() + 120
        while process.poll() is None and not after() and time.monotonic() < until:
            time.sleep(0.05)
        process.send_signal(how)
        printed, _ = process.communicate()
        failed += process.returncode not in (*INTERRUPTED, -signal.SIGKILL)
        print(f"{printed}[exit {process.returncode}]", flush=True)


def truth(data: Path) -> dict[int, str]:
    """What people mostly answer to each of the 589 questions."""
    rows = json.loads((data / ANNOTATIONS).read_text())["annotations"]
    return {row["question_id"]: Counter(each["answer"] for each in row["answers"]).most_common(1)[0][0] for row in rows}


def wordy(answer: str) -> str:
    """The answer as a chat model says place."""
    return {"yes": "Yes, it is.", "no": "No, it isn't."}.get(answer, f"The answer is {answer}.")


def partly(answers: Mapping[int, str], right: float, seed: int) -> dict[int, str]:
    """Answers of which only a share is right."""
    draw, others = random.Random(seed), sorted(set(answers.values()))
    return {id_: answer if draw.random() < right else draw.choice(others) for id_, answer in answers.items()}


def rows_of(answers: Mapping[int, str]) -> list[dict[str, Any]]:
    """As official results have them."""
    return [{"question_id": id_, "answer": answer} for id_, answer in answers.items()]


def two_models(data: Path) -> None:
    """Two models on VQA files without noise: a wordy one that is mostly right, a terse one that is mostly wrong."""
    place, answers = Try("two-models", data), truth(data)
    place.take(QUESTIONS, ANNOTATIONS)
    place.write("wordy_results.json", rows_of({id_: wordy(text) for id_, text in partly(answers, 0.66, 1).items()}))
    place.write("terse_results.json", rows_of(partly(answers, 0.26, 2)))
    place.call("init", ".")
    place.call("exam")
    place.call("compare", "results/runs")


def dialogues(data: Path) -> None:
    """VisDial with dense relevance, four files of reference sets, two models' generations, and another's ranks."""
    place = Try("dialogues", data)
    conv, dense = "visdial/visdialconv/visdial_1.0_val", "visdial/dense"
    place.take(f"{conv}_crowdsourced.json", f"{conv}_dense_annotations_crowdsourced.json")
    place.take(*(f"{dense}/refs_{kind}_human_{split}.json" for kind in "HS" for split in ("train", "val")))
    place.take("visdial/dialogues/blip2_val_generations.json", f"{dense}/cca_aq_g_val_generations.json")
    place.take("visdial/ranks/vdbert_test_ranks.json")
    place.call("init", ".")
    config = place.folder / "exam.yaml"
    lines = config.read_text().splitlines()
    config.write_text("\n".join("    measures: [bleu]" if "# measures: " in line else line for line in lines) + "\n")
    place.call("exam")


def layouts(data: Path) -> None:
    """Seven private layouts: LLaVA, lmms-eval, a table, wordy answers, 5 % missing, Chinese, POPE."""
    place, answers = Try("layouts", data), truth(data)
    place.take(QUESTIONS, ANNOTATIONS, "vqa/other_layouts/coco_pope_adversarial.json")
    asked = json.loads((data / QUESTIONS).read_text())["questions"]
    given = [partly(answers, 0.7, seed) for seed in range(5)]
    about = [(row, row["question_id"]) for row in asked]
    llava = {"answer_id": "x", "model_id": "llava", "metadata": {}}
    place.write(
        "llava_answers.jsonl",
        [{"question_id": id_, "prompt": row["question"], "text": wordy(given[0][id_]), **llava} for row, id_ in about],
    )
    place.write(
        "lmms_samples.jsonl",
        [
            {"doc_id": at, "doc": row, "resps": [[given[1][id_]]], "filtered_resps": [given[1][id_]]}
            for at, (row, id_) in enumerate(about)
        ],
    )
    with (place.folder / "table.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["image", "question", "prediction"])
        table.writerows([f"{row['image_id']:012d}.jpg", row["question"], given[2][id_]] for row, id_ in about)
    place.write("wordy_results.json", rows_of({id_: wordy(text) for id_, text in given[3].items()}))
    place.write("missing_results.json", rows_of(given[4])[: len(asked) * 19 // 20])
    place.write(
        "chinese_results.json", rows_of({id_: CHINESE.get(text, "这是一张图片") for id_, text in answers.items()})
    )
    place.call("init", ".")
    place.call("exam")
    pope = Try("pope", data)
    pope.take("vqa/other_layouts/coco_pope_adversarial.json", "vqa/other_layouts/aokvqa_v1p0_val.json")
    lines = (data / "vqa/other_layouts/coco_pope_adversarial.json").read_text().splitlines()
    yes = [{"question_id": json.loads(line)["question_id"], "text": "Yes, there is."} for line in lines]
    pope.write("always_yes.jsonl", yes)
    pope.call("init", ".")
    pope.call("exam")


def games(data: Path) -> None:
    """Logs of games with objects and without, and of 20 questions."""
    place = Try("games", data)
    place.take("guesswhat/guesswhat_human_12_games.jsonl", "guesswhat/rl_qgen_100_games.jsonl")
    place.take("guesswhat/human_100_games.jsonl")
    place.call("init", ".")
    place.call("exam")
    twenty = Try("twenty-questions", data)
    name = "guesswhat/twenty_questions/8_mcrae"
    twenty.take(f"{name}_dialogues.txt", f"{name}_oracle_annotations.json")
    twenty.call("validate", ".")
    twenty.call("init", ".")
    twenty.call("exam")


def function(data: Path) -> None:
    """A function of ten lines, asked about the made-up world."""
    place = Try("function", data)
    (place.folder / "mine.py").write_text(FUNCTION)
    (place.folder / "words_of_mine.py").write_text('WORDS = ("bytes", "Yes, it is.", "No.")\n')
    place.call("world", "world", "--scenes", "12", "--seed", "7", "--pictures")
    model = ("--model", "python:mine.py:reply", "--name", "mine")
    place.call("ask", "all", *model, "--data", "world", "-o", "asked", "--limit", "4", "--dry-run")
    place.call("ask", "answers", *model, "--data", "world", "-o", "asked", "--limit", "4", "--witnesses")


def server(data: Path) -> None:
    """A scripted server, asked about the world and about photographs, with Ctrl-C and kill -9 on the way."""
    place = Try("server", data)
    place.take(QUESTIONS, ANNOTATIONS)
    place.call("world", "world", "--scenes", "40", "--seed", "7", "--pictures")
    shutil.copytree(data / "pictures", place.folder / "pictures", ignore=shutil.ignore_patterns("*.json"))

    def say(path: str, headers: Mapping[str, str], body: Any) -> Answer:
        if path.endswith("/models"):
            return Answer()
        number = sum(map(ord, json.dumps(body["messages"])[-400:])) % len(REPLIES)
        answer = chat(REPLIES[number])
        answer.after = 0.2
        return answer

    with serving(say) as served:

        def more_than(count: int) -> Callable[[], bool]:
            before = len(served.seen)
            return lambda: len(served.seen) > before + count

        model = ("--model", f"openai:scripted@{served.url}", "--blind", "--name", "scripted")
        world = ("ask", "answers", *model, "--data", "world", "-o", "asked-world")
        place.stop(*world, how=signal.SIGINT, after=more_than(20))
        place.stop(*world, how=signal.SIGKILL, after=more_than(20))
        place.call(*world)
        photographs = ("ask", "robustness", *model, "--data", "smallval_questions.json", "--data")
        photographs += (
            "smallval_annotations.json",
            "--images",
            "pictures",
            "--limit",
            "12",
            "--partial",
            "-o",
            "asked-photographs",
        )
        place.call(*photographs)


def robustness(data: Path) -> None:
    """Robustness from start to end on 200 questions, with a wordy model and one that repeats itself."""
    place = Try("robustness", data)
    answers = truth(data)
    for kind in ("questions", "annotations"):
        document = json.loads((data / f"{SMALL}/smallval_{kind}.json").read_text())
        document[kind] = [row for row in document[kind] if row["question_id"] in list(answers)[:200]]
        place.write(f"val_{kind}.json", document)
    with gzip.open(data / "vqa/vqa2_subset_valid_questions.json.gz", "rt") as file:
        pool = json.load(file)
    pool["questions"] = pool["questions"][:3000]
    place.write("pool_questions.json", pool)
    place.call(
        "robustness", "rank", "--main", "val_questions.json", "--pool", "pool_questions.json", "-o", "lists.parquet"
    )
    place.call("robustness", "perturb", "--ranking", "lists.parquet", "--all", "noisy")
    first = dict(list(answers.items())[:200])
    for name, right, form in (("wordy", 0.66, wordy), ("terse", 0.26, str)):
        for number in range(8):
            given = partly(first, right - 0.03 * number, 10 + number)
            (place.folder / name).mkdir(exist_ok=True)
            condition = f"partition{number}" if number else "clean"
            place.write(f"{name}/{condition}.json", rows_of({id_: form(text) for id_, text in given.items()}))
        place.write(
            f"{name}/control1.json", rows_of({id_: form(text) for id_, text in partly(first, right, 30).items()})
        )
    (place.folder / "pool_questions.json").unlink()
    place.call("init", ".")
    place.call("exam")


def notebook(data: Path) -> None:
    """The notebook of the documentation, cell by cell."""
    global failed
    place = Try("notebook", data)
    cells = json.loads((HERE.parent / "docs" / "notebook.ipynb").read_text())["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    done = subprocess.run([sys.executable, "-c", code], cwd=place.folder, capture_output=True, text=True, check=False)
    failed += done.returncode != 0
    print(f"# docs/notebook.ipynb\n{done.stdout}{done.stderr}[exit {done.returncode}]", flush=True)


def study(data: Path) -> None:
    """A study of reference sets: made, served, looked at, and collected before anybody judged."""
    global failed
    place = Try("study", data)
    place.take("visdial/dense/refs_H_human_val.json")
    words = ("--human", "refs_H_human_val.json", "--human-tasks", "10", "--judges", "2", "--seed", "1")
    place.call("study", "make", "answers", *words, "-o", "sets")
    process = subprocess.Popen([*VOIRDIRE, "study", "serve", "sets", "--open", "--port", "8391"], cwd=place.folder)
    page = ""
    for _ in range(120):
        try:
            with urlopen("http://127.0.0.1:8391/", timeout=2) as reply:
                page = reply.read().decode()
            break
        except OSError:
            time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    process.wait()
    failed += "<html" not in page
    print(f"# the judges' page has {len(page):,} characters", flush=True)
    place.call("study", "status", "sets")


def one_model(data: Path) -> None:
    """One model alone."""
    place = Try("one-model", data)
    place.take(QUESTIONS, ANNOTATIONS)
    place.write("mine_results.json", rows_of(partly(truth(data), 0.5, 3)))
    place.call("init", ".")
    place.call("exam")


def many(data: Path, name: str, changed: int) -> None:
    """Ten real models on 4,319 questions, and some made of them by changing 1 to 5 % of their answers."""
    place = Try(name, data)
    runs = data / "vqa/vizwiz_runs"
    with gzip.open(runs / "vizwiz_val_one_answer_annotations.json.gz", "rt") as file:
        place.write("annotations.json", json.load(file))
    for at, path in enumerate(sorted(runs.glob("*_results.json.gz"))):
        label, given = path.name.removesuffix("_results.json.gz"), json.loads(gzip.decompress(path.read_bytes()))
        place.write(f"{label}_results.json", given)
        if at < changed:
            draw, share = random.Random(at), 0.01 * (1 + at % 5)
            texts = [row["answer"] for row in given]
            again = [{**row, "answer": draw.choice(texts) if draw.random() < share else row["answer"]} for row in given]
            place.write(f"{label}-changed_results.json", again)
    place.call("init", ".")
    place.call("exam")


TRIES: dict[str, Callable[[Path], None]] = {
    "two-models": two_models,
    "dialogues": dialogues,
    "layouts": layouts,
    "games": games,
    "function": function,
    "server": server,
    "robustness": robustness,
    "notebook": notebook,
    "study": study,
    "one-model": one_model,
    "ten-models": lambda data: many(data, "ten-models", 0),
    "seventeen-models": lambda data: many(data, "seventeen-models", 7),
}


def main() -> int:
    """Go through the tries; 1 where a call did not end as it should."""
    data = Path(sys.argv[1]).resolve()
    for name in sys.argv[2:] or TRIES:
        TRIES[name](data)
    print(f"\n{failed} calls did not end as they should")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())

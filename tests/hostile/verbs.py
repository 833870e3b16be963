"""A small good call of every verb, on a small world that is made once.

In a call, `@name` is a file or a folder of the material, and `>name` what the call writes. The material is made by
calls, too, in their order; what no call makes is written by hand.
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import forked
import format_cases
import numpy as np
import typer.main

__all__ = ["CALLS", "OTHERS", "RESUMED", "commands", "hold_parts", "make_material", "options_of", "words_of"]

GLOVE = "glove:@vectors.txt"
ONE = "--limit 1"
PROBE = "--epochs 2 --hidden 4 --batch 64"
ORACLE = "--epochs 2 --word 4 --lstm 4 --category 4 --hidden 4,3"
SCORED = "--references @w/visdial_val_references_true.json --measures cider --measures distance"
ASKED = "--main @w/vqa_val_questions.json --pool @w/vqa_train_questions.json --pool @w/vqa_val_questions.json"
SCENES = "--scenes @w/scenes.jsonl"
TAGGED = "--dialogues @survey.json"
ANSWERED = "--questions @w/vqa_train_questions.json --annotations @w/vqa_train_annotations.json"
PARTITIONS = ("clean", *(f"partition{number}" for number in range(1, 8)), "control1")

MATERIAL = (
    "world make @w --scenes 16 --seed 7 --pictures",
    f"world answer --witness truthful --questions @w/visdial_val.json {SCENES} -o @said/answers.json",
    f"world answer --witness blind --questions @w/visdial_val.json {SCENES} -o @said/others.json",
    f"world answer --witness blind --questions @w/visdial_val.json {SCENES} --ranks -o @said/ranks.json",
    f"world play --witness keen --games @w/guesswhat_val.jsonl {SCENES} -o @said/games.jsonl",
    f"world survey --dialogues @w/visdial_train.json {SCENES} -o @survey.json",
    f"world states --witness scorekeeper --dialogues @survey.json {SCENES} -o @said/states.h5",
    f"world states --witness scorekeeper --dialogues @survey.json {SCENES} -o @said/states.npz",
    f"robustness rank {ASKED} --encoder {GLOVE} -o @ranking.parquet",
    "robustness perturb --ranking @ranking.parquet --all @asked",
    *(
        f"world answer --witness distractible --questions @asked/{name}.json {SCENES} -o @noisy/{name}.json"
        for name in PARTITIONS
    ),
    f"scorekeeping propositions {TAGGED} -o @propositions.json",
    f"study make scorekeeping --propositions @propositions.json {TAGGED} --tasks 3 --checks 0.3 --judges 2 -o @study",
    f"study make scorekeeping --propositions @propositions.json {TAGGED} --tasks 3 -o @forgotten",
    f"answers train --visdial @w/visdial_train.json --encoder {GLOVE} --k 3 -o @cca.npz",
    f"questions train-oracle --games @w/guesswhat_train.jsonl {ORACLE} -o @oracle.npz",
    "models features --pictures @w/pictures --layout global -o @map.h5",
    f"models train mutan {ANSWERED} --features @map.h5 --preset small --epochs 1 -o @network.npz",
    f"answers score --generations @said/answers.json {SCORED} --encoder {GLOVE} -o @runs/answers",
    f"answers score --generations @said/others.json {SCORED} --encoder {GLOVE} -o @runs/others",
    "robustness score --annotations @w/vqa_val_annotations.json --clean @noisy/clean.json "
    "--noisy @noisy/partition{}.json --common -o @runs/robustness",
    "answers rank --visdial @w/visdial_val.json --ranks @said/ranks.json -o @runs/ranked",
    "questions score --games @said/games.jsonl --oracle scenes:@w/scenes.jsonl -o @runs/questions",
    "questions oracle-accuracy --games @w/guesswhat_val.jsonl --oracle model:@oracle.npz -o @runs/oracle",
    f"scorekeeping probe --propositions @propositions.json --states @said/states.h5 --encoder {GLOVE} {PROBE} "
    "-o @runs/probe",
    f"scorekeeping probe --propositions @propositions.json --states @said/states.h5 --encoder {GLOVE} {PROBE} "
    "-o @runs/layer-1",
)

CALLS = {
    "answers score": f"--generations @said/answers.json {SCORED} --measures bleu --encoder {GLOVE} --json -o >run",
    "answers bounds": f"{SCORED} --encoder {GLOVE} --json",
    "answers rank": "--visdial @w/visdial_val.json --ranks @said/ranks.json --dense @w/visdial_val_dense.json -o >run",
    "answers overlap": "--of @w/visdial_val_references_true.json --visdial @w/visdial_val.json "
    "--dense @w/visdial_val_dense.json --common --cca @cca.npz --json",
    "answers humans": "--judgements @selections.csv --json",
    "answers audit": "--visdial @w/visdial_val.json --dense @w/visdial_val_dense.json --ranks @said/ranks.json "
    "--cca @cca.npz --json",
    "answers plot": "--run @runs/ranked -o >drawn.html",
    "answers show": "--run @runs/answers --run @runs/ranked --references @w/visdial_val_references_true.json --json",
    "answers table": "@runs/answers @runs/others --number 4",
    "answers references": "--visdial @w/visdial_val.json --cca @cca.npz --method M -o >sets.json",
    "answers train": "--visdial @w/visdial_val.json --dense @w/visdial_val_dense.json --images @features.npz "
    f"--encoder {GLOVE} --k 3 -o >cca.npz",
    "answers predict": "--visdial @w/visdial_val.json --train @w/visdial_train.json --cca @cca.npz --model cca-aq "
    "--ranks >ranks.json --generations >said.json",
    "answers densify": "--visdial @w/visdial_val.json --cca @cca.npz -o >sets.parquet",
    "robustness score": "--annotations @w/vqa_val_annotations.json --clean @noisy/clean.json "
    "--noisy @noisy/partition{}.json --control @noisy/control1.json --common --json -o >run",
    "robustness accuracy": "--annotations @w/vqa_val_annotations.json --results @noisy/clean.json --json",
    "robustness r-score": "--clean 60 --noisy 50 --json",
    "robustness rankers": "--annotations @w/vqa_val_annotations.json --ranking lasso=@noisy/partition{}.json "
    "--clean @noisy/clean.json --common",
    "robustness table": "@runs/robustness",
    "robustness plot": "--run @runs/robustness -o >drawn.svg",
    "robustness rank": f"{ASKED} --pool-annotations @w/vqa_train_annotations.json "
    f"--pool-annotations @w/vqa_val_annotations.json --yes-no --encoder {GLOVE} --json -o >ranking.parquet",
    "robustness perturb": "--ranking @ranking.parquet --partition 2 -o >asked.json",
    "robustness helpful": "--ranking @ranking.parquet --questions >asked.json --json",
    "robustness show": "--ranking @ranking.parquet --overlap @ranking.parquet",
    "questions score": "--games @said/games.jsonl --oracle model:@oracle.npz --confusion @runs/oracle -o >run",
    "questions show": "GAME --games @said/games.jsonl --oracle table:@table.jsonl --pictures @w/pictures -o >game.html",
    "questions table": "@runs/questions",
    "questions plot": "--run @runs/questions -o >drawn.html",
    "questions kinds": "--games @said/games.jsonl --keywords @types.tsv --json",
    "questions play": f"--games @w/guesswhat_val.jsonl {SCENES} --questioner keen --json -o >games.jsonl",
    "questions train-oracle": "--games @w/guesswhat_train.jsonl --valid @w/guesswhat_val.jsonl --crops @crops.npz "
    f"{ORACLE} -o >oracle.npz",
    "questions oracle-accuracy": "--games @w/guesswhat_val.jsonl --oracle model:@oracle.npz --json -o >run",
    "questions agreement": "--answers @oracles.csv --json",
    "scorekeeping propositions": f"{TAGGED} --json -o >propositions.json",
    "scorekeeping explain": "'is the dog brown?' 'yes, it is' --caption 'a dog in a park' --json",
    "scorekeeping states": f"{TAGGED} --encoder {GLOVE} -o >states.h5",
    "scorekeeping probe": f"--propositions @propositions.json --states @said/states.h5 --encoder {GLOVE} {PROBE} "
    "--json -o >run",
    "scorekeeping judge": "--propositions @propositions.json --judgements @said/judgements.jsonl --json -o >run",
    "scorekeeping board": f"@runs/probe {TAGGED} --dialogue DIALOGUE -o >board.html",
    "scorekeeping plot": "--propositions @propositions.json --figure turns -o >drawn.svg",
    "scorekeeping humans": "--judgements @judgements.csv --json",
    "scorekeeping table": "@runs/probe",
    "scorekeeping layers": "--run @runs/layer-{} -o >drawn.svg",
    "ask answers": f"--model witness:blind --data @w --samples 2 {ONE} -o >asked",
    "ask robustness": "--model witness:distractible --data @w/vqa_val_annotations.json --data @asked -o >asked "
    "--show nothing --scenes @w/scenes.jsonl",
    "ask questions": f"--model witness:keen --data @w {ONE} -o >asked",
    "ask scorekeeping": f"--model witness:amnesic --data @w {ONE} --turns 2 --pairs 1 -o >asked",
    "ask all": "--model witness:truthful --data @w/visdial_val.json --data @w/visdial_val_references_true.json "
    f"--images @w/pictures {SCENES} {ONE} -o >asked",
    "study make answers": "--human @w/visdial_val_references_true.json --images @w/pictures --human-tasks 3 -o >study",
    "study make questions": "--games @w/guesswhat_val.jsonl --images @w/pictures --tasks 3 --language de -o >study",
    "study make scorekeeping": f"--propositions @propositions.json {TAGGED} --images @w/pictures --tasks 3 -o >study",
    "study invite": "@study --people 1 --json",
    "study serve": "@study --open --until-done --port 0",
    "study status": "@study --json",
    "study collect": "@study --json -o >collected",
    "study revoke": "@study judge-1",
    "study forget": "@forgotten judge-2",
    "exam": "--config @exam.yaml -o >held",
    "init": "@w -o >exam.yaml",
    "validate": "@w/visdial_val.json @said/ranks.json --against @w/visdial_val.json --json",
    "convert": "@said/ranks.json --to ranks -o >converted.json",
    "cache": "",
    "compare": "@runs/answers @runs/others --json",
    "doctor": "--json",
    "plan": "@runs/answers --half-width 0.1 --json",
    "report": "@runs/answers @runs/others --with @w/visdial_val.json --images @w/pictures --format md -o >report.md",
    "list": "@w",
    "models list": "--json",
    "models features": "--pictures @w/pictures -o >map.h5",
    "models train": f"question-only {ANSWERED} --preset small --epochs 1 -o >network.npz",
    "models answer": "@network.npz --features @map.h5 --questions @w/vqa_val_questions.json -o >answers.json",
    "world make": ">world --scenes 3 --json",
    "world answer": f"--witness truthful --questions @w/vqa_val_questions.json {SCENES} -o >said.json",
    "world play": f"--witness keen --games @w/guesswhat_val.jsonl {SCENES} -o >games.jsonl",
    "world survey": f"--dialogues @w/visdial_val.json {SCENES} -o >survey.json",
    "world states": f"--witness noise --dialogues @survey.json {SCENES} -o >states.npz",
}
"""A good call of every verb."""

OTHERS = {
    "answers score": f"--generations @said/several.json {SCORED} --encoder {GLOVE} --within",
    "answers rank": "--visdial @w/visdial_val.json --ranks @said/ranks.json",
    "answers overlap": "--of @w/visdial_val_references_true.json --visdial @w/visdial_val.json "
    "--dense @w/visdial_val_dense.json --common",
    "answers audit": "--visdial @w/visdial_val.json --dense @w/visdial_val_dense.json",
    "robustness score": "--annotations @w/vqa_val_annotations.json --clean @noisy/clean.json "
    "--noisy @noisy/partition{}.json --common",
    "robustness rankers": "--annotations @w/vqa_val_annotations.json --ranking a=@noisy/partition{}.json "
    "--ranking b=@noisy/partition{}.json --common",
    "questions score": "--games @said/games.jsonl --oracle scenes:@w/scenes.jsonl",
    "questions kinds": "--games @said/games.jsonl --against @types.tsv",
    "scorekeeping probe": f"--propositions @propositions.json --states @said/states.h5 --encoder {GLOVE} {PROBE} --all",
    "scorekeeping judge": "--propositions @propositions.json --judgements @said/judgements.jsonl --task PS --turns 0,5",
}
"""Calls of scoring verbs whose items have other columns than those of the good call."""

RESUMED = (
    "answers densify",
    "robustness rank",
    "questions train-oracle",
    "scorekeeping states",
    "scorekeeping probe",
    "exam",
)
"""Verbs that go on where they were when they are killed and called again."""

CONFIG = """
data:
  robustness: {annotations: AT/w/vqa_val_annotations.json}
  questions: {oracle: "scenes:AT/w/scenes.jsonl"}
options:
  robustness: {t: 0.05, m: 20, common: true}
models:
  one:
    robustness: {clean: AT/noisy/clean.json, noisy: "AT/noisy/partition{}.json", control: AT/noisy/control1.json}
  two:
    questions: {games: AT/said/games.jsonl}
"""


def commands() -> dict[str, object]:
    """Every verb of the command, with what it takes."""
    from voirdire.cli.command import Later
    from voirdire.cli.main import app

    def below(command: object, name: str) -> Iterator[tuple[str, object]]:
        command = command.make() if isinstance(command, Later) else command
        inner = getattr(command, "commands", None)
        if inner is None:
            yield name, command
        for key, one in (inner or {}).items():
            yield from below(one, f"{name} {key}".strip())

    return dict(below(typer.main.get_command(app), ""))


def options_of(verb: str) -> list[Any]:
    """What a verb takes with a flag."""
    command: Any = commands()[verb]
    return [
        parameter for parameter in command.params if parameter.param_type_name == "option" and parameter.name != "help"
    ]


def words_of(text: str, material: Path) -> list[str]:
    """The words of a call, those that stand for what the material tells put in."""
    facts = json.loads((material / "facts.json").read_text()) if (material / "facts.json").exists() else {}
    return [facts.get(word, word) for word in shlex.split(text)]


def make_material(folder: Path) -> None:
    """Fill an empty folder."""
    for text in MATERIAL:
        _call([word.replace("@", f"{folder}/") for word in shlex.split(text)], folder)
        if text == MATERIAL[0]:
            _vectors(folder)
    _cache(folder)
    _by_hand(folder)


def hold_parts(material: Path, folder: Path) -> None:
    """Carry out every part that makes a run, and put the runs into an empty folder."""
    from voirdire.exam import exams

    parts = [f"{exam.name} {part.name}" for exam in exams() for part in exam.parts if part.makes == "run"]
    for calls in (CALLS, OTHERS):
        for verb in parts:
            if verb in calls:
                place = folder / f"{verb.replace(' ', '-')}-{'good' if calls is CALLS else 'other'}"
                text = f"{verb} {calls[verb].replace(' --json', '').replace(' -o >run', '')} -o {place}"
                words = [word.replace("@", f"{material}/").replace(">", f"{folder}/") for word in shlex.split(text)]
                _call(words, material)


def _call(words: list[str], folder: Path) -> None:
    environment = {"VOIRDIRE_CACHE": str(folder / "cache")}
    done = forked.call(words, folder, forked.Limits(environment=environment, cpu=120))
    if done.code or done.signal:
        raise RuntimeError(f"voirdire {shlex.join(words)}: {done.err or done.found or done.signal}")


def _vectors(folder: Path) -> None:
    """A table of vectors for the words of the world's questions."""
    asked = [json.loads(path.read_text())["questions"] for path in sorted((folder / "w").glob("vqa_*_questions.json"))]
    words = sorted({word for file in asked for one in file for word in re.findall(r"\w+", one["question"].lower())})
    rng = np.random.default_rng(0)
    lines = [f"{word} {' '.join(f'{number:.4f}' for number in rng.normal(size=48))}" for word in words]
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n")


def _by_hand(folder: Path) -> None:
    """What no call makes."""
    said = json.loads((folder / "said" / "answers.json").read_text())
    several = [text | {"generations": [*text["generations"], "yes", "no", "a red dog", "two"]} for text in said]
    (folder / "said" / "several.json").write_text(json.dumps(several))
    for name, format_ in (
        ("selections.csv", "selections"),
        ("oracles.csv", "oracle_answers"),
        ("types.tsv", "word_types"),
    ):
        (folder / name).write_bytes(format_cases.cases()[format_].seeds()[0])
    (folder / "judgements.csv").write_bytes(format_cases.cases()["judgements"].seeds()[0])
    rng = np.random.default_rng(0)
    scenes = _lines(folder / "w" / "scenes.jsonl")
    images = np.array([scene["id"] for scene in scenes])
    np.savez(folder / "features.npz", image_ids=images, features=rng.normal(size=(len(images), 4)).astype("f4"))
    games = [*_lines(folder / "w" / "guesswhat_train.jsonl"), *_lines(folder / "w" / "guesswhat_val.jsonl")]
    objects = np.unique([thing["id"] for game in games for thing in game["objects"]])
    np.savez(folder / "crops.npz", object_ids=objects, features=rng.normal(size=(len(objects), 4)).astype("f4"))
    played = _lines(folder / "said" / "games.jsonl")
    with (folder / "table.jsonl").open("w") as file:
        for game in played:
            for place in range(len(game["qas"])):
                said = {str(thing["id"]): ("yes", "no")[(thing["id"] + place) % 2] for thing in game["objects"]}
                line = {"game_id": game["id"], "question": place, "answers": said}
                file.write(json.dumps(line) + "\n")
    _judge_all(folder / "study")
    # Whoever is deleted there is missed by no other call.
    _judge_all(folder / "forgotten")
    _judged(folder)
    (folder / "exam.yaml").write_text(CONFIG.replace("AT", str(folder)))
    facts = {"GAME": str(played[0]["id"]), "DIALOGUE": _dialogue(folder)}
    (folder / "facts.json").write_text(json.dumps(facts))


def _judge_all(folder: Path) -> None:
    """A study in which two people have judged all."""
    from voirdire.study.database import JudgedStore, Message
    from voirdire.study.folder import open_study

    store = JudgedStore(open_study(folder))
    for invited in store.invite(2):
        person = store.judge_of(invited.token)
        while (place := store.next(person)) is not None:
            store.record(person, Message(place.number, 1, ("yes", "no"), done=True))
    store.close()


def _judged(folder: Path) -> None:
    """What a model says of the propositions: now yes, now no, and now and then nothing."""
    with (folder / "said" / "judgements.jsonl").open("w") as file:
        for dialogue, records in json.loads((folder / "propositions.json").read_text())["dialogues"].items():
            for index in records:
                for turn in range(6):
                    for number, question in enumerate(("truth", "sharing")):
                        value = ("yes", "no", None)[(int(index) + turn + number) % 3]
                        point = {"dialogue": int(dialogue), "turn": turn, "index": int(index)}
                        file.write(json.dumps({**point, "question": question, "value": value}) + "\n")


def _dialogue(folder: Path) -> str:
    """A dialogue that the probe was tested on."""
    for dialogue in json.loads((folder / "propositions.json").read_text())["dialogues"]:
        words = ["scorekeeping", "board", str(folder / "runs" / "probe"), "--dialogue", dialogue]
        if forked.call(words, folder).code == 0:
            return str(dialogue)
    raise RuntimeError("the probe was tested on no dialogue")


def _cache(folder: Path) -> None:
    """A cache that holds a few vectors."""
    from voirdire.text.cache import VectorCache

    vectors = np.eye(3, dtype="f4")
    VectorCache(folder / "cache").of("made", "up").write(["a", "b", "c"], vectors)


def _lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]

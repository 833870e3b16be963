"""Seeds of VQA, GuessWhat?!, COCO, 20 questions, states and judgements for the mutation of formats."""

import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from format_cases import Case

from voirdire.formats.states import States, write_states

__all__ = ["CASES"]


def encode(value: Any) -> bytes:
    return json.dumps(value).encode()


def as_lines(records: list[Any]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records)


def head_lines(count: int) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(data.splitlines(keepends=True)[:count])


def head_under(key: str, count: int) -> Callable[[bytes], bytes]:
    """Cuts the first records of the list under a key."""

    def cut(data: bytes) -> bytes:
        document = json.loads(data)
        return encode({**document, key: document[key][:count]})

    return cut


def head_entries(count: int) -> Callable[[bytes], bytes]:
    """Cuts the first entries of an object."""
    return lambda data: encode(dict(list(json.loads(data).items())[:count]))


def head_groups(data: bytes) -> bytes:
    """Cuts the first questions of each group."""
    return encode({name: dict(list(group.items())[:2]) for name, group in json.loads(data).items()})


def without(names: set[str], count: int) -> Callable[[bytes], bytes]:
    """Cuts the first lines, less the fields that are passed over."""

    def drop(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: drop(inner) for key, inner in value.items() if key not in names}
        return [drop(inner) for inner in value] if isinstance(value, list) else value

    return lambda data: as_lines([drop(json.loads(line)) for line in data.splitlines()[:count]])


def vqa_questions() -> list[bytes]:
    rows = [{"question_id": 10 + i, "image_id": 1, "question": f"Is cup {i} red?"} for i in range(3)]
    meta = {"info": {"year": 2020}, "license": None, "task_type": "Open-Ended"}
    return [encode({"questions": [{**row, "split": "val"} for row in rows]}), encode({**meta, "questions": rows})]


def vqa_annotations() -> list[bytes]:
    answers = [
        {"answer": "no" if i == 4 else "yes", "answer_confidence": "maybe", "answer_id": i + 1} for i in range(10)
    ]
    types = {"question_type": "is the", "answer_type": "yes/no", "multiple_choice_answer": "yes"}
    rows = [{"question_id": 10 + i, "image_id": 1, **types, "answers": answers} for i in range(2)]
    return [encode({"annotations": rows, "data_subtype": "val2014"})]


def vqa_results() -> list[bytes]:
    rows = [{"question_id": 10 + i, "answer": f"{i} cups"} for i in range(3)]
    return [encode(rows), as_lines(rows)]


def games(layout: int) -> bytes:
    box = {"category": "cup", "category_id": 47, "area": 30.5, "bbox": [1.0, 2.5, 10, 4]}
    qas = [("Is it a cup?", "Yes"), ("Is it red?", "no"), ("How many?", "N/A")]
    common = {"object_id": 8, "status": "success", "guess_object_id": 8}
    if layout == 1:
        asked = [{"question": q, "answer": a, "id": i} for i, (q, a) in enumerate(qas)]
        image = {"id": 5, "width": 64, "height": 48, "file_name": "5.jpg"}
        rest = {"image": image, "objects": [{"id": id_, **box} for id_ in (7, 8)], "qas": asked}
        return as_lines([{"id": id_, **common, **rest} for id_ in (1, 2)])
    asked = [{"q": q, "a": a, "id": i} for i, (q, a) in enumerate(qas)]
    rest = {"picture": {"width": 64, "height": 48}, "picture_id": 5, "objects": {"7": box, "8": box}, "qas": asked}
    return as_lines([{"dialogue_id": id_, **common, **rest} for id_ in (1, 2)])


def game_logs() -> list[bytes]:
    qas = [{"question": "is it a cup ?", "answer": "yes"}, {"question": "is it red ?", "answer": "no"}]
    where = {"image_id": 5, "target_category": "cup", "target_center_xy_ybottom": [4.5, 6]}
    by_index = [{"index": i, "qas": qas, **where, "status": "failure"} for i in (0, 1)]
    by_object = [
        {"log": "a", "image_id": 5, "target_id": 8, "guess_id": guess, "success": guess == 8, "qas": qas}
        for guess in (8, 9)
    ]
    return [as_lines(by_index), as_lines(by_object)]


def coco() -> list[bytes]:
    images = [{"id": 5, "width": 64, "height": 48, "file_name": "5.jpg"}, {"id": 6, "width": 10, "height": 10}]
    box = {"category_id": 47, "area": 30.5, "bbox": [1.0, 2.5, 8, 4]}
    boxes = [{"id": 10 + i, "image_id": image, **box, "iscrowd": i % 2} for i, image in enumerate((5, 5, 6))]
    return [encode({"images": images, "annotations": boxes, "categories": json.loads(coco_categories()[0])})]


def coco_categories() -> list[bytes]:
    return [
        encode(
            [
                {"id": 47, "name": "cup", "supercategory": "kitchen"},
                {"id": 1, "name": "person", "supercategory": "person"},
            ]
        )
    ]


def twenty_questions() -> list[bytes]:
    answers = [{"elk": "no", "hen": "yes"}, {"elk": "n/a", "hen": "no"}]
    questions = [
        {"question_step": i, "question": f"Is it {i}?", "item_specific_answers": given}
        for i, given in enumerate(answers, start=1)
    ]
    game = {"candidates": ["elk", "hen"], "target": "hen", "questions": questions}
    return [encode([{"dialogue_id": id_, **game} for id_ in (1, 2)])]


def twenty_questions_text() -> list[bytes]:
    lines = ["target = hen", "answerer: This is the list of candidates: elk, hen.", "questioner: Is it a bird?"]
    end = ["answerer: Yes.", "questioner: Is it a hen?", "answerer: Yes! That is right."]
    return ["".join(f"{line}\n" for line in ["*" * 18, *lines, "*" * 18, *lines, *end]).encode()]


def judgements() -> list[bytes]:
    head = (
        "username,timestamp,split,dlg_idx,turn_idx,prop_idx,content,content_gold,shared,shared_gold,turn_shared,"
        "rule,type,qa_fact,question,answer,prop"
    )
    rows = [
        f"{judge},10:0{turn}:00,test,{turn},3,4,1,0,1,{int(turn <= 3)},{turn},there,direct contradiction,negative,"
        '"Is there a cup, or two?",No.,There is a cup.'
        for judge in ("A1", "B2")
        for turn in (2, 5)
    ]
    return ["\n".join([head, *rows, ""]).encode()]


def model_judgements() -> list[bytes]:
    said = {"truth": ("yes", "logprobs", "Yes."), "sharing": (None, "text", "I cannot say.")}
    rows = [
        {"dialogue": 4, "turn": turn, "index": 1, "question": question, "value": value, "how": how, "text": text}
        for turn in (0, 3)
        for question, (value, how, text) in said.items()
    ]
    return [as_lines([{**row, "proposition": "there is a cup."} for row in rows]), encode(rows)]


def states() -> list[bytes]:
    record = States(np.random.default_rng(3).normal(size=(3, 11, 4)).astype(np.float32))
    files = []
    with tempfile.TemporaryDirectory() as folder:
        for ending in (".npz", ".h5"):
            write_states(record, Path(folder) / f"states{ending}")
            files.append((Path(folder) / f"states{ending}").read_bytes())
    packed = io.BytesIO()
    np.savez_compressed(packed, z=record.states.astype(np.float16), ids=np.arange(3))
    return [*files, packed.getvalue()]


def features() -> list[bytes]:
    files = []
    for name in ("image_ids", "object_ids"):
        packed = io.BytesIO()
        np.savez(packed, **{name: np.arange(3)}, features=np.ones((3, 4), np.float32))
        files.append(packed.getvalue())
    return files


GAME = {"segment", "coco_url", "flickr_url", "timestamp", "questioner_id"}
LOG = {"info_gain", "attn_top10", "guess_prob"}
VQA = "vqa/"
LSTM = "vqa/lstm_baseline_val100k/"
WORDS = b"above\tspatial\ncup\tobject\nbaseball bat\tobject\norange\tcolor\norange\tobject\n"

CASES = (
    Case(
        "vqa_questions",
        vqa_questions,
        real=(
            (VQA + "okvqa_train_questions.json", head_under("questions", 3)),
            (VQA + "vqa2_subset_valid_questions.json.gz", head_under("questions", 3)),
        ),
    ),
    Case(
        "vqa_annotations",
        vqa_annotations,
        real=((VQA + "vqa2_subset_valid_annotations.json.gz", head_under("annotations", 2)),),
    ),
    Case("vqa_results", vqa_results),
    Case(
        "vqa_predictions",
        lambda: [encode({"10": ["two", "cups"], "11": [], "12": ["red"]})],
        real=((LSTM + "predictions.json", head_entries(5)),),
    ),
    Case(
        "vqa_accuracies",
        lambda: [encode({"10": 100.0, "11": 0, "12": 33.3})],
        real=((LSTM + "eval_qa.json", head_entries(5)),),
    ),
    Case(
        "vqa_grouped_accuracies",
        lambda: [encode({"is the": {"10": 100.0, "11": 0}, "what": {"12": 33.3}})],
        real=((LSTM + "ans_type.json", head_groups),),
    ),
    Case(
        "vqa_totals",
        lambda: [encode({"overall": 45.5, "perQuestionType": {"is the": 50}, "perAnswerType": {"yes/no": 40.25}})],
        real=((LSTM + "accuracy.json", bytes),),
    ),
    Case(
        "question_types",
        lambda: [b"is the\nwhat\nnone of the above\n"],
        suffix=".txt",
        real=((VQA + "mscoco_question_types.txt", bytes),),
    ),
    Case(
        "guesswhat",
        lambda: [games(1), games(2)],
        suffix=".jsonl",
        real=(("guesswhat/guesswhat_full_games_2.jsonl", without(GAME, 2)),),
    ),
    Case(
        "game_logs",
        game_logs,
        suffix=".jsonl",
        real=(
            ("guesswhat/human_100_games.jsonl", head_lines(3)),
            ("guesswhat/vdst_1606_games.jsonl", without(LOG, 3)),
        ),
    ),
    Case(
        "oracle_answers",
        lambda: [b"gid,pos,QSp,question_id,human,LX\n7,0,<no>,70,<no>,<n/a>\n7,1,<yes>,71,<no>,<yes>\n"],
        suffix=".csv",
        real=(("guesswhat/oracle_answers_test.csv.gz", head_lines(5)),),
    ),
    Case(
        "oracle_qa",
        lambda: [
            as_lines(
                [
                    {"question_id": i, "question": "Is it red?", "answer": i, "category": 46}
                    | {"bbox": [0.25, 0.5, 0.75, 0.125], "width": 64, "height": 48}
                    for i in range(3)
                ]
            )
        ],
        suffix=".jsonl",
        real=(("guesswhat/oracle_qa_101.jsonl", head_lines(4)),),
    ),
    Case(
        "history_questions",
        lambda: [b'question_id,game_id,question\n70,7,the next one?\n71,7,"left, or right?"\n'],
        suffix=".csv",
        real=(("guesswhat/GWHist.csv", head_lines(6)),),
    ),
    Case(
        "word_types",
        lambda: [WORDS],
        suffix=".tsv",
        real=(("guesswhat/shekhar2019_word_annotation.tsv", head_lines(9)),),
    ),
    Case(
        "twenty_questions",
        twenty_questions,
        real=(
            (
                "guesswhat/twenty_questions/8_mcrae_oracle_annotations.json",
                lambda data: encode(json.loads(data)[:2]),
            ),
        ),
    ),
    Case(
        "twenty_questions_text",
        twenty_questions_text,
        suffix=".txt",
        real=(("guesswhat/twenty_questions/8_mcrae_dialogues.txt", head_lines(17)),),
    ),
    Case("coco", coco),
    Case(
        "coco_categories",
        coco_categories,
        real=(("guesswhat/coco_categories_80_with_supercategory.json", lambda data: encode(json.loads(data)[:4])),),
    ),
    Case("states", states, suffix=".npz"),
    Case("features", features, suffix=".npz"),
    Case(
        "judgements",
        judgements,
        suffix=".csv",
        real=(("scorekeeping/human_judgements.csv", head_lines(6)),),
    ),
    Case("model_judgements", model_judgements, suffix=".jsonl"),
)

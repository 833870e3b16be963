"""Seeds of the VisDial family for the mutation of formats."""

import json
from collections.abc import Callable
from typing import Any

from format_cases import Case

__all__ = ["CASES"]


def encode(value: Any) -> bytes:
    return json.dumps(value).encode()


def as_lines(records: list[Any]) -> bytes:
    return b"".join(encode(record) + b"\n" for record in records)


def head(count: int) -> Callable[[bytes], bytes]:
    """Cuts the first records of a JSON list."""
    return lambda data: encode(json.loads(data)[:count])


def head_of(*round_ids: int) -> Callable[[bytes], bytes]:
    """Cuts the first record of each of these rounds."""

    def cut(data: bytes) -> bytes:
        records = json.loads(data)
        return encode([next(record for record in records if record["round_id"] == id_) for id_ in round_ids])

    return cut


def head_lines(count: int) -> Callable[[bytes], bytes]:
    return lambda data: b"".join(data.splitlines(keepends=True)[:count])


def head_dialogues(data: bytes) -> bytes:
    """Cuts the first dialogue with its options, and the pools that it needs."""
    document = json.loads(data)
    dialogue = document["data"]["dialogs"][0]
    dialogue["dialog"] = dialogue["dialog"][:3]
    answers: dict[int, int] = {}
    questions: dict[int, int] = {}
    for round_ in dialogue["dialog"]:
        round_["question"] = questions.setdefault(round_["question"], len(questions))
        round_["answer_options"] = [answers.setdefault(place, len(answers)) for place in round_["answer_options"]]
        round_["answer"] = answers[round_["answer"]]
    pools = document["data"]
    pools["questions"] = [pools["questions"][place] for place in questions]
    pools["answers"] = [pools["answers"][place] for place in answers]
    pools["dialogs"] = [dialogue]
    return encode(document)


def visdial() -> list[bytes]:
    answers = [f"answer {place}" for place in range(120)]
    rounds = [
        {"question": 0, "answer": 7, "gt_index": 7, "answer_options": list(range(100))},
        {"question": 2, "answer": 20, "gt_index": 0, "answer_options": list(range(20, 120))},
    ]
    test = [{"question": 1, "answer": 3}, {"question": 1, "answer_options": list(range(100))}]
    files = []
    for split, dialog in (("val2018", rounds), ("test2018", test)):
        dialogs = [{"image_id": image, "caption": f"scene {image}", "dialog": dialog} for image in (11, 12)]
        pools = {"questions": ["is it red", "what is it", "how many"], "answers": answers}
        files.append(encode({"version": "1.0", "split": split, "data": {**pools, "dialogs": dialogs}}))
    return files


def both(records: list[Any]) -> list[bytes]:
    """The records as a list and as lines."""
    return [encode(records), as_lines(records)]


def visdial_text() -> list[bytes]:
    turns = ["a cup on a table", "is it red? yes", "how many cups? just one"]
    return both([{"img": f"val/{image:012}.jpg", "dialog": turns} for image in (5, 6, 7)])


def dense() -> list[bytes]:
    values = [0.0] * 97 + [0.2, 0.6, 1.0]
    files = []
    for name in ("gt_relevance", "relevance"):
        files += both([{"image_id": 5 + i, "round_id": i, name: values} for i in (1, 4, 10)])
    return files


def ranks() -> list[bytes]:
    return both([{"image_id": 5, "round_id": i, "ranks": [*range(i, 101), *range(1, i)]} for i in (1, 4, 10)])


def scores() -> list[bytes]:
    return both([{"image_id": 5, "round_id": i, "scores": [0.25 * i, -1.5, *range(98)]} for i in (1, 4, 10)])


def selections() -> list[bytes]:
    head = "image_id,round_id,set,judge,candidate,selected"
    cells = [
        f"5,{i},{name},{judge},{candidate},{int(judge != candidate)}"
        for i, name in ((0, "H"), (4, "S"))
        for judge in "ab"
        for candidate in ("a", '"yes, it is"')
    ]
    return ["".join(f"{row}\n" for row in (head, *cells)).encode()]


def generations() -> list[bytes]:
    return both([{"image_id": 5, "round_id": i, "generations": ["yes", f"no, {i}"]} for i in (0, 4, 9)])


def references() -> list[bytes]:
    flags = [1, 1] + [0] * 98
    texts = {"refs": ["yes", "sure"], "question": "is it red", "gt_answer": "yes"}
    return both([{"image_id": 5, "round_id": i, "in_cluster_idxs": flags, **texts} for i in (0, 4, 9)])


def propositions() -> list[bytes]:
    def pair(sentences: tuple[str, str], turn: int, fact: str | None) -> list[dict[str, Any]]:
        return [
            {"proposition": one, "a_thinks_true": truth, "turn_shared": turn, "rule": "there", "qa_fact": fact}
            for one, truth in zip(sentences, (1, 0), strict=True)
        ]

    cups, elks = ("there are cups.", "there are no cups."), ("there is no elk: none.", "there is an elk.")
    records = [*pair(cups, 0, None), *pair(cups, 3, "positive"), *pair(elks, 10, "negative")]
    first = {str(place): record for place, record in enumerate(records)}
    second = {str(place): record for place, record in enumerate(records[:2])}
    return [encode({"orig_data": "v", "set": "val", "dialogues": {"0": first, "7": second}})]


def vispro() -> list[bytes]:
    sentences = [["A", "dog", "runs", "."], ["Is", "it", "brown", "?"], ["Yes", "it", "is", "."]]
    names = ("caption", "question", "answer")
    pronouns = [
        {"current_pronoun": [5, 5], "candidate_NPs": [[0, 1]], "reference_type": 0, "correct_NPs": [[0, 1]]},
        {"current_pronoun": [9, 9], "candidate_NPs": [[0, 1]], "reference_type": 2, "correct_NPs": []},
    ]
    record = {
        "pronoun_info": [{**pronoun, "not_discussed": False} for pronoun in pronouns],
        "sentences": sentences,
        "image_file": "COCO_val2014_000000000005.jpg",
        "clusters": [[[0, 1], [5, 5]]],
        "speakers": [[name] * len(sentence) for name, sentence in zip(names, sentences, strict=True)],
        "correct_caption_NPs": [[0, 1]],
        "object_detection": [1, 18],
    }
    return [as_lines([{**record, "doc_key": f"key:{number}"} for number in range(3)])]


def conv_judgements() -> list[bytes]:
    return [b"img,judge,response\n5,0,1\n5,1,2\n6,0,6\n"]


def image_ids() -> list[bytes]:
    return [b"5\n6\n700\n", b"12"]


CONV = "visdial/visdialconv/"

CASES = (
    Case(
        "visdial",
        visdial,
        real=(
            ("visdial/visdial_1.0_val_first50.json", head_dialogues),
            (CONV + "visdial_1.0_val_crowdsourced.json", head_dialogues),
        ),
    ),
    Case(
        "visdial_text",
        visdial_text,
        real=(("visdial/dialogues/visdial_1.0_val_text.json", head(3)),),
    ),
    Case(
        "dense",
        dense,
        real=((CONV + "visdial_1.0_val_dense_annotations_crowdsourced.json", head_of(1, 4, 10)),),
    ),
    Case("ranks", ranks, real=(("visdial/ranks/vdbert_test_ranks.json", head_of(3, 10)),)),
    Case("scores", scores),
    Case("selections", selections, suffix=".csv"),
    Case(
        "generations",
        generations,
        real=(("visdial/dialogues/blip2_val_generations.json", head_of(0, 1, 9)),),
    ),
    Case(
        "references",
        references,
        real=(("visdial/dense/refs_S_human_train.json", head_of(0, 5)),),
    ),
    Case("propositions", propositions),
    Case(
        "vispro",
        vispro,
        suffix=".jsonl",
        real=(("visdial/vispro/val.vispro.1.1.jsonlines", head_lines(2)),),
    ),
    Case(
        "conv_judgements",
        conv_judgements,
        suffix=".csv",
        real=((CONV + "visdialconv_raw_amt_annotations.csv", head_lines(8)),),
    ),
    Case(
        "image_ids",
        image_ids,
        suffix=".txt",
        real=((CONV + "crowdsourced_image_ids.txt", head_lines(5)),),
    ),
)

"""Each supported source: a small file in its layout becomes an official one, which `validate` finds good."""

import csv
import io
import json
import random
import zipfile

import pytest

from voirdire.conversion import layouts
from voirdire.conversion.convert import convert
from voirdire.conversion.layouts import PLAIN, ConvertOptions, Layout, layout_of, layouts_by_name
from voirdire.errors import InputError, UsageError
from voirdire.formats.generations import read_generations
from voirdire.formats.option_numbers import read_ranks
from voirdire.formats.vqa_results import read_vqa_results
from voirdire.validation import examine, validate

ASKED = [
    (123456000, 123456, "Is the bus red?", "Yes, it is."),
    (123456001, 123456, "How many people are there?", "There are two."),
    (789000, 789, "What is on the table?", "A cat."),
]
EXPECTED = {id_: answer for id_, _, _, answer in ASKED}
HINT = "\nAnswer the question using a single word or phrase."


def name_of(image):
    return f"COCO_val2014_{image:012d}.jpg"


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def table(delimiter, head, rows):
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=delimiter).writerows([head, *rows])
    return file.getvalue().encode()


def sample(number, row, **more):
    """A sample of an Inspect log."""
    _, image, question, answer = row
    parts = [{"type": "image", "image": "data:image/png;base64,AA"}, {"type": "text", "text": question}]
    return {
        "id": number,
        "epoch": 1,
        "input": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": parts}],
        "target": "",
        "output": {"model": "m", "choices": [{"message": {"role": "assistant", "content": answer}}], **more},
        "metadata": {"image_id": image},
    }


def inspect_log():
    samples = [sample(number, row, completion=row[3]) for number, row in enumerate(ASKED, start=1)]
    return json.dumps({"version": 2, "status": "success", "eval": {"task": "vqa"}, "samples": samples}).encode()


def inspect_archive(first=1):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for number, row in enumerate(ASKED, start=first):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample(number, row)))
    return file.getvalue()


SOURCES = {
    "llava": lines(
        {
            "question_id": id_,
            "prompt": question + HINT,
            "text": answer,
            "answer_id": "a1",
            "model_id": "m",
            "metadata": {},
        }
        for id_, _, question, answer in ASKED
    ),
    "lmms_eval": lines(
        {
            "doc_id": place,
            "doc": {"question_id": id_, "question": question},
            "target": "",
            "arguments": [question + HINT, {"max_new_tokens": 16}],
            "resps": [[answer]],
            "filtered_resps": [answer],
            "doc_hash": "h",
        }
        for place, (id_, _, question, answer) in enumerate(ASKED)
    ),
    "lm_eval": lines(
        {
            "doc_id": place,
            "doc": {"question": question, "image_path": f"val/{name_of(image)}"},
            "target": "",
            "arguments": {"gen_args_0": {"arg_0": question + HINT, "arg_1": {}}},
            "resps": [[answer]],
            "filtered_resps": [answer],
            "filter": "none",
            "metrics": ["exact_match"],
        }
        for place, (_, image, question, answer) in enumerate(ASKED)
    ),
    "openai_batch": lines(
        {
            "id": "batch_1",
            "custom_id": str(id_),
            "response": {
                "status_code": 200,
                "body": {"choices": [{"message": {"role": "assistant", "content": answer}}]},
            },
            "error": None,
        }
        for id_, _, _, answer in ASKED
    ),
    "vlmevalkit": table(
        "\t",
        ["index", "image_path", "question", "answer", "prediction"],
        [
            (place, name_of(image), question, "the truth", answer)
            for place, (_, image, question, answer) in enumerate(ASKED)
        ],
    ),
    "inspect": inspect_log(),
    "inspect-eval": inspect_archive(),
    "plain": table(
        ",",
        ["image", "question", "answer"],
        [(name_of(image), question, answer) for _, image, question, answer in ASKED],
    ),
    "plain-list": json.dumps(
        [{"qid": str(id_), "response": answer, "answer": "truth"} for id_, _, _, answer in ASKED]
    ).encode(),
    "words": json.dumps({str(id_): answer.split() for id_, _, _, answer in ASKED}).encode(),
    "words-texts": json.dumps({str(id_): answer for id_, _, _, answer in ASKED}).encode(),
}
"""A file in each layout."""

IN_NEED = {"lm_eval", "vlmevalkit", "inspect", "inspect-eval", "plain"}
"""Those whose records have no id of their question."""


@pytest.fixture
def questions(tmp_path):
    path = tmp_path / "questions.json"
    rows = [{"question_id": id_, "image_id": image, "question": question} for id_, image, question, _ in ASKED]
    path.write_text(json.dumps({"questions": rows}))
    return path


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_becomes_vqa_results(tmp_path, questions, name):
    source, made = tmp_path / "source", tmp_path / "made.json"
    source.write_bytes(SOURCES[name])
    (examined,) = validate(source).files
    if name != "words":  # That one is known, as `vqa_predictions`.
        assert not examined.ok
        hint = examined.problems[-1].hint
        assert "(vqa_results)" in hint
        assert f"voirdire convert {source} --to vqa_results" in hint
        assert ("--against QUESTIONS" in hint) == (name in IN_NEED)
    options = ConvertOptions("vqa_results", against=str(questions))
    done = convert(source, made, options)
    results = read_vqa_results(made)
    assert dict(zip(results.question_ids.tolist(), results.answers, strict=True)) == EXPECTED
    assert (done.read, done.written, done.records, dict(done.left_out)) == (3, 3, 3, {})
    assert f"({name.partition('-')[0]})" in done.layout
    assert validate([made], against=questions).ok


@pytest.mark.parametrize("name", sorted(set(SOURCES) - IN_NEED))
def test_ids_that_are_there_need_no_questions(tmp_path, name):
    source, made = tmp_path / "source", tmp_path / "made.json"
    source.write_bytes(SOURCES[name])
    done = convert(source, made, ConvertOptions("vqa_results"))
    assert dict(done.ids) == {"as they are": 3}
    assert len(read_vqa_results(made)) == 3


@pytest.mark.parametrize("name", sorted(IN_NEED))
def test_places_are_not_taken_for_ids(tmp_path, name):
    source = tmp_path / "source"
    source.write_bytes(SOURCES[name])
    with pytest.raises(InputError, match="expected what can be question_id"):
        convert(source, tmp_path / "made.json", ConvertOptions("vqa_results"))
    assert not (tmp_path / "made.json").exists()


def test_a_place_is_an_id_where_the_call_says_so(tmp_path):
    source, made = tmp_path / "source.tsv", tmp_path / "made.json"
    source.write_bytes(SOURCES["vlmevalkit"])
    done = convert(source, made, ConvertOptions("vqa_results", {"question_id": "index"}))
    assert read_vqa_results(made).question_ids.tolist() == [0, 1, 2]
    assert any("maybe places in a run" in note for note in done.notes)


def test_the_truth_is_not_taken_for_the_answer(tmp_path):
    source = tmp_path / "source.json"
    source.write_bytes(SOURCES["plain-list"])
    done = convert(source, tmp_path / "made.json", ConvertOptions("vqa_results"))
    assert done.paths["answer"] == "response"
    assert any("not answer, which may be the truth" in note for note in done.notes)


def test_samples_of_an_archive_are_in_the_order_of_their_numbers(tmp_path):
    source = tmp_path / "log.eval"
    source.write_bytes(inspect_archive(first=9))
    done = convert(source, tmp_path / "made.json", ConvertOptions("vqa_results"))
    assert [place for place, _ in done.examples] == [f"samples/{number}_epoch_1.json" for number in (9, 10, 11)]


def test_a_log_packed_with_zstd_says_what_to_do(tmp_path):
    data = bytearray(inspect_archive())
    for magic, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):  # The way of packing, in both heads of each entry.
        at = -1
        while (at := data.find(magic, at + 1)) >= 0:
            data[at + offset : at + offset + 2] = (93).to_bytes(2, "little")
    source = tmp_path / "log.eval"
    source.write_bytes(bytes(data))
    with pytest.raises(InputError, match="inspect log convert LOG --to json"):
        convert(source, tmp_path / "made.json", ConvertOptions("vqa_results"))


def test_a_workbook_without_its_reader_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    source = tmp_path / "table.xlsx"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(InputError, match="pip install openpyxl"):
        convert(source, tmp_path / "made.json", ConvertOptions("vqa_results"))


def test_a_workbook(tmp_path, questions):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(SOURCES["vlmevalkit"].decode()), delimiter="\t"):
        book.active.append(row)
    book.save(tmp_path / "table.xlsx")
    convert(tmp_path / "table.xlsx", tmp_path / "made.json", ConvertOptions("vqa_results", against=str(questions)))
    assert (
        dict(zip(read_vqa_results(tmp_path / "made.json").question_ids.tolist(), EXPECTED.values(), strict=True))
        == EXPECTED
    )


# Dialogues.

TALK = [
    {
        "img": "VisualDialog_val2018_000000000042.jpg",
        "dialog": ["a cat", "is it big? no", "what color? black", "is it big? no"],
    },
    {"img": "VisualDialog_val2018_000000000073.jpg", "dialog": ["a bus", "is it red? yes", "what color? red"]},
]


@pytest.fixture
def dialogues(tmp_path):
    path = tmp_path / "dialogues.json"
    path.write_text(json.dumps(TALK))
    return path


def test_rounds_are_found_by_image_and_question(tmp_path, dialogues):
    source, made = tmp_path / "said.csv", tmp_path / "made.json"
    said = [
        ("000000000042.jpg", "Is it big?", "small"),
        ("000000000073.jpg", "what color?", "crimson"),
        ("000000000042.jpg", "Is it big?", "no"),
        ("000000000042.jpg", "What color", "black"),
    ]
    source.write_bytes(table(",", ["img", "question", "response"], said))
    done = convert(source, made, ConvertOptions("generations", against=str(dialogues)))
    found = read_generations(made)
    rows = zip(found.image_ids.tolist(), found.rounds.tolist(), found.texts, strict=True)
    assert sorted(rows) == [(42, 0, "small"), (42, 1, "black"), (42, 2, "no"), (73, 1, "crimson")]
    assert done.ids["by image and question"] == 2
    assert any("has 1 round more" in note for note in done.notes)


def test_rounds_by_their_ids_and_several_answers(tmp_path):
    source, made = tmp_path / "said.jsonl", tmp_path / "made.json"
    source.write_bytes(lines({"image": name_of(7), "turn": str(at), "generations": ["a", "b"]} for at in range(10)))
    convert(source, made, ConvertOptions("generations"))
    found = read_generations(made)
    assert (found.base, found.image_ids.tolist(), found.of(9)) == (0, [7] * 10, ["a", "b"])


@pytest.mark.parametrize("start", [0, 1])
def test_rankings_for_the_challenge(tmp_path, start):
    source, made = tmp_path / "ranks.json", tmp_path / "made.json"
    rows = [{"image_id": "12", "round_id": at, "ranks": [start + 1.0, start, str(start + 2)]} for at in range(1, 11)]
    source.write_text(json.dumps({"predictions": rows}))
    done = convert(source, made, ConvertOptions("ranks"))
    assert "(evalai_ranks)" in done.layout
    assert read_ranks(made).ranks.tolist() == [[2, 1, 3]] * 10
    assert bool(done.notes) == (start == 0)


def test_scores(tmp_path):
    source, made = tmp_path / "scores.jsonl", tmp_path / "made.json"
    source.write_bytes(lines({"image_id": 3, "round_id": at, "logits": [0.5, -1.0]} for at in range(10)))
    done = convert(source, made, ConvertOptions("scores"))
    assert done.holds.startswith("scores of 2 options in 10 rounds")


JUNK = [
    *(b"{", b"}", b"[", b"]", b"null", b"1e999", b'"', b",", b"\n", b"\x00", b"\xff", b"[[[[", b"-1", b"true", b"NaN"),
    *(b"\\ud800", b"9" * 23, b":", b"\t", b'{"a":1}'),
]


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused(tmp_path, questions, seed):
    """What is written is good; what is refused is refused by an error that names the file."""
    draw, source, made = random.Random(seed), tmp_path / "damaged", tmp_path / "made.json"
    written, refusals = 0, list[str]()
    for _ in range(150):
        data = bytearray(draw.choice(list(SOURCES.values())))
        for _ in range(draw.randint(1, 4)):
            at = draw.randrange(len(data) + 1)
            end = draw.choice([at, at + draw.randint(1, 20), len(data)])
            data[at:end] = b"" if draw.random() < 0.4 else draw.choice(JUNK)
        source.write_bytes(bytes(data))
        assert examine(source).path == str(source)
        options = ConvertOptions("vqa_results", against=str(questions), leave_out=draw.random() < 0.7)
        try:
            convert(source, made, options)
        except InputError as error:
            refusals.append(str(error))
        else:
            written += 1
            assert examine(made).ok
    assert written
    assert [text for text in refusals if str(source) not in text] == []


class Point:
    """An entry point of another package."""

    def __init__(self, name, found):
        self.name, self.found = name, found

    def load(self):
        return self.found


@pytest.fixture
def installed(monkeypatch):
    """Lets other packages bring layouts for as long as a test lasts."""

    def bring(**points):
        made = [Point(name, found) for name, found in points.items()]
        monkeypatch.setattr(layouts, "entry_points", lambda group: made if group == "voirdire.layouts" else [])
        layouts._others.cache_clear()

    yield bring
    layouts._others.cache_clear()


def test_other_packages_add_layouts_and_ours_are_found_as_before(installed):
    paths = {"question_id": ("qid",), "answer": ("text",)}
    more = Layout("more", "more", frozenset({"question_id", "text", "notebook"}), paths)
    fewer = Layout("fewer", "fewer", frozenset({"question_id"}), paths)
    none = Layout("none", "none", frozenset(), paths)
    installed(more=more, fewer=fewer, none=none)
    assert list(layouts_by_name())[-4:] == ["plain", "fewer", "more", "none"]
    assert layout_of(["question_id", "text"]).name == "llava"
    assert layout_of(["question_id", "text", "notebook"]) is more
    assert layout_of(["question_id"]) is fewer
    assert layout_of(["x"]) is PLAIN
    assert ConvertOptions("vqa_results", layout="more").layout == "more"


def test_what_is_no_layout_or_is_called_as_another_is_refused(installed):
    installed(odd="a text")
    with pytest.raises(UsageError, match=r"the entry point odd of voirdire\.layouts must name a Layout, got str"):
        layouts_by_name()
    installed(mine=Layout("llava", "mine", frozenset({"x"}), {}))
    with pytest.raises(UsageError, match="two layouts are called 'llava'"):
        layout_of(["x"])

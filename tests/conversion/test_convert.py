"""What goes wrong with other people's files, said so that they can mend it; and what is made of them in spite of it."""

import json

import pytest

from voirdire.conversion.convert import convert
from voirdire.conversion.layouts import ConvertOptions
from voirdire.conversion.rows import MISSING, answer_texts, find, image_id_of, question_text, whole_number
from voirdire.errors import InputError, UsageError
from voirdire.formats.generations import read_generations
from voirdire.formats.vqa_results import read_vqa_results


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def run(tmp_path, text, to="vqa_results", **options):
    source, made = tmp_path / "said.jsonl", tmp_path / "made.json"
    source.write_text(text)
    return convert(source, made, ConvertOptions(to, **options)), made


def refused(tmp_path, text, to="vqa_results", **options):
    with pytest.raises(InputError) as caught:
        run(tmp_path, text, to, **options)
    assert not (tmp_path / "made.json").exists()
    return str(caught.value)


def test_a_path_into_a_record(tmp_path):
    text = lines({"id": 500, "outputs": [{"text": "red"}]}, {"id": 501, "outputs": [{"text": "blue"}]})
    done, made = run(tmp_path, text, maps={"answer": "outputs.0.text", "question_id": "id"})
    assert read_vqa_results(made).answers == ("red", "blue")
    assert dict(done.paths) == {"question_id": "id", "answer": "outputs.0.text"}
    assert done.examples[0] == ("line 1", {"question_id": 500, "answer": "red"})


def test_a_path_that_no_record_has(tmp_path):
    message = refused(tmp_path, lines({"id": 500, "output": "red"}), maps={"answer": "outputs.0.text"})
    assert "no record with 'outputs.0.text', mapped to answer" in message
    assert "Did you mean output?" in message


def test_keys_that_say_nothing(tmp_path):
    message = refused(tmp_path, lines({"a": 1, "b": "x"}))
    assert "with the keys a, b, expected what can be answer and question_id" in message
    assert "`map` answer=KEY" in message


def test_faults_of_one_kind_are_one_line(tmp_path):
    text = lines(
        *({"question_id": f"q{number}", "answer": "x"} for number in range(9)), {"question_id": 9, "answer": "x"}
    )
    message = refused(tmp_path, text)
    assert "9 records (line 1, line 2, line 3, …), field `question_id`: found 'q0'; 'q1'; 'q2', …" in message
    assert message.count("\n") == 0
    done, made = run(tmp_path, text, leave_out=True)
    assert read_vqa_results(made).question_ids.tolist() == [9]
    assert done.left_out == {"question_id that is no number": (9, ("line 1", "line 2", "line 3"))}
    assert (done.read, done.written) == (10, 1)


def test_a_line_that_breaks_off(tmp_path):
    text = lines({"question_id": 1, "answer": "yes"}, {"question_id": 2, "answer": "no"}) + '{"question_id": 3, "ans'
    message = refused(tmp_path, text)
    assert "line 3: found a line that breaks off: the writer may have been killed" in message
    assert "`leave_out` writes" in message
    done, made = run(tmp_path, text, leave_out=True)
    assert len(read_vqa_results(made)) == 2
    assert list(done.left_out) == ["a line that breaks off: the writer may have been killed"]


def test_a_list_that_breaks_off(tmp_path):
    text = json.dumps([{"qid": 1, "response": "yes"}, {"qid": 2, "response": "no"}])[:-9]
    assert "after record 1: found a list that breaks off" in refused(tmp_path, text)
    _, made = run(tmp_path, text, leave_out=True)
    assert read_vqa_results(made).answers == ("yes",)


def test_an_object_that_breaks_off(tmp_path):
    assert "JSON that breaks off" in refused(tmp_path, '{"samples": [{"id": 1, "out')


@pytest.mark.parametrize("text", ["", " \n", "[]", "{}", "a,b\n"])
def test_a_file_without_records(tmp_path, text):
    assert "expected" in refused(tmp_path, text)


def test_records_without_an_answer(tmp_path):
    text = lines({"question_id": 1, "text": "a"}, {"question_id": 2, "text": None}, {"question_id": 3})
    message = refused(tmp_path, text)
    assert "2 records (line 2, line 3), field `text`: found nothing, expected what the model said (answer)" in message


def test_a_second_record(tmp_path):
    text = lines({"question_id": 1, "text": "a"}, {"question_id": 1, "text": "b"}, {"question_id": 2, "text": "c"})
    assert "line 2: found question 1, which line 1 has, too, expected one record each" in refused(tmp_path, text)
    for how, expected in (("first", ("a", "c")), ("last", ("b", "c"))):
        done, made = run(tmp_path, text, duplicates=how)
        assert read_vqa_results(made).answers == expected
        assert (done.written, sum(count for count, _ in done.left_out.values())) == (2, 1)


def test_all_answers_of_a_round(tmp_path):
    text = lines(*({"image_id": 1, "round_id": 0, "text": word} for word in "abc"))
    _, made = run(tmp_path, text, "generations", duplicates="all")
    assert read_generations(made).of(0) == ["a", "b", "c"]


def test_several_answers_to_a_vqa_question(tmp_path):
    text = lines({"question_id": 1, "responses": ["a", "b"]})
    assert "`map` answer=responses.0 takes the first" in refused(tmp_path, text)
    _, made = run(tmp_path, text, maps={"answer": "responses.0"})
    assert read_vqa_results(made).answers == ("a",)


def test_ids_of_another_question_are_seen_by_its_text(tmp_path):
    """Numbers that happen to be ids of the dataset are not believed against the text of the question."""
    questions = tmp_path / "questions.json"
    rows = [
        {"question_id": 1, "image_id": 9, "question": "Is it red?"},
        {"question_id": 2, "image_id": 9, "question": "Is it blue?"},
    ]
    questions.write_text(json.dumps({"questions": rows}))
    text = lines({"question_id": 2, "prompt": "USER: <image>\nIs it red?\nAnswer briefly.", "text": "yes"})
    done, made = run(tmp_path, text, against=str(questions))
    assert read_vqa_results(made).question_ids.tolist() == [1]
    assert dict(done.ids) == {"by the text of the question": 1}
    made.unlink()
    text = lines({"question_id": 7, "prompt": "Is it?", "text": "yes"})
    assert "expected a question of" in refused(tmp_path, text, against=str(questions))


def test_a_text_that_several_questions_have(tmp_path):
    questions = tmp_path / "questions.json"
    rows = [{"question_id": id_, "image_id": id_, "question": "Is it red?"} for id_ in (1, 2)]
    questions.write_text(json.dumps({"questions": rows}))
    message = refused(tmp_path, lines({"prompt": "Is it red?", "answer": "yes"}), against=str(questions))
    assert "which is that of 2 questions" in message


def test_against_must_hold_questions(tmp_path):
    other = tmp_path / "results.json"
    other.write_text(json.dumps([{"question_id": 1, "answer": "x"}]))
    with pytest.raises(UsageError, match="must be vqa_questions or vqa_annotations"):
        run(tmp_path, lines({"question": "Is it?", "answer": "x"}), against=str(other))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "nothing"}, "`to` must be one of vqa_results, generations, .*, vqa_annotations, got 'nothing'"),
        ({"to": "ranks", "duplicates": "all"}, "only for generations"),
        ({"to": "ranks", "layout": "mine"}, "`from` must be one of llava"),
        ({"to": "ranks", "maps": {"reply": "x"}}, "`map` must name one of question_id"),
        ({"to": "ranks", "maps": {"ranks": "x" * 201}}, "1 to 200 characters"),
        ({"to": "ranks", "duplicates": "some"}, "`duplicates` must be one of error, first, last, all, got 'some'"),
    ],
)
def test_calls_that_cannot_be(options, message):
    with pytest.raises(UsageError, match=message):
        ConvertOptions(**options)


def test_the_file_itself_is_not_overwritten(tmp_path):
    source = tmp_path / "said.jsonl"
    source.write_text(lines({"question_id": 1, "text": "a"}))
    with pytest.raises(UsageError, match="is the file that is read"):
        convert(source, source, ConvertOptions("vqa_results"))


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (42, 42),
        (42.0, 42),
        ("42", 42),
        (" 000042 ", 42),
        ("42.0", 42),
        *((bad, None) for bad in ("q42", "4 2", "", "-1", -1, 1.5, float("nan"), float("inf"), True, None, [1], 2**63)),
    ],
)
def test_whole_numbers(value, number):
    assert whole_number(value) == number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("COCO_val2014_000000123456.jpg", 123456),
        ("val2014/000000000042.jpg", 42),
        ("COCO_val2014_000000000042", 42),
        ("img7.png", 7),
        (42, 42),
        ("kitchen.jpg", None),
        ("", None),
    ],
)
def test_images(value, number):
    assert image_id_of(value) == number


def test_values_at_paths():
    record = {"a": [{"b": 1}], "c.d": 2, "output": "attachment://x", "attachments": {"x": "long"}}
    assert find(record, "a.0.b") == 1
    assert find(record, "c.d") == 2
    assert find(record, "output") == "long"
    for path in ("a.1.b", "a.b", "z", "a.0.b.c", "a.-1", ".", "a..b"):
        assert find(record, path) is MISSING


def test_texts_of_values():
    assert answer_texts([["a"], ["b"]]) == ["a", "b"]
    assert answer_texts({"message": 1}) is None
    assert answer_texts([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "yes"}]) == ["yes"]
    assert answer_texts(3) == ["3"]
    assert answer_texts([]) is None
    chat = [
        {"role": "user", "content": "one?"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two?"},
    ]
    assert question_text(chat) == "two?"

"""A config: what it may say, where its paths lead, and how its faults are told."""

from dataclasses import replace
from pathlib import Path

import pytest

from voirdire.errors import InputError
from voirdire.exam import exam_named, part_named
from voirdire.session.config import Config, is_model_name, options_for, read_config
from voirdire.session.config_text import config_text


def config(folder: Path, text: str) -> Config:
    path = folder / "exam.yaml"
    path.write_text(text, encoding="utf-8")
    return read_config(path)


def faults(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        config(folder, text)
    return str(caught.value).replace(str(folder), "")


def test_paths_are_meant_from_the_folder_of_the_config(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").touch()
    read = config(
        tmp_path,
        "output: out\n"
        "data:\n  answers: {references: r.json}\n  questions: {oracle: 'table:answers.jsonl'}\n  images: pictures\n"
        "models:\n  mine:\n    answers: {generations: /elsewhere/g.json}\n"
        "    robustness: {clean: c.json, noisy: [p1.json, p2.json]}\n",
    )
    assert read.output == str(tmp_path / "out")
    assert read.data["answers"] == {"references": str(tmp_path / "r.json")}
    assert read.images == str(tmp_path / "pictures")
    assert read.data["questions"] == {"oracle": f"table:{tmp_path / 'answers.jsonl'}"}
    mine = read.models["mine"]
    assert mine["answers"] == {"generations": "/elsewhere/g.json"}
    assert mine["robustness"]["noisy"] == (str(tmp_path / "p1.json"), str(tmp_path / "p2.json"))
    assert "questions" not in mine


def test_names_of_providers_are_no_paths(tmp_path: Path) -> None:
    text = "models: {a: {questions: {games: g}}}\noptions: {answers: {encoder: [minilm, 'npz:v.npz'], idf: references}}"
    assert config(tmp_path, text).options["answers"]["encoder"] == ("minilm", "npz:v.npz")
    (tmp_path / "v.npz").touch()
    chosen = config(tmp_path, text).options["answers"]
    assert chosen == {"encoder": ("minilm", f"npz:{tmp_path / 'v.npz'}"), "idf": "references"}


def test_what_is_left_out_is_the_papers(tmp_path: Path) -> None:
    read = config(tmp_path, "models: {a: {questions: {games: g}}}\ndata:\noptions:\n  scorekeeping:\n    # epochs: 3\n")
    assert read.options == {}
    assert read.data == {}
    assert read.output is None
    for title, name, value in (("scorekeeping probe", "epochs", 30), ("robustness score", "m", 20.0)):
        exam, part = exam_named(title.partition(" ")[0]), part_named(title)
        assert getattr(options_for(read, exam, part), name) == value


def test_every_fault_has_its_line_and_key(tmp_path: Path) -> None:
    message = faults(
        tmp_path,
        "outputs: x\ndata:\n  answers:\n    dialogue: d.json\nmodels:\n  good: {questions: {games: g}}\n"
        "  bad:\n    robustness: {clean: [c.json]}\n  ../up: {questions: {games: g}}\n  void:\n"
        "options:\n  scorekeeping:\n    epochs: many\n",
    )
    assert "line 1, field `outputs`: found 'x', expected one of output, engine, data, models, options" in message
    assert (
        "line 4, field `data.answers.dialogue`: found 'd.json', expected one of references, visdial, dense" in message
    )
    assert "line 8, field `models.bad.robustness.clean`: found ['c.json'], expected text" in message
    assert "line 9, field `models.../up`" in message
    assert "line 10, field `models.void`: found nothing" in message
    assert "line 13, field `options.scorekeeping.epochs`: found 'many', expected a whole number" in message
    assert "6 problems" in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "models: {a: {}}\nengine: cluster",
            "expected here, processes:N or ray:ADDRESS. There is no engine",
        ),
        ("", "found nothing, expected the keys output, engine, data, models, options. `voirdire init FOLDER`"),
        ("- a\n", "found ['a'], expected the keys"),
        ("output: x\n", "field `models`: found nothing"),
        (f"models: {{{'x' * 201}: {{questions: {{games: g}}}}}}\n", "200 bytes at most"),
        ("models: {a: text}\n", "line 1, field `models.a`: found 'text', expected keys with values"),
        ("models: {a: {'an.swers': {}}}\n", "expected one of answers, robustness, questions, scorekeeping"),
        ("models: {a: {questions: {games: g}}}\noptions: {answers: {measures: cider}}\n", "expected a list"),
        ("models: [a]\n", "line 1, field `models`: found ['a']"),
        ("models: {a: {answers: {round: 1}}}\n", "field `models.a.answers.round`"),
        ("models: {a: {questions: {games: 3}}}\n", "field `models.a.questions.games`: found 3, expected text"),
        (
            "models: {a: {questions: {games: g}}}\noptions: {robustness: {dataset: all}}\n",
            "expected one of general, yesno",
        ),
        ("models: {a: {questions: {games: g}}}\noptions: {answers: {round_base: 2}}\n", "expected one of 0, 1"),
        ("models: {a: {questions: {games: g}}}\noptions: {answers: {seed: -1}}\n", "options.answers.seed"),
    ],
)
def test_what_is_refused(tmp_path: Path, text: str, message: str) -> None:
    assert message in faults(tmp_path, text)


def test_a_config_written_down_reads_the_same(spoken: Path, tmp_path: Path) -> None:
    first = read_config(spoken / "exam.yaml")
    for folder in (spoken, tmp_path / "deep" / "er"):
        text = config_text(first, folder, ["not placed:", "  a: [b"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "again.yaml").write_text(text, encoding="utf-8")
        again = read_config(folder / "again.yaml")
        assert _resolved(again) == _resolved(first)
        assert text.count("The model's answers, one or more per round") == 1
        (folder / "again.yaml").unlink()


def test_no_name_of_a_file_becomes_a_line_of_a_config(tmp_path: Path) -> None:
    nasty = "a\n      ranks: evil\r\x85b\u2028c\x1b\x7f"
    (tmp_path / "exam.yaml").write_text("models: {blind: {questions: {games: g}}}\n")
    first = read_config(tmp_path / "exam.yaml")
    first = replace(first, models={"blind": {"questions": {"games": str(tmp_path / nasty)}}})
    remarks = {"models.blind": f"a guess at its name, from {nasty}", "models.questions.games": nasty}
    (tmp_path / "again.yaml").write_text(config_text(first, tmp_path, [nasty], remarks), encoding="utf-8", newline="")
    assert read_config(tmp_path / "again.yaml").models == first.models


def _resolved(read: Config) -> object:
    """The config with all paths spelt in one way."""

    def plain(value: object) -> object:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [plain(inner) for inner in value]
        if isinstance(value, str) and "/" in value:
            name, colon, path = value.partition(":")
            return f"{name}:{Path(path).resolve()}" if colon else str(Path(value).resolve())
        return value

    return plain([read.models, read.data, read.options, read.images, read.output])


def test_what_is_said_for_all_exams_is_written_read_and_gone_over_by_a_call(tmp_path: Path) -> None:
    text = (
        "data: {slices: halls.csv}\nmodels: {mine: {answers: {generations: g.json}}}\n"
        "options: {limit: 5, seed: 3, answers: {seed: 4}}\n"
    )
    read = config(tmp_path, text)
    assert (read.slices, read.shared) == (str(tmp_path / "halls.csv"), {"limit": 5, "seed": 3})
    (tmp_path / "again.yaml").write_text(config_text(read, tmp_path), encoding="utf-8")
    again = read_config(tmp_path / "again.yaml")
    assert (again.slices, again.shared, again.options) == (read.slices, read.shared, read.options)
    answers, robustness = exam_named("answers"), exam_named("robustness")
    score, accuracy = options_for(read, answers, answers.part("score")), robustness.part("accuracy")
    assert (score.limit, score.seed) == (5, 4)
    assert (options_for(read, robustness, accuracy).limit, options_for(read, robustness, accuracy).seed) == (5, 3)
    called = read.over("other.csv", limit=2, seed=None)
    assert (called.slices, options_for(called, answers, answers.part("score")).limit) == ("other.csv", 2)
    assert options_for(called, answers, answers.part("score")).seed == 4
    assert options_for(read.over(seed=9), answers, answers.part("score")).seed == 9
    # Propositions that a session makes are of all dialogues: a probe learns from them.
    assert exam_named("scorekeeping").makes["propositions"].fixed["limit"] is None
    assert "found 0, expected" in faults(tmp_path, text.replace("limit: 5", "limit: 0"))
    assert "found 'all', expected" in faults(tmp_path, text.replace("limit: 5", "limit: all"))


def test_what_a_session_sets_goes_before_the_config_and_that_before_what_asking_sets() -> None:
    exam = exam_named("answers")
    part = replace(exam.part("score"), session=replace(exam.part("score").session, fixed={"seed": 8}))  # type: ignore[type-var]
    part = replace(part, ask=replace(part.ask, scored={"extract": True, "strict": True}))  # type: ignore[type-var]
    read = Config({}, options={"answers": {"seed": 4, "strict": False}}, live={"a": {}})
    made = options_for(read, exam, part)
    assert (made.seed, made.strict, made.extract) == (8, False, True)
    assert not options_for(replace(read, live={}), exam, part).extract


@pytest.mark.parametrize(("name", "fits"), [("LLaVA 1.5 (b)", False), ("LLaVA-1.5 b", True), ("mcan ", False)])
def test_names_that_a_folder_may_have(name: str, fits: bool) -> None:
    assert is_model_name(name) == fits
    assert is_model_name("x" * 200)
    assert not is_model_name("é" * 101)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "models: {a: {key: KEY}}",
            "field `models.a.key`: found no model beside it, expected `model`: the model that is asked",
        ),
        (
            "models: {a: {model: 'python:os:system'}}",
            "field `models.a.model`: found 'python:os:system', expected a model",
        ),
        (
            "models: {a: {questions: {games: g}}}\noptions: {answers: {encoder: ['python:os:system']}}",
            "field `options.answers.encoder`: found ",
        ),
        ("models: {a: {model: 'openai:b', timeout: 0}}", "field `models.a.timeout`"),
        ("models: {a: {model: 'openai:b', connections: 2000}}", "field `models.a.connections`"),
    ],
)
def test_who_is_asked_is_named_and_is_no_code(tmp_path: Path, text: str, message: str) -> None:
    assert message in faults(tmp_path, text)


def test_files_of_a_live_model_are_meant_from_the_folder_of_the_config(tmp_path: Path) -> None:
    text = "models: {a: {model: 'openai:b', template: plain, scenes: s.jsonl}}"
    assert config(tmp_path, text).live["a"] == {
        "model": "openai:b",
        "template": "plain",
        "scenes": str(tmp_path / "s.jsonl"),
    }
    (tmp_path / "plain").touch()
    assert config(tmp_path, text).live["a"]["template"] == str(tmp_path / "plain")


def test_a_call_leaves_what_it_does_not_name(tmp_path: Path) -> None:
    read = Config({}, slices="halls.csv", shared={"limit": 5}, options={"answers": {"seed": 4, "limit": 2}})
    same = read.over(limit=None, seed=None)
    assert (same.slices, same.shared, same.options) == (read.slices, read.shared, read.options)
    less = read.over(limit=3)
    assert (less.shared, less.options, less.slices) == ({"limit": 3}, {"answers": {"seed": 4}}, "halls.csv")


def test_a_default_stands_as_a_comment_and_so_does_a_value_that_is_the_default(tmp_path: Path) -> None:
    default = options_for(Config({}), exam_named("robustness"), part_named("robustness score")).m
    files = {"mine": {"robustness": {"clean": "c.json"}}}
    text = config_text(Config(files, options={"robustness": {"m": default}}), tmp_path)
    assert f"    # m: {default}" in text
    text = config_text(Config(files, options={"robustness": {"m": default + 1}}), tmp_path)
    assert f"\n    m: {default + 1}" in text
    assert "# m: " not in text

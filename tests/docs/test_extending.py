"""The page on extending: its files are written as they stand there, and its calls are made."""

import asyncio
import base64
import contextlib
import importlib
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "live"))

from scripted import Answer, serving
from witnessing import Witnessing

import voirdire
from voirdire.live.client import Client, Limits, Unanswered
from voirdire.live.endpoint import Endpoint, Secret
from voirdire.live.model import AnswerTask, Reply, VisualInput
from voirdire.live.prompts import read_template
from voirdire.live.settings import LiveOptions
from voirdire.study.database import JudgedStore, Message
from voirdire.study.folder import open_study

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs" / "extending.md"
FILE = re.compile(r'^```\w+ title="(?P<name>[^"]+)"\n(?P<body>.*?)^```', re.MULTILINE | re.DOTALL)
CALLS = re.compile(r"^```shell\n(?P<body>.*?)^```", re.MULTILINE | re.DOTALL)
MOST = 60
"""Lines of the smallest exam that is scored, asked, compared and reported."""
POINTS = re.compile(r'^\[project\.entry-points\."(?P<group>[\w.]+)"\]\n(?P<body>.*?)^```', re.MULTILINE | re.DOTALL)


def install(folder: Path) -> None:
    """Write the files of the page, and what says to Python that they are an installed package."""
    text = PAGE.read_text(encoding="utf-8")
    for found in FILE.finditer(text):
        path = folder / found["name"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(found["body"], encoding="utf-8")
    about = folder / "extending-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extending\nVersion: 1.0\n")
    points = [f"[{found['group']}]\n{found['body'].replace(chr(34), '')}" for found in POINTS.finditer(text)]
    (about / "entry_points.txt").write_text("\n".join(points))


def call(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Call the command with the page's package beside it; `more` is set in its environment."""
    code = f"import sys; sys.argv = {['voirdire', *arguments]!r}\nfrom voirdire.cli.main import run\nrun()"
    above = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    environment = {**os.environ, "PYTHONPATH": above, "COLUMNS": "120", "NO_COLOR": "1", **more}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which all calls of the page were made."""
    folder = tmp_path_factory.mktemp("extended")
    install(folder)
    for block in CALLS.finditer(PAGE.read_text(encoding="utf-8")):
        for line in block["body"].splitlines():
            dollar, name, *arguments = shlex.split(line)
            assert (dollar, name) == ("$", "voirdire")
            done = call(folder, *arguments)
            assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return folder


@contextlib.contextmanager
def loaded(folder: Path, name: str) -> Iterator[ModuleType]:
    """A module of the page, for as long as the block lasts."""
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        sys.modules.pop(name, None)


def test_the_smallest_exam_is_one_short_file_whose_declaration_holds_together(extended: Path) -> None:
    assert len((extended / "brevity.py").read_text(encoding="utf-8").splitlines()) <= MOST
    for name in ("brevity", "sense"):
        with loaded(extended, name) as module:
            voirdire.check_exam(module.EXAM)
    with loaded(extended, "test_brevity") as module:
        module.test_declaration()
    sys.modules.pop("brevity")


def test_a_typing_error_is_one_line_as_the_page_has_it(extended: Path, tmp_path: Path) -> None:
    text = (extended / "brevity.py").read_text(encoding="utf-8")
    wrong = text.replace('given=("generations",)', 'given=("generation",)')
    assert wrong != text
    install(tmp_path)
    (tmp_path / "brevity.py").write_text(wrong, encoding="utf-8")
    refused = call(tmp_path, "list")
    assert refused.returncode == 2
    (line,) = refused.stderr.splitlines()
    assert line.removeprefix("voirdire: ") in PAGE.read_text(encoding="utf-8").splitlines()


def test_a_fifth_exam_has_its_verbs_and_flags(extended: Path) -> None:
    assert "brevity" in call(extended, "--help").stdout
    shown = call(extended, "brevity", "score", "--help").stdout
    assert "Words that a short answer may have." in shown
    assert "--generations" in shown
    refused = call(extended, "brevity", "score", "--generations", "truthful.json", "--most", "0")
    assert refused.returncode == 2
    assert "--most must be at least 1, got 0" in refused.stderr


def test_its_figures_are_those_of_the_answers(extended: Path) -> None:
    lists = json.loads((extended / "verbose.json").read_text())
    words = [len(row["generations"][0].split()) for row in lists]
    done = json.loads(
        call(extended, "brevity", "score", "--generations", "verbose.json", "--most", "2", "--json").stdout
    )
    assert done["exam"] == "brevity"
    assert done["measures"]["words"]["value"] == pytest.approx(sum(words) / len(words))
    assert done["measures"]["short"]["value"] == pytest.approx(sum(count <= 2 for count in words) / len(words))
    assert done["measures"]["short"]["n"] == len(words)


def test_its_runs_are_compared_by_its_views(extended: Path) -> None:
    shown = call(extended, "compare", "runs/truthful", "runs/verbose").stdout
    assert "brevity score: verbose against truthful" in shown
    assert "short ↑" in shown
    assert "words ↓" in shown


def test_its_section_is_in_the_report_and_its_runs_are_in_a_session(extended: Path) -> None:
    page = (extended / "report.html").read_text()
    assert "Are its answers short?" in page
    assert 'data-measure="short"' in page
    assert "words were counted" in page
    assert (extended / "examined" / "runs" / "verbose" / "brevity" / "run.json").is_file()
    assert json.loads((extended / "examined/runs/verbose/brevity/run.json").read_text())["options"]["most"] == 4


def test_a_metric_is_scored_with_all_that_belongs_to_one(extended: Path) -> None:
    calls = ("answers", "score", "--generations", "truthful.json", "--json", "--measures", "exact")
    done = call(extended, *calls, "--references", "world/visdial_val_references_true.json")
    measures = json.loads(done.stdout)["measures"]
    assert set(measures) == {"exact", "exact:std", "exact:extracted", "sentences", "usual_sentences"}
    assert 0 < measures["exact"]["low"] <= measures["exact"]["value"] <= 1


def test_an_encoder_makes_distances(extended: Path) -> None:
    calls = ("answers", "score", "--generations", "truthful.json", "--json", "--measures", "distance")
    references = ("--references", "world/visdial_val_references_true.json")
    measures = json.loads(call(extended, *calls, *references, "--encoder", "letters:5").stdout)["measures"]
    assert measures["l2[letters]"]["value"] > 0
    refused = call(extended, *calls, *references, "--encoder", "letters:many")
    assert refused.returncode == 2
    assert "letters:many must have a number" in refused.stderr


def test_a_format_is_recognised_and_its_faults_are_named(extended: Path) -> None:
    assert "list of colours (colours)" in call(extended, "validate", "paint.txt").stdout
    (extended / "odd.txt").write_text("red\nloud\n")
    shown = call(extended, "validate", "odd.txt")
    assert shown.returncode == 2
    assert "line 2: found 'loud', expected one of red, green, blue" in shown.stdout


def test_its_files_are_listed_and_its_keys_are_checked(extended: Path) -> None:
    assert "Are its answers short?" in call(extended, "list").stdout
    (extended / "wrong.yaml").write_text(
        "models:\n  a:\n    brevity: {generations: truthful.json}\noptions:\n  brevity: {mots: 4}\n"
    )
    refused = call(extended, "exam", "--config", "wrong.yaml", "-o", "other")
    assert refused.returncode == 2
    assert "line 5, field `options.brevity.mots`" in refused.stderr
    assert "one of most, seed" in refused.stderr
    assert "brevity" in call(extended, "validate", "truthful.json").stdout


def test_a_model_is_asked_for_the_files_of_the_exam(extended: Path) -> None:
    answers = json.loads((extended / "asked/said/witness truthful/brevity-score/generations.json").read_text())
    filed = json.loads((extended / "truthful.json").read_text())
    first = {row["image_id"]: row["generations"] for row in filed if row["round_id"] == 0}
    assert {row["image_id"]: row["generations"] for row in answers} == first
    made = json.loads((extended / "asked/runs/witness truthful/brevity/run.json").read_text())
    assert any("Asked live: witness:truthful" in line for line in made["warnings"])
    assert "Are its answers short?" in (extended / "asked/report.html").read_text()


def test_whole_dialogues_are_asked_from_python(extended: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(extended), os.environ.get("PYTHONPATH", "")])}
    subprocess.run([sys.executable, "dialogues.py"], cwd=extended, env=environment, check=True)
    rows = json.loads((extended / "tried" / "generations.json").read_text())
    assert len(rows) == len(json.loads((extended / "truthful.json").read_text()))
    assert all(text for row in rows for text in row["generations"])


def test_a_model_in_this_process_answers_in_batches(extended: Path) -> None:
    (said,) = (extended / "asked-always" / "said").iterdir()
    rows = json.loads((said / "brevity-score" / "generations.json").read_text())
    filed = json.loads((extended / "truthful.json").read_text())
    assert {row["image_id"] for row in rows} == {row["image_id"] for row in filed}
    assert {text for row in rows for text in row["generations"]} == {"yes"}
    with loaded(extended, "always") as module:
        model = module.make("no")(LiveOptions("always:no"))
        sizes: list[int] = []
        generate = model.generate
        model.generate = lambda chats: (sizes.append(len(chats)), generate(chats))[1]
        assert asyncio.run(model.reply(AnswerTask(VisualInput(1), "is it?"))).text == "no"
        assert sizes == [1]


SEEN, PNG = VisualInput(3, picture="ab"), b"\x89PNG.."


def message(text: str, stop: str = "end_turn") -> Answer:
    """A reply in Anthropic's format."""
    used = {"input_tokens": 7, "output_tokens": 3}
    said = {"type": "message", "content": [{"type": "text", "text": text}], "stop_reason": stop, "usage": used}
    return Answer(json.dumps(said).encode())


def put(extended: Path, *answers: Answer, tries: int = 3) -> tuple[Reply, list[tuple[str, dict[str, str], Any]]]:
    """The reply to a question with a picture, where a server says these one after the other, and what it was sent."""
    coming = iter(answers)

    async def waits(seconds: float) -> None: ...

    async def go(url: str, kind: type[voirdire.EndpointModel]) -> Reply:
        endpoint = Endpoint.at(url, Secret("planted"), sign=kind.headers)
        async with Client(endpoint, Limits(tries=tries), clock=waits) as client:
            return await kind("m", client, read_template()).reply(AnswerTask(SEEN, "what is it?", "a room"), (PNG,))

    with loaded(extended, "anthropic_messages") as module, serving(lambda *_: next(coming)) as server:
        return asyncio.run(go(server.url, module.Messages)), server.seen


def test_another_wire_is_sent_what_it_asks_for(extended: Path) -> None:
    reply, (((path, headers, body)),) = put(extended, message(" A red cup. "))
    assert (reply.text, reply.fault, reply.mark, reply.tokens) == ("A red cup.", "", "", (7, 3))
    assert path == "/v1/messages"
    assert (headers["x-api-key"], headers["anthropic-version"]) == ("planted", "2023-06-01")
    assert "authorization" not in headers
    assert (body["model"], body["temperature"]) == ("m", 0.0)
    assert isinstance(body["system"], str)
    assert [one["role"] for one in body["messages"]] == ["user"]
    picture, text = body["messages"][0]["content"]
    data = base64.b64encode(PNG).decode()
    assert picture == {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}}
    assert text["text"].endswith("what is it?")


def test_another_wire_has_refusals_and_replies_that_were_cut(extended: Path) -> None:
    reply, _ = put(extended, message("I would rather not.", "refusal"))
    assert reply.fault == "refusal"
    reply, _ = put(extended, message("A long story that", "max_tokens"))
    assert (reply.text, reply.mark) == ("A long story that", "cut off at the limit of tokens")


OVERLOADED = b'{"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}'


@pytest.mark.parametrize(
    "fault",
    [
        Answer(OVERLOADED, 529),
        Answer(b"{}", 500),
        Answer(OVERLOADED),
        Answer(b'{"content": "nothing"}'),
        Answer(b'{"content": [{"type": "text"}], "stop_reason": "end_turn", "usage": {}}'),
        Answer(b"[]"),
    ],
)
def test_another_wire_is_asked_again_where_it_gave_no_reply(extended: Path, fault: Answer) -> None:
    reply, seen = put(extended, fault, fault, message("yes"))
    assert (reply.text, len(seen)) == ("yes", 3)
    with pytest.raises(Unanswered):
        put(extended, fault, fault, tries=2)


def test_another_wire_sits_a_whole_exam_and_has_the_figures_of_its_files(extended: Path) -> None:
    witness, keys = Witnessing("truthful", extended / "world"), set[str]()

    def say(path: str, headers: dict[str, str], body: Any) -> Answer:
        keys.add(headers.get("x-api-key", ""))
        return Answer() if body is None else message(witness.text([as_openai(one) for one in body["messages"]]))

    with serving(say) as server:
        words = ("--data", "world", "--limit", "3", "--key", "PLANTED", "--name", "live", "-o", "asked-wire")
        done = call(extended, "ask", "answers", "--model", f"anthropic:m@{server.url}", *words, PLANTED="planted")
    assert done.returncode == 0, done.stderr
    assert keys == {"planted"}
    (made,) = (extended / "asked-wire" / "said" / "live").glob("answers-*/generations.json")
    rows = json.loads(made.read_text())
    filed = {(row["image_id"], row["round_id"]): row for row in json.loads((extended / "truthful.json").read_text())}
    assert len({row["image_id"] for row in rows}) == 3
    assert all(row["generations"][:1] == filed[row["image_id"], row["round_id"]]["generations"][:1] for row in rows)
    for path in (extended / "asked-wire").rglob("*"):
        assert not path.is_file() or b"planted" not in path.read_bytes()


def as_openai(message: dict[str, Any]) -> dict[str, Any]:
    """A message of Anthropic's format as the witness behind the endpoint reads it."""
    if isinstance(message["content"], str):
        return message
    parts = [
        {"type": "image_url", "image_url": {"url": f"data:,{one['source']['data']}"}} if one["type"] == "image" else one
        for one in message["content"]
    ]
    return {**message, "content": parts}


def test_people_judge_and_what_they_said_is_scored(extended: Path) -> None:
    study = open_study(extended / "study")
    assert len(study.tasks) == 22
    assert [task.truth for task in study.tasks[20:]] == [("no",)] * 2
    said = {
        (row["image_id"], row["round_id"]): row["generations"][0]
        for row in json.loads((extended / "truthful.json").read_text())
    }
    assert all(task.text == said[task.key["image_id"], task.key["round"]] for task in study.tasks[:20])
    store = JudgedStore(study)
    for number, invited in enumerate(store.invite(2)):
        judge = store.judge_of(invited.token)
        store.consent(judge, "yes")
        while (place := store.next(judge)) is not None:
            # One person finds sense in all answers but those of checks, the other in every other one.
            sense = not study.tasks[place.task].truth and (number == 0 or place.task % 2 == 0)
            store.record(judge, Message(place.number, 1, ("yes" if sense else "no",), done=True, seconds=1.0))
    store.close()
    done = call(extended, "study", "collect", "study", "-o", "judged", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["measures"]["sense"]["value"] == pytest.approx(0.75)
    assert (extended / "judged" / "judgements.csv").is_file()


def test_a_layout_of_another_package_is_recognised(extended: Path) -> None:
    assert json.loads((extended / "results.json").read_text()) == [
        {"question_id": 4870250, "answer": "yes"},
        {"question_id": 4870251, "answer": "two"},
    ]
    done = json.loads(
        call(extended, "convert", "said.jsonl", "--to", "vqa_results", "-o", "again.json", "--json").stdout
    )
    assert done["layout"].startswith("answers of our notebook (notebook)")
    refused = call(extended, "convert", "said.jsonl", "--to", "vqa_results", "-o", "again.json", "--from", "notbook")
    assert "plain, notebook, got 'notbook'" in refused.stderr

"""Whole exams of live models through the command: what files give, live models give, whatever happens on the way."""

import contextlib
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from scripted import Answer, chat, serving
from witnessing import Witnessing, image_of, said_by

from voirdire.exam import read_run
from voirdire.world.witness_session import run_world_session

pytestmark = pytest.mark.slow
COMMAND = [str(Path(sys.executable).parent / "voirdire")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("live") / "world"
    subprocess.run([*COMMAND, "world", str(folder), "--scenes", "24", "--seed", "5", "--pictures"], check=True)
    return folder


@pytest.fixture(scope="module")
def filed(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the files of the witnesses give."""
    folder = tmp_path_factory.mktemp("filed")
    run_world_session(world, folder)
    return folder


def ask(*words: object, key: str = "", fails: bool = False) -> subprocess.CompletedProcess[str]:
    given = {**os.environ, "PLANTED": key} if key else None
    done = subprocess.run([*COMMAND, "ask", *map(str, words)], capture_output=True, text=True, env=given, check=False)
    assert (done.returncode == 2) == fails, done.stderr
    assert "Traceback" not in done.stderr
    return done


def same(first: Path, second: Path) -> None:
    """The same items and measures, to the bit."""
    one, other = read_run(first), read_run(second)
    assert len(one.items.columns) > 3
    assert one.items.equals(other.items.select(one.items.columns))
    assert one.measures == {key: other.measures[key] for key in one.measures}


def test_a_witness_behind_an_endpoint_has_the_figures_of_its_files(world: Path, filed: Path, tmp_path: Path) -> None:
    with serving(said_by("truthful", world)) as server:
        for exam in ("answers", "robustness"):
            # Files of witnesses are answers to questions as they were cut.
            cut = ["--cut"] if exam == "robustness" else []
            words = ("--model", f"openai:truthful@{server.url}", "--data", world, "-o", tmp_path, "--name", "live")
            ask(exam, *words, *cut)
    for part in ("answers", "robustness"):
        same(filed / "runs" / "truthful" / part, tmp_path / "runs" / "live" / part)
    run = read_run(tmp_path / "runs" / "live" / "answers")
    assert run.signature.options["asked"]["template"].startswith("plain-")
    assert any("Asked live: openai:truthful@" in line for line in run.warnings)


def test_a_witness_on_the_stand_has_the_figures_of_its_files(world: Path, filed: Path, tmp_path: Path) -> None:
    ask("answers", "--model", "witness:forgetful", "--data", world, "-o", tmp_path, "--name", "live")
    for part in ("answers", "answers-rank"):
        same(filed / "runs" / "forgetful" / part, tmp_path / "runs" / "live" / part)


def test_a_limited_look_is_complete(world: Path, tmp_path: Path) -> None:
    words = ("--data", world, "-o", tmp_path, "--name", "live", "--limit", 2, "--seed", 3)
    for exam in ("answers", "robustness"):
        ask(exam, "--model", "witness:truthful", *words)
        run = read_run(tmp_path / "runs" / "live" / exam)
        assert run.items["image_id"].n_unique() == 2
        assert run.coverage is not None
        assert run.coverage.complete


def test_whatever_an_endpoint_does_is_outlived_counted_and_shown(world: Path, filed: Path, tmp_path: Path) -> None:
    sound, count = said_by("truthful", world), Counter[str]()
    faults = [
        Answer(status=429, headers={"Retry-After": "0"}),
        Answer(status=429),
        Answer(status=500),
        Answer(b'{"choices": ['),
        Answer(b'{"object": "nothing"}', status=503),
    ]

    def say(path: str, headers: dict[str, str], body: object) -> Answer:
        count[path] += 1
        number = count[path]
        if path.endswith("/models") or number % 7:
            answer = sound(path, headers, body)
            return Answer(answer.body, cut=40) if number % 31 == 0 else answer
        return faults[number // 7 % len(faults)]

    with serving(say) as server:
        words = ("--data", world, "-o", tmp_path, "--name", "live", "--connections", 4)
        ask("answers", "--model", f"openai:truthful@{server.url}", *words)
    same(filed / "runs" / "truthful" / "answers", tmp_path / "runs" / "live" / "answers")
    told = next(line for line in read_run(tmp_path / "runs" / "live" / "answers").warnings if "Tried again" in line)
    assert "429 " in told
    assert "500 " in told
    assert "no JSON " in told
    assert told in (tmp_path / "report.html").read_text(encoding="utf-8").replace("&#39;", "'")


def test_refusals_empty_replies_and_other_languages_are_the_model_s_own(world: Path, tmp_path: Path) -> None:
    odd = {"what": chat(""), "is": chat("I cannot help with that.", finish_reason="content_filter")}
    sound = Witnessing("truthful", world)

    def say(path: str, headers: dict[str, str], body: dict[str, object]) -> Answer:
        if path.endswith("/models") or image_of(body["messages"]) in sound.checks:  # type: ignore[arg-type]
            return sound.say(path, headers, body)
        last = body["messages"][-1]["content"]  # type: ignore[index]
        text = last if isinstance(last, str) else last[-1]["text"].rpartition("\n")[2]
        return odd.get(text.split()[0], chat("Ja, natürlich – 是的"))

    with serving(say) as server:
        model = f"openai:odd@{server.url}"
        ask("answers", "--model", model, "--data", world, "-o", tmp_path, "--name", "live")
        asked = len(server.seen)
        ask("answers", "--model", model, "--data", world, "-o", tmp_path, "--name", "live")
        assert len(server.seen) == asked
    run = read_run(tmp_path / "runs" / "live" / "answers")
    assert any(line.startswith("Refused, and scored as missing answers: content filter ") for line in run.warnings)
    assert any(line.startswith("Replies without use: empty ") for line in run.warnings)
    assert int(run.items["empty"].sum()) > 0
    assert any("Ja, natürlich – 是的" in answers for answers in run.items["answers"].to_list())


def test_a_server_that_drops_pictures_is_refused_or_marked_as_blind(world: Path, tmp_path: Path) -> None:
    with serving(lambda path, headers, body: chat("yes")) as server:
        words = ("answers", "--model", f"openai:deaf@{server.url}", "--data", world, "-o", tmp_path, "--name", "live")
        done = ask(*words, fails=True)
        assert "does not see" in done.stderr
        assert "--blind" in done.stderr
        assert len([one for one in server.seen if one[0].endswith("completions")]) == 3
        ask(*words, "--blind")
    run = read_run(tmp_path / "runs" / "live" / "answers")
    assert run.signature.options["asked"]["blind"] is True
    assert any("does not see the pictures" in line for line in run.warnings)


def test_a_dead_server_is_told_of_at_once(world: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
    started = time.monotonic()
    done = ask("answers", "--model", f"openai:gone@{url}", "--data", world, "-o", tmp_path, fails=True)
    assert f"nobody answers at {url}" in done.stderr
    assert time.monotonic() - started < 60


def test_a_key_that_is_wrong_is_told_of_at_once(world: Path, tmp_path: Path) -> None:
    def say(path: str, headers: dict[str, str], body: object) -> Answer:
        return Answer(b'{"error": {"message": "no such key"}}', status=401)

    with serving(say) as server:
        done = ask("answers", "--model", f"openai:m@{server.url}", "--data", world, "-o", tmp_path, fails=True)
    assert "401" in done.stderr
    assert "--key" in done.stderr


def test_ceilings_stop_cleanly_and_the_next_call_goes_on(world: Path, filed: Path, tmp_path: Path) -> None:
    with serving(said_by("truthful", world)) as server:
        words = ("answers", "--model", f"openai:truthful@{server.url}", "--data", world, "-o", tmp_path, "--name", "m")
        done = ask(*words, "--max-requests", 10, fails=True)
        assert "--max-requests" in done.stderr
        assert len([one for one in server.seen if one[2]]) == 10
        priced = ("--price-sent", 1000, "--price-received", 1000, "--max-cost", 0.1)
        done = ask(*words, *priced, fails=True)
        assert "--max-cost" in done.stderr
        ask(*words)
        assert len({json.dumps(one[2]) for one in server.seen if one[2]}) == len([one for one in server.seen if one[2]])
    same(filed / "runs" / "truthful" / "answers", tmp_path / "runs" / "m" / "answers")


def test_why_it_is_not_known_whether_it_sees(world: Path, tmp_path: Path) -> None:
    said = {
        "<think>Let me look at the picture": "it thinks longer than it has tokens; give it more (--thinking)",
        "I'm sorry, but I can't assist with that.": "refuses to speak of two pictures: \"I'm sorry",
        "": "gives no answer about two pictures (empty)",
        "It is a **dog**.": "it says the same to two different pictures, 'It is a **dog**.'",
    }
    for place, (text, why) in enumerate(said.items()):
        with serving(lambda path, headers, body, text=text: chat(text)) as server:
            words = ("answers", "--model", f"openai:m@{server.url}", "--data", world, "-o", tmp_path / str(place))
            done = ask(*words, fails=True)
        assert why in done.stderr
        assert "--blind" in done.stderr


def test_a_dry_run_asks_nothing(world: Path, tmp_path: Path) -> None:
    with serving(said_by("truthful", world)) as server:
        words = ("answers", "--model", f"openai:truthful@{server.url}", "--data", world, "-o", tmp_path, "--dry-run")
        done = ask(*words, "--requests-per-minute", 25, "--price-sent", 2)
        assert server.seen == []
    assert "in all: at most 53 requests, 52 with a picture" in done.stdout
    assert "2.1 minutes at 25 requests per minute" in done.stdout
    assert not (tmp_path / "runs").exists()


def test_a_function_of_one_s_own_is_a_model(world: Path, tmp_path: Path) -> None:
    code = tmp_path / "mine.py"
    code.write_text(
        "def reply(messages, picture):\n    return f'{len(picture)} bytes' if picture else 'I see nothing'\n"
    )
    done = ask("answers", "--model", f"python:{code}:reply", "--data", world, "-o", tmp_path / "out", "--name", "mine")
    assert "answers score" in done.stderr
    run = read_run(tmp_path / "out" / "runs" / "mine" / "answers")
    assert any("bytes" in answers[0] for answers in run.items["answers"].to_list())
    (tmp_path / "neighbour_of_mine.py").write_text("TEXT = 'a neighbour says so, {}'\n")
    code.write_text(
        "from neighbour_of_mine import TEXT\n\n\ndef reply(messages, picture):\n"
        "    return TEXT.format(len(picture or b''))\n"
    )
    ask("answers", "--model", f"python:{code}:reply", "--data", world, "-o", tmp_path / "next", "--name", "next")
    beside = read_run(tmp_path / "next" / "runs" / "next" / "answers")
    assert any("a neighbour says so" in answers[0] for answers in beside.items["answers"].to_list())
    broken = tmp_path / "broken.py"
    broken.write_text("def reply(messages, picture):\n    return 1 / 0\n")
    done = ask("answers", "--model", f"python:{broken}:reply", "--data", world, "-o", tmp_path / "b", fails=True)
    assert "ZeroDivisionError" in done.stderr


def test_a_config_names_models_and_no_code(world: Path, tmp_path: Path) -> None:
    config = tmp_path / "exam.yaml"
    text = (
        f"data: {{answers: {{visdial: {world}/visdial_val.json, references: "
        f"{world}/visdial_val_references_true.json}}, images: {world}/pictures}}\n"
        "models: {live: {model: MODEL, connections: 2, scenes: SCENES}}\noutput: out\n"
    ).replace("SCENES", f"{world}/scenes.jsonl")
    config.write_text(text.replace("MODEL", "'python:mine:reply'"))
    words = [*COMMAND, "exam", "--config", str(config)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "models.live.model" in done.stderr
    assert "voirdire ask" in done.stderr
    with serving(said_by("truthful", world)) as server:
        config.write_text(text.replace("MODEL", f"'openai:truthful@{server.url}'"))
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert read_run(tmp_path / "out" / "runs" / "live" / "answers").items.height == 50


def slowly(world: Path) -> Callable[[str, dict[str, str], object], Answer]:
    """The truthful witness, who takes its time."""
    sound = said_by("truthful", world)

    def say(path: str, headers: dict[str, str], body: object) -> Answer:
        answer = sound(path, headers, body)
        return Answer(answer.body, after=0.0 if path.endswith("/models") else 0.15)

    return say


def test_ctrl_c_says_how_to_go_on_and_loses_nothing(world: Path, filed: Path, tmp_path: Path) -> None:
    with serving(slowly(world)) as server:
        words = [*COMMAND, "ask", "answers", "--model", f"openai:truthful@{server.url}", "--data", str(world)]
        words += ["-o", str(tmp_path), "--name", "live", "--connections", "2"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        patience = time.monotonic() + 60
        while len(server.seen) < 12 and time.monotonic() < patience:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 130
        told = ["replies are kept: call again to go on", "voirdire: stopped; files that were finished are kept"]
        assert errors.splitlines()[-2:] == told
        assert "Traceback" not in errors
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        sent = [json.dumps(one[2], sort_keys=True) for one in server.seen if one[2]]
    assert len(sent) - len(set(sent)) <= 2
    same(filed / "runs" / "truthful" / "answers", tmp_path / "runs" / "live" / "answers")


def test_killed_at_ten_moments_it_asks_nothing_twice(world: Path, filed: Path, tmp_path: Path) -> None:
    connections = 4
    with serving(slowly(world)) as server:
        words = [*COMMAND, "ask", "answers", "--model", f"openai:truthful@{server.url}", "--data", str(world)]
        words += ["-o", str(tmp_path), "--name", "live", "--connections", str(connections)]
        rng, kills = random.Random(20261118), 0
        for _ in range(10):
            process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            before, patience = len(server.seen), time.monotonic() + 60
            wanted = before + rng.randrange(1, 9)
            while len(server.seen) < wanted and process.poll() is None and time.monotonic() < patience:
                time.sleep(0.01)
            time.sleep(rng.random() * 0.2)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
                kills += 1
            process.wait()
        assert kills >= 5
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        sent = [json.dumps(one[2], sort_keys=True) for one in server.seen if one[2]]
    assert len(sent) - len(set(sent)) <= connections * kills
    same(filed / "runs" / "truthful" / "answers", tmp_path / "runs" / "live" / "answers")


def test_a_server_that_dies_and_comes_back_costs_nothing(world: Path, filed: Path, tmp_path: Path) -> None:
    """It is dead for less than all tries take, and then for longer: of that call nothing is lost either."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    asked, out, connections = tmp_path / "asked.jsonl", tmp_path / "out", 4
    asked.touch()
    served = [sys.executable, str(Path(__file__).with_name("witnessing.py")), "truthful", str(world), str(port)]
    words = [*COMMAND, "ask", "answers", "--model", f"openai:truthful@http://127.0.0.1:{port}/v1", "--data", str(world)]
    words += ["-o", str(out), "--name", "live", "--connections", str(connections)]

    @contextlib.contextmanager
    def alive() -> Iterator[None]:
        server = subprocess.Popen([*served, str(asked)])
        try:
            patience = time.monotonic() + 60
            while time.monotonic() < patience:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield
        finally:
            server.kill()
            server.wait()

    def hear(more: int) -> None:
        patience, wanted = time.monotonic() + 60, len(lines()) + more
        while len(lines()) < wanted and time.monotonic() < patience:
            time.sleep(0.01)

    def lines() -> list[str]:
        return asked.read_text(encoding="utf-8").splitlines()

    def start(*more: str) -> "subprocess.Popen[str]":
        return subprocess.Popen([*words, *more], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    with alive():
        first = start("--tries", "20")
        hear(12)
    time.sleep(1)
    with alive():
        hear(12)
        assert first.poll() is None
        first.kill()
        first.communicate()
        second = start("--tries", "1")
        hear(8)
    _, told = second.communicate(timeout=120)
    assert second.returncode == 2, told
    assert "Traceback" not in told
    assert "replies are kept: call again" in told
    with alive():
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert len(lines()) - len(set(lines())) <= 3 * connections, "two deaths and a kill"
    same(filed / "runs" / "truthful" / "answers", out / "runs" / "live" / "answers")
    warnings = read_run(out / "runs" / "live" / "answers").warnings
    assert any("Tried again" in line and "connection (" in line for line in warnings)


def test_a_table_of_prices_is_counted_by(world: Path, tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    table.write_text("model,sent,received\ntruthful,2.5,10\nother,1,1\n")
    with serving(said_by("truthful", world)) as server:
        words = ("answers", "--data", world, "-o", tmp_path / "out", "--limit", 2, "--name", "live", "--prices", table)
        model = f"openai:truthful@{server.url}"
        told = ask(*words, "--model", model, "--dry-run", "--requests-per-minute", 5, "--tokens-per-minute", 1000)
        whole = told.stdout.splitlines()[-1]
        found = re.fullmatch(
            r"in all: at most 23 requests, 22 with a picture, about ([\d,]+) tokens, ([\d.]+) in the prices' currency, "
            r"([\d.]+) minutes at 1,000 tokens per minute",
            whole,
        )
        assert found, whole
        tokens = int(found[1].replace(",", ""))
        assert float(found[2]) == pytest.approx(((tokens - 23 * 64) * 2.5 + 23 * 64 * 10) / 1e6, abs=0.006)
        assert float(found[3]) == pytest.approx(tokens / 1000, abs=0.06)
        done = ask(*words, "--model", f"openai:truth@{server.url}", fails=True)
        assert f"--prices: {table} has no price of 'truth'; it has 'truthful'" in done.stderr
        assert not [one for one in server.seen if one[2]]
        # Seven tokens sent and three received are 47.5 millionths of the currency.
        done = ask(*words, "--model", model, "--max-cost", 0.0004, "--connections", 1, fails=True)
        assert "--max-cost" in done.stderr
        # One more may have been on the way.
        assert len([one for one in server.seen if one[2]]) in (9, 10)


def test_a_key_is_nowhere(world: Path, tmp_path: Path) -> None:
    key = "sk-planted-7f3a9c51e2"
    sound = said_by("truthful", world)

    def say(path: str, headers: dict[str, str], body: object) -> Answer:
        if "Bearer " + key != headers.get("authorization"):
            return Answer(status=401)
        if path.endswith("/models"):
            return Answer()
        if len(server.seen) % 9 == 0:
            return Answer(status=429, headers={"Retry-After": "0"})
        return sound(path, headers, body)

    with serving(say) as server:
        words = ["answers", "--model", f"openai:m@{server.url}", "--data", str(world), "-o", str(tmp_path / "out")]
        loud = {
            **os.environ,
            "PLANTED": key,
            "PYTHONASYNCIODEBUG": "1",
            "PYTHONDEVMODE": "1",
            "HTTPX_LOG_LEVEL": "trace",
        }
        done = subprocess.run([*COMMAND, "ask", *words, "--key", "PLANTED"], capture_output=True, env=loud, check=False)
        assert done.returncode == 0, done.stderr
        refused = ask(*words[:-1], tmp_path / "other", "--key", "PLANTED", key=key + "x", fails=True)
    everything = [done.stdout, done.stderr, refused.stdout.encode(), refused.stderr.encode()]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 8
    everything += [path.read_bytes() for path in files]
    assert all(key.encode() not in data for data in everything)


def test_what_there_is_no_picture_of_is_refused_or_left_out(world: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    for picture in sorted((world / "pictures").iterdir())[:-2]:
        (pictures / picture.name).write_bytes(picture.read_bytes())
    with serving(said_by("truthful", world)) as server:
        words = ("answers", "--model", f"openai:truthful@{server.url}", "--data", world, "--images", pictures)
        done = ask(*words, "-o", tmp_path / "out", "--name", "live", fails=True)
        assert "no picture of 2 of 5 images" in done.stderr
        assert "--partial" in done.stderr
        assert not [one for one in server.seen if one[2]]
        ask(*words, "-o", tmp_path / "out", "--name", "live", "--partial")
    run = read_run(tmp_path / "out" / "runs" / "live" / "answers")
    assert run.coverage is not None
    assert run.coverage.missing == 20
    assert any("no picture of 2 of 5 images" in line for line in run.warnings)


def test_what_there_is_a_broken_picture_of_is_named_or_left_out(world: Path, tmp_path: Path) -> None:
    pictures = tmp_path / "pictures"
    pictures.mkdir()
    *sound, last = sorted((world / "pictures").iterdir())
    for picture in sound:
        (pictures / picture.name).write_bytes(picture.read_bytes())
    (pictures / last.name).write_bytes(last.read_bytes()[:200])
    with serving(said_by("truthful", world)) as server:
        words = ("answers", "--model", f"openai:truthful@{server.url}", "--data", world, "--images", pictures)
        words = (*words, "-o", tmp_path / "out", "--name", "live")
        assert f"{pictures / last.name}: found" in ask(*words, fails=True).stderr
        ask(*words, "--partial")
    assert "1 picture could not be read" in (tmp_path / "out" / "report.html").read_text()
    run = read_run(tmp_path / "out" / "runs" / "live" / "answers")
    assert run.coverage is not None
    assert run.coverage.missing == 10
    assert any(f"1 of 5 pictures cannot be read: {pictures / last.name} (" in line for line in run.warnings)


def test_rounds_are_counted_from_0_also_where_only_some_are_asked(world: Path, tmp_path: Path) -> None:
    """A file of later rounds alone does not say from where it counts; sets of a larger split are told of."""
    sets = json.loads((world / "visdial_val_references_true.json").read_text())
    later = [one for one in sets if one["round_id"] in (3, 4)]
    later += [{**one, "image_id": one["image_id"] + 10_000} for one in sets if one["round_id"] == 0]
    files = tmp_path / "files"
    files.mkdir()
    (files / "references.json").write_text(json.dumps(later))
    (files / "visdial_val.json").write_bytes((world / "visdial_val.json").read_bytes())
    words = ("--data", files, "--scenes", world / "scenes.jsonl", "-o", tmp_path / "out", "--name", "live")
    config = ask("answers", "--model", "witness:truthful", *words)
    assert "Of 10 images with reference sets, 5 are in the dialogues" in config.stderr
    run = read_run(tmp_path / "out" / "runs" / "live" / "answers")
    assert run.coverage is not None
    assert run.coverage.missing == 5
    answered = run.items.filter(run.items["generations"] > 0)
    assert set(answered["round"].to_list()) == {3, 4}


def test_a_ceiling_is_of_the_whole_call(world: Path, tmp_path: Path) -> None:
    with serving(said_by("truthful", world)) as server:
        words = ("all", "--model", f"openai:truthful@{server.url}", "--data", world, "-o", tmp_path, "--limit", 1)
        done = ask(*words, "--max-requests", 25, "--connections", 1, fails=True)
        assert "--max-requests" in done.stderr
        assert len([one for one in server.seen if one[2]]) == 25
        ask(*words, "--max-requests", 2, "--connections", 1, fails=True)
        assert len([one for one in server.seen if one[2]]) == 27


@pytest.mark.parametrize("name", ["../out", "a/b", " ", ".hidden", "x" * 300])
def test_a_name_that_is_no_folder_is_refused(name: str, world: Path, tmp_path: Path) -> None:
    out = tmp_path / "in" / "out"
    done = ask("answers", "--model", "witness:truthful", "--data", world, "-o", out, "--name", name, fails=True)
    assert "--name must be" in done.stderr
    assert not (tmp_path / "in").exists()

"""A config that asks for what nobody granted is refused in one line, before anything is sent or opened."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from voirdire.errors import InputError, UsageError
from voirdire.live.trust import place
from voirdire.session.config import Config, read_config
from voirdire.session.session import run_session
from voirdire.session.trust import check_trust, with_call

KEY = "PLANTED_SECRET"
TWO = """\
models:
  mine: {model: "openai:m@https://one.example/v1", key: PLANTED_SECRET}
  other: {model: "openai:m@https://two.example/v1"}
"""
ONE = TWO[: TWO.index("  other")]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(KEY, "planted-value-1234")


def written(folder: Path, text: str) -> Path:
    path = folder / "exam.yaml"
    path.write_text(text)
    return path


def refused(config: Config, **given: bool) -> str:
    with pytest.raises(UsageError) as caught:
        check_trust(config, **given)
    assert "\n" not in str(caught.value)
    assert "planted-value" not in str(caught.value)
    return str(caught.value)


def test_a_config_alone_sends_no_variable(tmp_path: Path) -> None:
    path = written(tmp_path, ONE)
    config = read_config(path)
    assert refused(config) == (
        f"{path}: line 2, field `models.mine.key`: a config alone may not send the value of the environment variable "
        "PLANTED_SECRET to one.example; where you mean it, call with `trust` PLANTED_SECRET@one.example"
    )
    with pytest.raises(UsageError, match="a config alone may not"):
        run_session(config, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_call_grants_by_naming_the_variable_or_the_pair(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, ONE))
    check_trust(with_call(config, trust=["PLANTED_SECRET@one.example"]))
    check_trust(with_call(config, keys=["PLANTED_SECRET"]))
    named = with_call(config, keys=["mine=OTHER_KEY"])
    check_trust(named)
    assert named.live["mine"]["key"] == "OTHER_KEY"
    refused(with_call(config, trust=["PLANTED_SECRET@two.example"]))
    refused(with_call(config, trust=["OTHER@one.example"]))
    assert not place().exists()


def test_with_several_models_a_key_names_its_own(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, TWO))
    with pytest.raises(UsageError, match=r"`key` must name its model, as in mine=MY_KEY: 2 are asked live"):
        with_call(config, keys=["MY_KEY"])
    with pytest.raises(UsageError, match=r"`key` must name a model that is asked live, mine or other, got 'third'"):
        with_call(config, keys=["third=MY_KEY"])
    # What is granted for one model is not granted for the other.
    assert "PLANTED_SECRET to one.example" in refused(with_call(config, keys=["other=PLANTED_SECRET"]))
    both = with_call(config, keys=["other=B", "mine=A"])
    check_trust(both)
    assert set(both.trust) == {"A@one.example", "B@two.example"}


def test_a_config_without_live_models_takes_no_key(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, "models: {a: {questions: {games: g}}}\n"))
    check_trust(config)
    with pytest.raises(UsageError, match="no model is asked live"):
        with_call(config, keys=["A"])


@pytest.mark.parametrize(
    ("setting", "grant"),
    [
        ("proxy: 'http://proxy.example:3128'", "proxy:http://proxy.example:3128@one.example"),
        ("ca: company.pem", "ca:"),
    ],
)
def test_the_way_to_a_host_needs_a_grant_as_well(tmp_path: Path, setting: str, grant: str) -> None:
    (tmp_path / "company.pem").write_text("certificates")
    config = read_config(written(tmp_path, f'models: {{m: {{model: "openai:m@https://one.example/v1", {setting}}}}}\n'))
    message = refused(config)
    assert f"call with `trust` {grant}" in message
    check_trust(with_call(config, trust=[message.rpartition(" ")[2]]))
    named = {"proxy": "http://other.example"} if "proxy" in setting else {"ca": str(tmp_path / "company.pem")}
    check_trust(with_call(config, **named))


def test_a_way_that_is_not_encrypted_is_another_grant(tmp_path: Path) -> None:
    text = 'models: {m: {model: "openai:m@http://one.example/v1", key: PLANTED_SECRET, insecure: true}}\n'
    config = with_call(read_config(written(tmp_path, text)), trust=["PLANTED_SECRET@one.example"])
    assert "`trust` PLANTED_SECRET@http://one.example" in refused(config)


@pytest.mark.parametrize("setting", ["key: 'A B'", "key: 'A@one.example'", "ca: nowhere.pem"])
def test_what_can_be_no_variable_or_file_is_named_with_its_place(tmp_path: Path, setting: str) -> None:
    path = written(tmp_path, f'models: {{m: {{model: "openai:m@https://one.example/v1", {setting}}}}}\n')
    assert refused(read_config(path)).startswith(f"{path}: line 1, field `models.m`: ")


@pytest.mark.parametrize(
    ("setting", "does", "kind"),
    [
        ("header: [X-Key=env:PLANTED_SECRET]", "send the value of the environment variable PLANTED_SECRET", "PLANTED"),
        ("header: [X-Plain=value]", "send the header X-Plain=value", "header:"),
        ('extra_body: \'{"user": "me"}\'', 'add {"user": "me"} to every request', "body:"),
    ],
)
def test_headers_and_fields_of_a_config_need_a_grant(tmp_path: Path, setting: str, does: str, kind: str) -> None:
    path = written(tmp_path, f'models: {{m: {{model: "openai:m@https://one.example/v1", {setting}}}}}\n')
    message = refused(read_config(path))
    assert f"a config alone may not {does} to one.example; where you mean it, call with `trust` {kind}" in message
    check_trust(with_call(read_config(path), trust=[message.rpartition(" ")[2]]))


def test_no_config_grants_anything_to_itself(tmp_path: Path) -> None:
    text = 'models: {m: {model: "openai:m@https://one.example/v1", trust: ["A@one.example"]}}\n'
    with pytest.raises(InputError, match=r"field `models\.m\.trust`"):
        read_config(written(tmp_path, text))


def test_a_cluster_that_a_config_names_needs_a_grant_unless_the_call_says_where_work_is_done(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    text = "engine: ray:10.0.0.1:6379\nmodels: {a: {questions: {games: g}}}\n"
    config = read_config(written(tmp_path, text))
    assert "field `engine`: a config alone may not send work and data to the ray cluster" in refused(config)
    check_trust(config, engine=False)
    check_trust(with_call(config, trust=["ray@10.0.0.1:6379"]))
    for engine in ("ray:auto", "here", "processes:2"):
        check_trust(read_config(written(tmp_path, text.replace("ray:10.0.0.1:6379", engine))))


def test_what_a_user_confirms_once_is_not_asked_again(tmp_path: Path) -> None:
    config = read_config(written(tmp_path, ONE))
    questions: list[str] = []

    def answering(answer: bool) -> Callable[[str], bool]:
        return lambda question: bool(questions.append(question)) or answer

    with pytest.raises(UsageError, match="a config alone may not"):
        check_trust(config, confirm=answering(False))
    assert not place().exists()
    check_trust(config, confirm=answering(True))
    assert len(questions) == 2
    assert questions[0].endswith(
        "field `models.mine.key`: send the value of the environment variable PLANTED_SECRET to one.example?"
    )
    check_trust(config, confirm=answering(False))
    check_trust(config)
    assert json.loads(place().read_text()) == ["PLANTED_SECRET@one.example"]
    # The same variable for another host is another question.
    elsewhere = read_config(written(tmp_path, ONE.replace("one.example", "two.example")))
    refused(elsewhere)


def test_a_config_made_in_python_is_the_callers_own() -> None:
    check_trust(Config({"m": {}}, live={"m": {"model": "openai:m@https://one.example/v1", "key": KEY}}))


COMMAND = [sys.executable, "-m", "voirdire", "exam"]


def test_a_script_is_told_the_flag(tmp_path: Path) -> None:
    path = written(tmp_path, ONE)
    ended = subprocess.run([*COMMAND, "--config", path, "-o", tmp_path / "out"], capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "call with --trust PLANTED_SECRET@one.example" in ended.stderr
    assert "planted-value" not in ended.stderr


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_person_at_a_terminal_is_asked(tmp_path: Path, answer: str) -> None:
    text = 'models: {mine: {model: "openai:m@https://127.0.0.1:9/v1", key: PLANTED_SECRET}}\n'
    ours, theirs = pty.openpty()
    ended = subprocess.Popen(
        [*COMMAND, "--config", written(tmp_path, text), "-o", tmp_path / "out"],
        stdin=theirs,
        stderr=theirs,
        stdout=theirs,
    )
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    shown = b""
    while True:
        try:
            shown += os.read(ours, 4096)
        except OSError:
            break
    assert ended.wait() == 2
    assert "send the value of the environment variable PLANTED_SECRET to 127.0.0.1:9? [y/N]" in " ".join(
        shown.decode().split()
    )
    assert place().exists() == (answer == "y")
    assert (b"may not send" in shown) == (answer == "n")

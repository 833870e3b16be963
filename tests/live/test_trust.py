"""What a config may not decide alone: which grant each thing needs, for which host, and what is remembered."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from scripted import chat, serving

from voirdire.errors import OutputError, UsageError
from voirdire.live.endpoint_model import EndpointModel
from voirdire.live.interview import Interview
from voirdire.live.settings import LiveOptions
from voirdire.live.trust import host_of, place, remember, remembered, ungranted, wishes, without_secrets
from voirdire.progress import Stages
from voirdire.world.build import build_world


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.mark.parametrize(
    ("spec", "host"),
    [
        ("openai:m@https://api.openai.com/v1", "api.openai.com"),
        ("openai:m@https://API.OpenAI.com:443/v1", "api.openai.com"),
        ("openai:m@https://api.openai.com:8443/v1", "api.openai.com:8443"),
        ("openai:m@http://localhost:8000/v1", "localhost:8000"),
        ("openai:m@http://[::1]:8000/v1", "[::1]:8000"),
        ("openai:m@http://api.openai.com/v1", "http://api.openai.com"),
        ("openai:m@https://аpi.openai.com/v1", r"openai:m@https://\u0430pi.openai.com/v1"),
        # Some read this as fass.example, others as xn--fa-hia.example.
        ("openai:m@https://faß.example/v1", r"openai:m@https://fa\xdf.example/v1"),
        ("openai:m@https://api.openai.com@evil.example/v1", "openai:m@https://api.openai.com@evil.example/v1"),
        ("openai:m@https://evil.example/https://api.openai.com", "evil.example"),
        ("openai:m@https://api.openai.com.evil.example/v1", "api.openai.com.evil.example"),
        ("openai:m@https://[bad/v1", "openai:m@https://[bad/v1"),
        ("mine:somewhere", "mine:somewhere"),
    ],
)
def test_a_grant_is_for_one_host(spec: str, host: str) -> None:
    assert host_of(spec) == host


def options(model: str = "openai:m@https://host.example/v1", **given: object) -> LiveOptions:
    return LiveOptions(model=model, **given)


def test_each_thing_that_needs_a_grant_says_what_it_would_do(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("certificates")
    asked = wishes(options(key="MY_KEY", proxy="http://proxy.example:3128", ca=str(tmp_path / "ca.pem")))
    assert [wish.option for wish in asked] == ["key", "proxy", "ca"]
    assert asked[0].grant == "MY_KEY@host.example"
    assert asked[0].does == "send the value of the environment variable MY_KEY to host.example"
    assert asked[1].grant == "proxy:http://proxy.example:3128@host.example"
    before = asked[2].grant
    assert before.startswith("ca:")
    (tmp_path / "ca.pem").write_text("others")
    assert wishes(options(ca=str(tmp_path / "ca.pem")))[0].grant != before
    assert wishes(options()) == []
    with pytest.raises(UsageError, match=r"`ca`: .*there\.pem is no file"):
        wishes(options(ca=str(tmp_path / "there.pem")))


@pytest.mark.parametrize("variable", ["A B", "A\nB", "$HOME", "", "Ä", "A@b"])
def test_a_key_is_the_name_of_a_variable(variable: str) -> None:
    if not variable:
        assert wishes(options(key=variable)) == []
        return
    with pytest.raises(UsageError, match="`key` must name an environment variable") as caught:
        wishes(options(key=variable))
    assert variable not in str(caught.value).replace("`key`", "")


def test_a_header_that_looks_like_a_secret_is_not_shown() -> None:
    with pytest.raises(UsageError, match="X-Api-Key looks like a secret") as caught:
        wishes(options(header=("X-Api-Key=planted",)))
    assert "planted" not in str(caught.value)


def test_what_is_remembered_is_for_its_owner_alone_and_grants_later_calls() -> None:
    asked = wishes(options(key="MY_KEY"))
    assert remembered() == []
    assert ungranted([*asked, *asked], ()) == asked
    assert ungranted(asked, ("MY_KEY@host.example",)) == []
    assert ungranted(asked, ("MY_KEY@other.example", "OTHER@host.example")) == asked
    remember(["MY_KEY@host.example"])
    remember(["OTHER@host.example"])
    assert place().stat().st_mode & 0o777 == 0o600
    assert json.loads(place().read_text()) == ["MY_KEY@host.example", "OTHER@host.example"]
    assert ungranted(asked, ()) == []


@pytest.mark.parametrize("content", [b"{}", b"[1]", b"\xff", b"", b"[" * 100_000])
def test_a_file_of_grants_that_is_none_is_refused_in_one_line(content: bytes) -> None:
    place().parent.mkdir(parents=True)
    place().write_bytes(content)
    with pytest.raises(UsageError, match=r"trusted\.json: .*remove it") as caught:
        ungranted([], ())
    assert "\n" not in str(caught.value)


def test_a_place_that_takes_no_grants_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OutputError, match=r"trusted\.json: .*Permission denied"):
        remember(["MY_KEY@host.example"])


def test_a_file_of_grants_that_others_may_write_is_refused() -> None:
    remember(["MY_KEY@host.example"])
    place().chmod(0o620)
    with pytest.raises(UsageError, match="others may write to it"):
        remembered()


def test_a_second_model_at_another_host_is_asked_without_the_key_of_the_first() -> None:
    first = "openai:m@https://host.example/v1"
    same = options("openai:other@https://host.example/v2", key="MY_KEY")
    assert without_secrets(same, first) == (same, [])
    elsewhere = options("openai:other@https://evil.example/v1", key="MY_KEY")
    withheld, grants = without_secrets(elsewhere, first)
    assert withheld.key is None
    assert grants == ["MY_KEY@evil.example"]
    granted = options("openai:other@https://evil.example/v1", key="MY_KEY", trust=("MY_KEY@evil.example",))
    assert without_secrets(granted, first) == (granted, [])


def test_who_asks_a_second_model_without_the_key_is_told_the_grant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-planted-4711")
    lines: list[str] = []
    stages = Stages()
    monkeypatch.setattr(stages, "say", lines.append, raising=False)
    with Interview(options(key="MY_KEY"), tmp_path, tmp_path / "m.journal", stages=stages) as interview:
        other = interview.other("openai:other@https://evil.example/v1")
        interview.other("openai:other@https://evil.example/v1")
    assert isinstance(other, EndpointModel)
    assert other.client.endpoint.key is None
    (line,) = lines
    assert "without the secrets that host.example is sent" in line
    assert line.endswith(": `trust` MY_KEY@evil.example")


def test_a_second_model_gets_no_secret_header_of_the_first() -> None:
    headers = ("X-Key=env:MY_KEY", "X-Plain=value")
    elsewhere = options("openai:other@https://evil.example/v1", header=headers)
    withheld, grants = without_secrets(elsewhere, "openai:m@https://host.example/v1")
    assert withheld.header == ("X-Plain=value",)
    assert grants == ["MY_KEY@evil.example"]


CONFIG = """\
data:
  answers: {{visdial: world/visdial_val.json, references: world/visdial_val_references_true.json}}
models:
  mine: {{model: "openai:m@{url}", key: PLANTED_SECRET, show: nothing, connections: 1}}
options: {{limit: 1, answers: {{samples: 1, bounds: false, overlap: false}}}}
"""


@pytest.mark.slow
def test_the_key_of_a_config_goes_to_its_host_when_it_is_granted_and_not_before(
    called: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANTED_SECRET", "planted-value-1234")
    build_world(tmp_path / "world", 8, 3)
    with serving(lambda *_: chat("yes")) as server:
        (tmp_path / "exam.yaml").write_text(CONFIG.format(url=server.url))
        words = ("exam", "--config", tmp_path / "exam.yaml", "-o", tmp_path / "out")
        code, printed, err = called(*words)
        assert (code, printed) == (2, "")
        assert server.seen == []
        grant = err.rpartition("--trust ")[2].strip()
        assert grant == f"PLANTED_SECRET@{server.url.removeprefix('http://').removesuffix('/v1')}"
        code, printed, err = called(*words, "--trust", grant)
        assert code == 0, err
        assert {headers["authorization"] for _, headers, _ in server.seen} == {"Bearer planted-value-1234"}
        sent = len(server.seen)
        # What was asked is there: a key of another name changes nothing that is made.
        monkeypatch.setenv("OTHER_KEY", "other-value-1234")
        assert called(*words, "--key", "OTHER_KEY")[0] == 0
        assert len(server.seen) == sent
    assert not place().exists()
    kept = b"".join(path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert b"planted-value" not in kept

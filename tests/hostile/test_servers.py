"""A live model behind a hostile or a quirky server: each call is scored or explained, and its key stays with it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import servers
from behaviours import Behaviour
from hostile_servers import HEAVY, HOSTILE
from quirky_servers import QUIRKY

WHOLE = (
    "hangs up at once",
    "JSON of 100,000 levels",
    "500 with the key in it",
    "the key in a refused item",
    "Azure: the prompt is filtered",
    "llama.cpp: no mmproj",
)


def by_name(behaviours: tuple[Behaviour, ...]) -> list:
    return [pytest.param(behaviour, id=behaviour.name) for behaviour in behaviours]


@pytest.mark.parametrize("behaviour", by_name((*HOSTILE, *QUIRKY)))
def test_a_call_is_scored_or_explained(behaviour: Behaviour, tmp_path: Path) -> None:
    assert servers.fault_of(behaviour, servers.put(behaviour, tmp_path)) == ""


def test_there_are_as_many_as_promised() -> None:
    names = [behaviour.name for behaviour in servers.ALL]
    assert len(set(names)) == len(names)
    assert len(HOSTILE) + len(HEAVY) >= 60
    assert len(QUIRKY) >= 40
    assert all(
        any(name.startswith(server) for name in names)
        for server in ("vLLM", "Ollama", "LM Studio", "OpenRouter", "Azure", "Gemini", "llama.cpp", "Mistral")
    )


def test_the_search_for_the_key_can_fail(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(f"x{servers.KEY}x")
    assert servers._leaks(tmp_path, {"b": servers.KEY, "c": "none"}) == "b, a"


def test_the_measure_of_memory_can_fail(tmp_path: Path) -> None:
    outcome = servers.put(servers.GOOD, tmp_path)
    assert servers.fault_of(servers.GOOD, outcome) == ""
    assert "MB more" in servers.fault_of(servers.GOOD, replace(outcome, grown=servers.MORE + 1))
    if servers._memory("VmHWM"):
        before = servers._forget_peak()
        much = b"a" * 100 * 2**20
        del much
        assert servers._memory("VmHWM") >= before + 90


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return servers.make_world(tmp_path_factory.mktemp("world"))


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_the_whole_command_ends_in_order(name: str, world: Path, tmp_path: Path) -> None:
    (behaviour,) = (each for each in servers.ALL if each.name == name)
    outcome = servers.ask_whole(behaviour, world, tmp_path)
    assert not outcome.crashed
    assert not outcome.leaked
    assert outcome.scored or outcome.explained


@pytest.fixture(scope="module")
def usual(world: Path, tmp_path_factory: pytest.TempPathFactory) -> int:
    """MB that the command takes with a good server."""
    code, peak = servers.peak_of(servers.GOOD, world, tmp_path_factory.mktemp("good"))
    assert code == 0
    return peak


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", by_name(HEAVY))
def test_no_server_takes_the_memory(behaviour: Behaviour, world: Path, tmp_path: Path, usual: int) -> None:
    code, peak = servers.peak_of(behaviour, world, tmp_path)
    assert code == (0 if behaviour.scored else 2)
    assert peak <= usual + servers.MORE

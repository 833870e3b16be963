"""A few hundred attacks on the verbs: each does its work, or says in a line that names a file or an option why not."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import verbs

pytestmark = pytest.mark.slow

SEED, CHUNKS, SIZE = 0, 25, 6


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[int], dict[str, Any]]]:
    """What carries out attacks: a process of its own, since this one may have begun threads that no fork survives."""
    # Processes that test side by side share the material; each has a folder of its own in that of the whole run.
    own = tmp_path_factory.getbasetemp()
    material = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "hostile" / "material"
    fuzz = Path(__file__).with_name("fuzz.py")
    words = [sys.executable, str(fuzz), "--serve", "--seed", str(SEED), "--material", str(material)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None

        def ask(number: int) -> dict[str, Any]:
            print(number, file=server.stdin, flush=True)
            answer: dict[str, Any] = json.loads(server.stdout.readline())
            return answer

        yield ask
        server.stdin.close()


def test_every_verb_takes_part() -> None:
    assert sorted(verbs.CALLS) == sorted(verbs.commands())


def test_options_are_found_to_be_attacked() -> None:
    """Else an attack on an option would leave the call as it is."""
    found = {verb: verbs.options_of(verb) for verb in verbs.CALLS}
    assert {"--top", "--lambda", "--ranker"} <= {flag for one in found["robustness rank"] for flag in one.opts}
    assert [verb for verb, options in found.items() if not options] == ["study revoke", "list"]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_attacked_calls_work_or_say_why_not(chunk: int, attacked: Callable[[int], dict[str, Any]]) -> None:
    faults = []
    for number in range(chunk * SIZE, (chunk + 1) * SIZE):
        result = attacked(number)
        if result["outcome"] == "fault":
            again = f"python tests/hostile/fuzz.py --only verbs --case {number} --seed {SEED}"
            faults.append(f"{result['told']}\n    {result['detail']}\n    {again}")
    assert not faults, "\n".join(faults)

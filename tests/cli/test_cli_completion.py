"""Shell completion: the scripts for bash, zsh and fish, and what they are answered.

A shell that is not installed is stood in for by the call that its script makes.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

COMMAND = Path(sys.executable).with_name("voirdire")
SHELLS = ("bash", "zsh", "fish")
DESCRIBED = "CIDEr, BLEU, METEOR"


def call(*words: str, **variables: str) -> str:
    """What the command prints, called by its own name as a shell does it."""
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **variables}
    done = subprocess.run(words or ["voirdire"], capture_output=True, text=True, env=environment, check=True)
    assert done.stderr == ""
    return done.stdout


def script(shell: str) -> str:
    """The script that `--show-completion` prints for this shell."""
    return call("voirdire", "--show-completion", shell, _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")


def need(shell: str) -> str:
    return shutil.which(shell) or pytest.skip(f"{shell} is not installed")


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_calls_back(shell: str) -> None:
    assert f"_VOIRDIRE_COMPLETE=complete_{shell}" in script(shell)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("voirdire doc", {"doctor"}),
        ("voirdire answers score --gener", {"--generations"}),
        ("voirdire nothing-like-it", set()),
    ],
)
def test_what_each_shell_is_answered(line: str, expected: set[str]) -> None:
    bash = call(COMP_WORDS=line, COMP_CWORD=str(len(line.split()) - 1), _VOIRDIRE_COMPLETE="complete_bash")
    fish = call(_TYPER_COMPLETE_ARGS=line, _TYPER_COMPLETE_FISH_ACTION="get-args", _VOIRDIRE_COMPLETE="complete_fish")
    zsh = call(_TYPER_COMPLETE_ARGS=line, _VOIRDIRE_COMPLETE="complete_zsh")
    assert set(bash.split()) == expected
    assert {row.split("\t")[0] for row in fish.splitlines() if row.strip()} == expected
    assert all(f'"{word}"' in zsh for word in expected)
    assert zsh.startswith("_arguments") if expected else zsh.strip() == "_files"


def test_zsh_and_fish_are_told_what_a_verb_does() -> None:
    assert DESCRIBED in call(_TYPER_COMPLETE_ARGS="voirdire answers sc", _VOIRDIRE_COMPLETE="complete_zsh")
    assert DESCRIBED in call(
        _TYPER_COMPLETE_ARGS="voirdire answers sc",
        _TYPER_COMPLETE_FISH_ACTION="get-args",
        _VOIRDIRE_COMPLETE="complete_fish",
    )


def test_bash_completes(tmp_path: Path) -> None:
    file = tmp_path / "completion.bash"
    file.write_text(script("bash"), encoding="utf-8")
    program = (
        f"source {file}; COMP_WORDS=(voirdire robustness pert); COMP_CWORD=2; "
        '_voirdire_completion voirdire; echo "${COMPREPLY[@]}"'
    )
    assert call(need("bash"), "-c", program) == "perturb\n"


def test_fish_completes(tmp_path: Path) -> None:
    file = tmp_path / "completion.fish"
    file.write_text(script("fish"), encoding="utf-8")
    found = call(need("fish"), "-c", f"source {file}; complete -C 'voirdire robustness pert'")
    assert found.split("\t")[0] == "perturb"


def test_zsh_takes_the_script(tmp_path: Path) -> None:
    file = tmp_path / "_voirdire"
    file.write_text(script("zsh"), encoding="utf-8")
    program = f"autoload -U compinit; compinit -u -d {tmp_path}/dump; source {file}; echo $_comps[voirdire]"
    assert call(need("zsh"), "-f", "-c", program) == "_voirdire_completion\n"

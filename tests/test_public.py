"""The package's public names: all there, all loaded late, none forgotten by the type checker's list."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import voirdire


@pytest.mark.parametrize("name", voirdire.__all__)
def test_every_public_name_can_be_had(name: str) -> None:
    assert getattr(voirdire, name) is not None
    assert name in dir(voirdire)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        voirdire.nothing  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(voirdire.__file__).read_text(encoding="utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [(node.module or "", node.names[0].name) for node in block.body if isinstance(node, ast.ImportFrom)]
    seen = {f"{module.removeprefix('voirdire.')}.{name}" for module, name in imports if module.startswith("voirdire.")}
    assert seen == {f"{home}.{name}" for name, home in voirdire._HOME.items()}


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import sys, voirdire; print(sorted(name for name in sys.modules if name.startswith('voirdire')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['voirdire', 'voirdire._version']"

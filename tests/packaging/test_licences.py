"""Every package that is installed with ours has its licence on the page, and none of them would bind ours.

`python tests/packaging/test_licences.py` prints the page's table from what is installed.
"""

import re
import tomllib
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "licences.md"
# What these state nowhere but in a file.
BY_HAND = {"pycocoevalcap": "BSD-2-Clause", "pysimdjson": "MIT"}
SHORT = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Python Software Foundation License": "PSF-2.0",
}
# GPL and AGPL, not LGPL: a library under the last may be used by programs under any licence.
BINDING = re.compile(r"(?<!L)GPL|(?<!Lesser )General Public|Affero")


def needed() -> list[str]:
    """Names of all packages that `pip install voirdire` brings, without those of graphics cards that torch may add."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["dependencies"]
    waiting, seen = list(map(Requirement, stated)), set()
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        used = any(one.marker is None or one.marker.evaluate({"extra": extra}) for extra in ("", *one.extras))
        if not used or name in seen or name.startswith(("nvidia-", "cuda-")):
            continue
        try:
            waiting += map(Requirement, distribution(name).requires or [])
        except PackageNotFoundError:
            continue
        seen.add(name)
    return sorted(seen)


def licence(name: str) -> str:
    """What the package's metadata say: an expression, a few words, or the register's class."""
    about = distribution(name).metadata
    words = about.get("License", "")
    classes = [line.rpartition(" :: ")[2] for line in about.get_all("Classifier", []) if line.startswith("License")]
    stated = [
        about.get("License-Expression", ""),
        words if 0 < len(words) < 20 and words != "UNKNOWN" else "",
        *classes,
    ]
    return BY_HAND.get(name) or next((SHORT.get(text, text) for text in stated if text), "")


def table() -> str:
    rows = [f"| {name} | {licence(name)} |" for name in needed()]
    return "\n".join(["| package | licence |", "| --- | --- |", *rows])


@pytest.mark.parametrize("name", needed())
def test_a_package_is_on_the_page_and_does_not_bind(name: str) -> None:
    assert f"| {name} | {licence(name)} |" in PAGE.read_text(encoding="utf-8").splitlines()
    assert licence(name)
    assert not BINDING.search(licence(name))


def test_every_java_program_that_comes_along_is_on_the_page() -> None:
    """Those of a package that states no licence; which of them bind is said, and that these are not used."""
    page = PAGE.read_text(encoding="utf-8")
    package = Path(distribution("pycocoevalcap").locate_file("pycocoevalcap"))  # type: ignore[arg-type]
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for jar in package.rglob("*.jar"):
        name = jar.name.partition("-")[0] if jar.parent.name == "lib" else jar.name
        (row,) = [row for row in rows if f"/{name}" in row or f" {name}" in row or f"`{name}" in row][:1]
        assert not BINDING.search(row.split("|")[2]) or row.endswith("| no |"), row
    for name in ("stanford-corenlp-3.4.1.jar", "spice-1.0.jar", "SceneGraphParser-1.0.jar"):
        assert BINDING.search(next(row for row in rows if name in row))
    with zipfile.ZipFile(package / "spice" / "spice-1.0.jar") as archive:
        assert b"GNU AFFERO" in archive.read("COPYING")


def test_what_binds_is_seen() -> None:
    assert BINDING.search("GPL-3.0-or-later")
    assert BINDING.search("GNU Affero General Public License v3")
    assert BINDING.search("GNU General Public License v2 (GPLv2)")
    assert not BINDING.search("LGPL-3.0-or-later")
    assert not BINDING.search("GNU Lesser General Public License v3")


if __name__ == "__main__":
    print(table())

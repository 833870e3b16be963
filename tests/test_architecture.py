"""The house keeps its floors: imports go only downward, and light verbs carry nothing heavy."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "voirdire"

# What each part may import beside itself. A part that is not here is an error, so that its floor is decided on purpose.
GROUND = {
    *("_version", "atomic", "bounded", "bundled", "drawings", "errors", "escaping", "figures", "lazy", "options"),
    *("pages", "progress", "providers"),
}
SHARED = GROUND | {"engine", "formats", "metrics", "runs", "stats", "text"}
EXAMS = {"answers", "questions", "robustness", "scorekeeping"}
# What an exam is, and what its declaration is made into: the same for every exam.
FRAME = {"call", "exam", "items", "section", "tables"}
MAY_IMPORT: dict[str, set[str]] = {
    "_version": set(),
    "errors": set(),
    "figures": set(),
    "lazy": set(),
    "options": {"errors"},
    "progress": set(),
    "atomic": {"errors"},
    "bounded": {"errors"},
    "bundled": {"errors"},
    "escaping": set(),
    "pages": {"_version", "escaping"},
    "drawings": {"atomic", "errors", "escaping", "figures", "pages"},
    "providers": {"errors"},
    "formats": GROUND,
    "stats": GROUND,
    "engine": GROUND,
    "text": GROUND | {"engine", "formats"},
    "metrics": GROUND | {"formats", "stats", "text"},
    "runs": GROUND | {"formats", "metrics", "stats"},
    "items": {"metrics"},
    "exam": GROUND | {"formats", "items", "metrics", "runs"},
    "call": GROUND | {"exam", "formats", "runs"},
    "tables": GROUND | {"exam", "metrics", "runs"},
    "section": SHARED | {"exam"},
    # The papers' own models, and what trains them.
    "models": SHARED,
    # An exam says what a model is asked, in the words of `live`, and people, in those of `study`; who answers it does
    # not know.
    **dict.fromkeys(EXAMS, SHARED | FRAME | {"live", "models", "study"}),
    # What other tools wrote, as the official layouts.
    "conversion": GROUND | {"formats"},
    # What files are and which exams they can serve; what is installed, and whether it works.
    "validation": GROUND | {"conversion", "exam", "formats"},
    "doctor": SHARED | {"exam"},
    # Nobody from here on knows one of the exams: they go over the registry.
    "verdict": SHARED | FRAME,
    "report": SHARED | FRAME | {"verdict"},
    "live": SHARED | FRAME | {"models"},
    "study": SHARED | FRAME | {"live"},
    "session": SHARED | FRAME | {"conversion", "live", "report", "validation", "verdict"},
    # The world stands for models and datasets alike, so it knows the exams whose files it makes.
    "world": SHARED | FRAME | EXAMS | {"live", "session"},
    "cli": SHARED
    | FRAME
    | {
        *("asking", "conversion", "doctor", "live", "models", "report", "session"),
        *("study", "validation", "verdict", "world"),
    },
    # From Python: what `ask` and `exam` do.
    "asking": SHARED | FRAME | {"live", "session", "world"},
    "__main__": {"cli"},
    # `import voirdire`: the public names of everything, and nothing inside may lean on it.
    "": SHARED
    | FRAME
    | EXAMS
    | {"asking", "conversion", "live", "report", "session", "validation", "verdict", "world"},
}

HEAVY = {
    *("torch", "transformers", "sentence_transformers", "polars", "scipy", "sklearn", "statsmodels", "nltk", "h5py"),
    *("PIL", "numba", "pandas", "numpy", "ray"),
}
MODULES = 480
"""The most that was measured (433, `validate --help`) and a tenth: more means that a light verb grew heavy."""


@cache
def parsed(path: Path) -> ast.Module:
    """A file as Python reads it, once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imported(path: Path, package: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Every module of ours that a file imports, anywhere in it: (line, dotted path below the root)."""
    for node in ast.walk(parsed(path)):
        names: list[str] = []
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(level=0):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            case ast.ImportFrom():
                above = package[: len(package) - node.level + 1]
                names = [".".join([*above, *filter(None, [node.module]), alias.name]) for alias in node.names]
            case ast.Call(
                func=ast.Attribute(attr="import_module") | ast.Name(id="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                names = [name]
        for name in names:
            root, *rest = name.split(".")
            if root == "voirdire":
                yield node.lineno, rest


def violations(source: Path) -> list[str]:
    """The imports below `source` that the table does not allow, each as a sentence."""
    parts = {path.name for path in source.iterdir() if path.is_dir()} | {path.stem for path in source.glob("*.py")}
    found = []
    for path in sorted(source.rglob("*.py")):
        inside = path.relative_to(source)
        part = "" if inside.name == "__init__.py" and len(inside.parts) == 1 else inside.with_suffix("").parts[0]
        if part not in MAY_IMPORT:
            found.append(f"{inside}: `{part}` has no place in the table of {Path(__file__).name}")
            continue
        for line, rest in imported(path, ["voirdire", *inside.parent.parts]):
            # A name that is no part of the tree is one of the package's own names, taken from its top.
            target = rest[0] if rest and rest[0] in parts | set(MAY_IMPORT) else ""
            if target != part and target not in MAY_IMPORT[part]:
                found.append(f"{inside}:{line}: `{part}` may not import `{target or 'voirdire'}`")
    return found


def test_imports_go_only_downward() -> None:
    assert violations(SOURCE) == []


def test_the_table_has_no_cycle() -> None:
    order = list(TopologicalSorter(MAY_IMPORT).static_order())
    assert set(order) == set(MAY_IMPORT)
    assert order.index("errors") < order.index("formats") < order.index("answers") < order.index("cli")


@pytest.mark.parametrize(
    ("place", "text", "expected"),
    [
        ("answers/exam.py", "from voirdire.questions.oracle import Oracle", "`answers` may not import `questions`"),
        ("questions/exam.py", "import voirdire.world", "`questions` may not import `world`"),
        ("formats/ranks.py", "def f():\n    from voirdire import text", "`formats` may not import `text`"),
        ("stats/holm.py", "from ..runs.run import Run", "`stats` may not import `runs`"),
        ("stats/deep/er.py", "from ...cli import main", "`stats` may not import `cli`"),
        ("runs/run.py", "from .. import report", "`runs` may not import `report`"),
        ("metrics/rank.py", "import importlib\nimportlib.import_module('voirdire.cli.main')", "`cli`"),
        (
            "report/page.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import voirdire.cli.main",
            "`cli`",
        ),
        ("errors.py", "import voirdire.atomic", "`errors` may not import `atomic`"),
        ("cli/verbs.py", "from voirdire.answers.exam import EXAM", "`cli` may not import `answers`"),
        ("session/steps.py", "import voirdire.robustness", "`session` may not import `robustness`"),
        ("report/page.py", "from voirdire.questions import views", "`report` may not import `questions`"),
        ("verdict/views.py", "import voirdire.scorekeeping", "`verdict` may not import `scorekeeping`"),
        ("engine/here.py", "from voirdire import __version__", "`engine` may not import `voirdire`"),
        ("attic/old.py", "import json", "`attic` has no place in the table"),
    ],
)
def test_the_checker_sees_a_planted_violation(tmp_path: Path, place: str, text: str, expected: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text(text)
    (found,) = violations(tmp_path)
    assert found.startswith(place)
    assert expected in found


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (
            "answers/exam.py",
            "from voirdire.metrics import rank\nfrom voirdire.engine import run_map\nimport numpy as np",
        ),
        (
            "answers/exam.py",
            "from .cca import Cca\nfrom . import cca\nfrom ..text import tokens\nfrom ..errors import Problem",
        ),
        ("cli/verbs.py", "def verb():\n    from voirdire import exam\n    import voirdire.world"),
        ("__init__.py", "from voirdire.answers import exam\nfrom voirdire._version import __version__"),
        ("engine/here.py", "from voirdire._version import __version__"),
        ("world/scenes.py", "import voirdireland"),
    ],
)
def test_the_checker_lets_good_imports_pass(tmp_path: Path, place: str, text: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text(text)
    assert violations(tmp_path) == []


def _flags(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Texts that name a flag; docstrings, whole calls, and what declares a flag are no messages about one."""
    holders = [node for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list)]
    alone = [one for node in holders for one in node.body if isinstance(one, ast.Expr)]  # type: ignore[attr-defined]
    described = {id(one.value) for one in alone}
    described |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == "flag"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            said = re.sub(r"\b(?:voirdire|pip|inspect|scorekeeping) [^`]*", "", node.value)
            if re.search(r"(?<![\w-])--[a-z]", said):
                yield node.lineno, node.value


NO_MESSAGES = {
    # Names of colours in a style sheet, words of a call that is put together there.
    *("report/page.py", "section/charts.py", "conversion/layouts.py", "doctor.py"),
}


def test_messages_name_arguments_and_no_flags() -> None:
    """Who calls from Python has no flags; the command says a name in backticks as its flag."""
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] != "cli" and path.relative_to(SOURCE).as_posix() not in NO_MESSAGES
        for line, text in _flags(parsed(path))
    ]
    assert found == []


def test_the_search_for_flags_can_fail() -> None:
    planted = '"""Of --ranks."""\nraise ValueError("--ranks must be")\nx = "call `voirdire a --b`"\n'
    assert [line for line, _ in _flags(ast.parse(planted))] == [2]


def test_a_class_name_has_one_meaning() -> None:
    homes: dict[str, list[str]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path.relative_to(SOURCE).as_posix())
    assert "Exam" in homes
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_nobody_above_names_an_exam() -> None:
    """Outside the exams, the world, the one registry and the public names, nobody holds an exam's name."""
    # The fields of other people's files are called as they are: VisDial has `questions` and `answers`.
    allowed = {*EXAMS, "conversion", "formats", "world", "exam", "__init__.py"}
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {text}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in allowed
        for line, text in _strings(path)
        if text in EXAMS
    ]
    assert found == []


TESTS = Path(__file__).parent
NO_MIRROR = {"published", "parity", "real", "hostile", "browser", "docs", "packaging"}
"""Folders of tests that stand beside the packages: figures of papers, other tools, whole programs."""
OF_MORE = {
    # The house itself, and its public names.
    *("test_architecture.py", "test_public.py"),
    # Verbs that are made of an exam's declaration, by exam and verb.
    *("cli/test_answers_score.py", "cli/test_answers_sets.py", "cli/test_questions_oracle.py"),
    *("cli/test_questions_score.py", "cli/test_robustness_rank.py", "cli/test_robustness_score.py"),
    *("cli/test_scorekeeping_probe.py", "cli/test_scorekeeping_propositions.py", "cli/test_scorekeeping_verbs.py"),
}
"""Modules of tests that are of no single module, and of no single package by their names."""


def strangers(tests: Path, source: Path) -> list[str]:
    """Modules of tests that nothing of ours is called like, where they stand.

    `a/b/test_X.py` is of the module or package `X` in `a/b`; `test_X_more.py` is, too, for a second module of tests.
    One that is of the whole package begins with its name: `b/test_b.py`, `b/test_b_more.py`, `b/test_a_b_more.py`.
    """
    found = []
    for path in sorted(tests.rglob("test_*.py")):
        inside = path.relative_to(tests)
        if inside.parts[0] in NO_MIRROR:
            continue
        place = source / inside.parent
        known = [one.stem for one in place.glob("*.py")] + [one.name for one in place.glob("*/")]
        known += ["_".join(inside.parts[start:-1]) for start in range(len(inside.parts) - 1)]
        if not any(f"{path.stem}_".startswith(f"test_{name}_") for name in known if name):
            found.append(inside.as_posix())
    return found


def test_tests_are_called_like_what_they_test() -> None:
    assert set(strangers(TESTS, SOURCE)) == OF_MORE


def test_the_search_for_strangers_can_fail(tmp_path: Path) -> None:
    good = ("test_call.py", "runs/test_limit.py", "runs/test_limit_of_exams.py", "runs/test_runs_shown.py")
    good += ("metrics/test_meteor.py", "metrics/meteor/test_meteor.py", "metrics/meteor/test_metrics_meteor.py")
    bad = ("runs/test_call.py", "runs/test_limited.py", "test_limit.py", "attic/test_old.py")
    for name in (*good, *bad, "real/test_runs.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert strangers(tmp_path, SOURCE) == sorted(bad)


def loaded(code: str) -> tuple[int, list[str]]:
    """Run the code in a fresh interpreter: how it exits, and the modules that are loaded by then."""
    script = (
        "import atexit, json, sys\n"
        "atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules)), file=sys.stderr))\n" + code
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stderr.splitlines()[-1])


def command(*arguments: str) -> str:
    return f"sys.argv = {['voirdire', *arguments]!r}\nfrom voirdire.cli.main import run\nrun()"


@pytest.mark.parametrize("code", ["import voirdire.cli.main", command("--help"), command("validate", "--help")])
def test_light_verbs_load_nothing_heavy(code: str) -> None:
    status, modules = loaded(code)
    assert status == 0
    assert "voirdire.cli.main" in modules
    assert HEAVY & set(modules) == set()
    assert len(modules) <= MODULES
    # Of the exams, a list has names and helps; a verb is made when it is called.
    assert not [name for name in modules if name in {f"voirdire.{exam}.exam" for exam in EXAMS}]


def test_the_count_of_modules_can_fail() -> None:
    status, modules = loaded("import numpy, voirdire.cli.main")
    assert status == 0
    assert HEAVY & set(modules) == {"numpy"}

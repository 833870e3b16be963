"""A trained oracle as one .npz file: its weights, its words, and a JSON text `about` with everything else.

The file holds numbers and text alone and is read without unpickling anything, so it is safe to load whoever made it.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.errors import InputError, Problem, UsageError
from voirdire.formats.files import open_source
from voirdire.formats.guesswhat import ANSWERS
from voirdire.formats.strict import Problems
from voirdire.models import Epoch
from voirdire.models.array_file import read_arrays, write_arrays
from voirdire.questions.exam import OracleOptions
from voirdire.questions.trained_oracle.examples import CATEGORIES, FEATURES

KIND = "voirdire oracle"
FORMAT = 2
EXPECTED = "an oracle that `voirdire questions train-oracle` wrote"
Weights = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class TrainedOracle:
    """An oracle's weights, and what they came from.

    epoch     the epoch, from 1, after which the weights were taken
    history   how each epoch went
    examples  how many questions it was trained on
    crops     how many features a crop has; 0 for an oracle without crops
    data      the files that it was trained on: role to SHA-256
    """

    options: OracleOptions
    words: tuple[str, ...]
    weights: Weights
    epoch: int
    history: tuple[Epoch, ...]
    examples: int
    crops: int = 0
    data: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""


class _About(msgspec.Struct, forbid_unknown_fields=True):
    kind: str
    format: int
    version: str
    options: dict[str, Any]
    epoch: int
    history: list[Epoch]
    examples: int
    crops: int
    data: dict[str, str]


def checkpoint_path(output: str | Path) -> Path:
    """Where the training that is to become `output` keeps its state."""
    return Path(f"{output}.training")


def write_oracle(oracle: TrainedOracle, path: str | Path) -> None:
    """Write the oracle; the same oracle gives the same bytes."""
    about = _About(
        KIND,
        FORMAT,
        __version__,
        oracle.options.plain(),
        oracle.epoch,
        list(oracle.history),
        oracle.examples,
        oracle.crops,
        oracle.data,
    )
    words = np.frombuffer("\n".join(oracle.words).encode(), np.uint8)
    write_arrays(path, about, {"words": words, **oracle.weights})


def read_oracle(path: str | Path) -> TrainedOracle:
    """Read an oracle, strictly: every array there, of its shape, finite."""
    source = open_source(path)
    name = source.name
    about, arrays = read_arrays(source, _About, EXPECTED)
    if about.kind != KIND or about.format != FORMAT:
        found = f"{about.kind!r}, format {about.format}"
        hint = "Train it again with this version, or install the one that wrote it."
        raise InputError(name, [Problem("", "about", found, f"{KIND!r}, format {FORMAT}", hint)])
    problems = Problems(name)
    try:
        options = OracleOptions(**about.options)
        text = arrays.pop("words").astype(np.uint8, casting="safe").tobytes().decode()
    except (TypeError, ValueError, KeyError, UsageError) as error:
        raise InputError(name, [Problem("", "about", str(error), EXPECTED)]) from None
    words = tuple(text.split("\n")) if text else ()
    wanted = shapes(options, len(words) + 1, about.crops)
    for key in sorted({*wanted, *arrays}):
        shape, array = wanted.get(key), arrays.get(key)
        if shape is None or array is None or array.dtype != np.float32 or array.shape != shape:
            found = "nothing" if array is None else f"{array.dtype} of shape {array.shape}"
            problems.add("", key, found, "no such array" if shape is None else f"float32 of shape {shape}")
        elif not np.isfinite(array).all():
            problems.add("", key, "a number that is not finite", "finite numbers")
    problems.check()
    return TrainedOracle(
        options,
        words,
        arrays,
        about.epoch,
        tuple(about.history),
        about.examples,
        about.crops,
        about.data,
        source.fingerprint,
    )


def shapes(options: OracleOptions, words: int, crops: int) -> dict[str, tuple[int, ...]]:
    """The shape of every weight."""
    lstm, hidden = options.lstm, options.hidden
    made: dict[str, tuple[int, ...]] = {
        "word.weight": (words, options.word),
        "input.weight": (4 * lstm, options.word),
        "input.bias": (4 * lstm,),
        "recurrent.weight": (4 * lstm, lstm),
        "category.weight": (CATEGORIES + 1, options.category),
        "from_question.weight": (hidden, lstm),
        "from_question.bias": (hidden,),
        "from_category.weight": (hidden, options.category),
        "from_spatial.weight": (hidden, FEATURES),
        "output.weight": (len(ANSWERS), hidden),
        "output.bias": (len(ANSWERS),),
    }
    return made | ({"from_crop.weight": (hidden, crops)} if crops else {})

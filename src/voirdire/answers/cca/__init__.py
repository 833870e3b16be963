"""Canonical correlation analysis of two or three views, after the code that made the published figures.

    A v = λ B v          φ(x) = x W diag(λ^p)          ψ(x) = φ(x) − mean of φ over train          corr = cosine of ψ

A  form "code" (default): the covariance of the stacked views, so that λ = 1 + ρ for two views;
   form "inter": only the parts of it that lie between views, so that λ = ρ (as the paper's words have it)
B  the covariance inside each view: the block diagonal of the former
W  the rows of the k eigenvectors of largest λ that belong to the view of x

Covariances have the divisor m − 1. `ridge` (1e-12) is added to the diagonals of B and, in the form "code", of A; it is
the only regularisation. The length of an eigenvector is not settled by the equation, yet it weighs the components in
the cosine: scale "unit" (default) gives the stacked vector length 1, as the solver did that made the published figures,
and scale "variance" gives each component variance 1 summed over the views.

The blocks of B are whitened first, which leaves one symmetric eigenproblem; directions in which a view does not vary
beyond rounding are left out (directions "varying", default). The authors' solver takes A v = λ B v as it stands, and
its k largest (directions "all"). There nothing but `ridge` holds an eigenvector down in a direction in which a view
does not vary, so that rounding gives it some, and where the rank of a view is below k such directions (λ about 1) and
those of λ = 1 − ρ are components themselves: texts that differ from train in them are told apart by them.

A trained model is one .npz file: the arrays, and a JSON text `about` with everything else.
The other modules: sums over pairs (`moments`), texts as vectors (`sentences`), training, projection, and answers by CCA
(`prediction`).
"""

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from voirdire._version import __version__
from voirdire.answers.cca.moments import Moments
from voirdire.answers.cca.sentences import Sentences, sentences
from voirdire.answers.exam import CcaOptions
from voirdire.atomic import write_atomic
from voirdire.errors import InputError, Problem, UsageError, shorten_text
from voirdire.formats.files import open_source
from voirdire.formats.strict import Problems
from voirdire.models.array_file import pack_arrays, read_arrays

Float64 = npt.NDArray[np.float64]

FORMAT = 2

VIEWS = ("answer", "question", "image")
# Rows that are projected at once; the last block is filled up, so that every product has one shape.
BLOCK = 2048
# The least variance of a view, as a share of all its variance, that makes every direction of it count for certain.
CERTAIN = 1e-10


@dataclass(frozen=True, eq=False)
class Cca:
    """A trained model.

    eigenvalues  float64[k], largest first
    weights      one float64[d, k] per view: answer, question and perhaps image
    means        one float64[d] per view: the mean vector of the training pairs
    pairs        how many there were
    encoder      what made vectors of the texts; `signature` its hash, `words` its vocabulary where it has one
    source       what the pairs were: "ground truths", "human reference sets" or "reference sets"
    data         the files that they came from: role to SHA-256
    fingerprint  SHA-256 of the file that the model was read from; empty for one that was not
    """

    options: CcaOptions
    eigenvalues: Float64
    weights: tuple[Float64, ...]
    means: tuple[Float64, ...]
    pairs: int
    encoder: str = ""
    signature: str = ""
    words: tuple[str, ...] | None = None
    source: str = ""
    data: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""

    @property
    def views(self) -> tuple[str, ...]:
        return VIEWS[: len(self.weights)]

    @property
    def correlations(self) -> Float64:
        """The canonical correlations ρ of two views; of three views, λ without the 1 that comes from A itself."""
        return self.eigenvalues - 1.0 if self.options.form == "code" else self.eigenvalues

    def project(self, view: str, vectors: npt.NDArray[np.floating]) -> Float64:
        """ψ of each row, as float64[n, k]."""
        place = self.views.index(view)
        weights, mean = self.weights[place], self.means[place]
        if vectors.ndim != 2 or vectors.shape[1] != len(weights):
            raise ValueError(f"`vectors` must have the shape (n, {len(weights)}), got {vectors.shape}")
        scaled = weights * self.eigenvalues**self.options.p
        centre = mean @ scaled
        out = np.empty((len(vectors), scaled.shape[1]))
        block = np.zeros((BLOCK, len(weights)))
        for start in range(0, len(vectors), BLOCK):
            rows = vectors[start : start + BLOCK]
            block[: len(rows)] = rows
            out[start : start + BLOCK] = (block @ scaled)[: len(rows)] - centre
        return out


def solve(moments: Moments, options: CcaOptions | None = None) -> Cca:
    """The model of the pairs whose sums are given. k is at most the rank of the smallest view, unless all count."""
    options = options or CcaOptions()
    covariance, views = moments.covariance(), moments.views()
    if not np.isfinite(covariance).all():
        raise ValueError("`moments` must be finite sums, got one that is not")
    if options.directions == "all":
        return _model(moments, options, *_every_direction(covariance, views, options))
    whitening = [_whiten(covariance[view, view], options.ridge) for view in views]
    k = min(options.k, *(white.shape[1] for white in whitening))
    if k < 1:
        raise ValueError("`moments` must be of views that vary, got one that does not")
    # Whitened, B is the identity and A differs from it only between views: λ = 1 + μ, or μ in the form "inter".
    cross = {
        (i, j): whitening[i].T @ covariance[views[i], views[j]] @ whitening[j]
        for i, j in combinations(range(len(views)), 2)
    }
    values, parts = _two_views(cross[0, 1], k) if len(views) == 2 else _more_views(cross, whitening, k)
    stacked = np.concatenate([white @ part for white, part in zip(whitening, parts, strict=True)])
    if options.scale == "unit":
        stacked /= np.linalg.norm(stacked, axis=0)
    return _model(moments, options, values + (options.form == "code"), stacked)


def _model(moments: Moments, options: CcaOptions, values: Float64, stacked: Float64) -> Cca:
    """The model of these eigenvalues and vectors. A sign is free: the largest entry of each is made positive."""
    stacked = stacked * np.sign(stacked[np.abs(stacked).argmax(axis=0), np.arange(len(values))])
    views = moments.views()
    return Cca(
        options,
        values,
        tuple(np.ascontiguousarray(stacked[view]) for view in views),
        tuple(moments.mean[view] for view in views),
        moments.count,
    )


def _every_direction(covariance: Float64, views: Sequence[slice], options: CcaOptions) -> tuple[Float64, Float64]:
    """The k largest λ of A v = λ B v as they stand, real parts, and their vectors, by a solver that whitens nothing."""
    from scipy.linalg import eig

    within = np.zeros_like(covariance)
    for view in views:
        within[view, view] = covariance[view, view]
    between = covariance if options.form == "code" else covariance - within
    ridge = options.ridge * np.eye(len(covariance))
    values, vectors = eig(between + (ridge if options.form == "code" else 0.0), within + ridge)
    k = min(options.k, len(values))
    # The largest come last, and are turned round, so that of equal ones the order is the solver's.
    chosen = np.argsort(values)[-k:][::-1]
    if not np.isfinite(values[chosen]).all():
        raise UsageError("`directions` all needs a `ridge` above 0: there are directions in which no view varies")
    stacked = vectors[:, chosen].real
    if options.scale == "variance":
        stacked = stacked / np.sqrt(np.einsum("ij,ik,kj->j", stacked, within + ridge, stacked))
    return values[chosen].real, stacked


def _two_views(cross: Float64, k: int) -> tuple[Float64, list[Float64]]:
    """Eigenvalues and vectors of [[0, K], [Kᵀ, 0]]: the singular values of K, and its vectors one below the other."""
    from scipy.linalg import svd

    left, values, right = svd(cross, full_matrices=False)
    return values[:k], [left[:, :k] / np.sqrt(2), right[:k].T / np.sqrt(2)]


def _more_views(
    cross: Mapping[tuple[int, int], Float64], whitening: Sequence[Float64], k: int
) -> tuple[Float64, list[Float64]]:
    """The same for any number of views."""
    from scipy.linalg import eigh

    edges = np.cumsum([0, *(white.shape[1] for white in whitening)]).tolist()
    between = np.zeros((edges[-1], edges[-1]))
    for (i, j), part in cross.items():
        between[edges[i] : edges[i + 1], edges[j] : edges[j + 1]] = part
        between[edges[j] : edges[j + 1], edges[i] : edges[i + 1]] = part.T
    values, vectors = eigh(between, subset_by_index=(edges[-1] - k, edges[-1] - 1))
    return values[::-1], [vectors[start:stop, ::-1] for start, stop in pairwise(edges)]


def _whiten(block: Float64, ridge: float) -> Float64:
    """T with Tᵀ (block + ridge) T = 1, without the directions whose variance is rounding only.

    A Cholesky factor L is the quick way to it, T = L⁻ᵀ, where every direction varies for certain: ‖T‖² is the trace of
    the inverse, so that 1 / ‖T‖² is at most the least variance (with the ridge), and the trace at least the largest.
    """
    from scipy.linalg import LinAlgError, cholesky, eigh, solve_triangular

    identity = np.eye(len(block))
    with contextlib.suppress(LinAlgError):
        quick: Float64 = solve_triangular(cholesky(block + ridge * identity, lower=True), identity, lower=True).T
        if 1.0 / (quick**2).sum() > ridge + CERTAIN * np.trace(block):
            return quick
    values, vectors = eigh(block)
    kept = values > max(values[-1], 0.0) * len(values) * np.finfo(np.float64).eps
    result: Float64 = vectors[:, kept] / np.sqrt(values[kept] + ridge)
    return result


def unit_rows(rows: Float64) -> Float64:
    """Rows of length 1, so that a product is a cosine; a row of zeros stays, and correlates 0 with everything."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


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
    write_atomic(Path(path), _packed(cca))


def fingerprint_of(cca: Cca) -> str:
    """SHA-256 of the model's file, whether it was read from one or not."""
    return cca.fingerprint or hashlib.sha256(_packed(cca)).hexdigest()


def _packed(cca: Cca) -> bytes:
    about = _About(
        FORMAT, __version__, cca.options.plain(), cca.pairs, cca.encoder, cca.signature, cca.source, dict(cca.data)
    )
    arrays: dict[str, Any] = {"eigenvalues": cca.eigenvalues}
    for view, weights, mean in zip(cca.views, cca.weights, cca.means, strict=True):
        arrays |= {f"{view}_weights": weights, f"{view}_mean": mean}
    if cca.words is not None:
        arrays["words"] = np.array(cca.words, dtype=np.str_)
    return pack_arrays(about, arrays)


def read_cca(path: str | Path) -> Cca:
    """Read a model, strictly: every array there, of its shape, finite."""
    source = open_source(path)
    name = source.name
    about, arrays = read_arrays(source, _About, "a CCA that `voirdire answers train` wrote")
    try:
        options = CcaOptions(**about.options)
    except (TypeError, UsageError) as error:
        problem = Problem("", "about", shorten_text(str(error)), "what `voirdire answers train` writes")
        raise InputError(name, [problem]) from None
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
        source.fingerprint,
    )


def open_sentences(cca: Cca, spec: str | None = None) -> Sentences:
    """The encoder of texts for this model: the one that it was trained with, or `spec` if that is the same."""
    texts = sentences(spec or cca.encoder, cca.words)
    dimension = len(cca.weights[0])
    if texts.dimension != dimension:
        raise UsageError(
            f"encoder {texts.spec!r} has {texts.dimension} dimensions, but the CCA was trained with {cca.encoder!r}, "
            f"which had {dimension}. Give the same encoder, or train a CCA with this one."
        )
    if texts.signature != cca.signature:
        raise UsageError(
            f"encoder {texts.spec!r} (signature {texts.signature[:12]}) is not the one that the CCA was trained with: "
            f"{cca.encoder!r} (signature {cca.signature[:12]}). Their vectors mean different things."
        )
    return texts

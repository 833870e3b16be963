"""The file of a trained network: read back as it was written, without pickle, and refused where it is damaged."""

from pathlib import Path

import numpy as np
import pytest
from tests.models.trained_networks import CLASSES, make_network, write_features

from voirdire.errors import InputError, UsageError
from voirdire.models.architectures import ARCHITECTURES
from voirdire.models.network_file import FeatureKind, read_network, write_network

LAYOUTS = {"none": None, "global": "global", "grid": "grid"}


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_what_is_read_is_what_was_written(tmp_path: Path, name: str) -> None:
    layout = LAYOUTS[ARCHITECTURES[name].layout]
    features = None if layout is None else write_features(tmp_path / "f.npz", layout)
    trained = make_network(tmp_path / "n.npz", name, features)
    read = read_network(tmp_path / "n.npz")
    assert (read.architecture.name, read.sizes, read.classes) == (name, trained.sizes, CLASSES)
    assert (read.vocabulary, read.features) == (trained.vocabulary, trained.features)
    assert read.weights.keys() == trained.weights.keys()
    assert all(np.array_equal(read.weights[key], array) for key, array in trained.weights.items())
    write_network(read, tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "n.npz").read_bytes()


def test_weights_of_another_shape_or_a_damaged_file_are_refused(tmp_path: Path) -> None:
    trained = make_network(tmp_path / "n.npz", "question-only")
    key = next(iter(trained.weights))
    trained.weights[key] = trained.weights[key][:-1]
    write_network(trained, tmp_path / "shape.npz")
    with pytest.raises(InputError, match="float32 of shape"):
        read_network(tmp_path / "shape.npz")
    del trained.weights[key]
    write_network(trained, tmp_path / "gone.npz")
    with pytest.raises(InputError, match="found nothing"):
        read_network(tmp_path / "gone.npz")
    data = bytearray((tmp_path / "n.npz").read_bytes())
    data[len(data) // 2] ^= 255
    (tmp_path / "damaged.npz").write_bytes(bytes(data))
    with pytest.raises(InputError, match=r"damaged\.npz"):
        read_network(tmp_path / "damaged.npz")
    (tmp_path / "cut.npz").write_bytes(bytes(data[:100]))
    with pytest.raises(InputError, match=r"cut\.npz"):
        read_network(tmp_path / "cut.npz")


def test_features_of_another_kind_are_refused_by_name(tmp_path: Path) -> None:
    on_grid = write_features(tmp_path / "grid.npz", "grid")
    trained = make_network(tmp_path / "n.npz", "mutan-att", on_grid)
    trained.check_features(on_grid, "n.npz")
    for layout, width in (("global", 6), ("regions", 6), ("grid", 7)):
        other = write_features(tmp_path / f"{layout}{width}.npz", layout, width)
        with pytest.raises(
            UsageError, match=rf"{layout}{width}\.npz has {layout} features.*was trained on grid features"
        ):
            trained.check_features(other, "n.npz")
    with pytest.raises(UsageError, match="give a file of such features"):
        trained.check_features(None, "n.npz")
    with pytest.raises(UsageError, match="sees no pictures"):
        make_network(tmp_path / "q.npz", "question-only").check_features(on_grid, "q.npz")
    kind = FeatureKind("grid", 4, 6, "world", "a" * 64)
    assert str(kind) == "grid features of world, 4 × 6 numbers per picture"

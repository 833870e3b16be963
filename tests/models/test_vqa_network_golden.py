"""All networks beside their authors' code: golden cases at small and at published sizes.

`pytest tests/models/test_vqa_network_golden.py -rP` prints the worst difference of each output.
"""

from pathlib import Path

import golden_cases
import numpy as np
import pytest
import torch

pytestmark = pytest.mark.slow


def test_there_is_a_case_of_each_network_at_both_sizes(real_data: Path) -> None:
    names = [path.stem for path in golden_cases.paths()]
    for beginning in golden_cases.NETWORKS:
        of_it = [name for name in names if name.startswith(beginning)]
        assert any("small" in name for name in of_it), beginning
        assert any("published" in name for name in of_it), beginning


@pytest.mark.parametrize("path", golden_cases.paths(), ids=lambda path: path.stem)
def test_it_gives_what_the_authors_code_gives(path: Path) -> None:
    case = golden_cases.read_case(path)
    network = case.architecture.network.of_arrays(case.weights).eval()
    with torch.no_grad():
        made = network.details(network.of_question(case.questions), network.of_picture(case.features))
        scores = network(case.questions, case.features).numpy()
    worst = {name: float(np.abs(made[name].numpy() - array).max()) for name, array in case.outputs.items()}
    print({name: f"{number:.1e}" for name, number in worst.items()})
    assert all(made[name].shape == array.shape for name, array in case.outputs.items())
    assert max(worst.values()) < 1e-5
    assert np.array_equal(scores, made["scores"].numpy())
    assert sum(weight.numel() for weight in network.parameters()) == case.meta["parameters"]
    again = network.arrays()
    assert set(again) == set(case.weights)
    assert all(np.array_equal(again[name], array) for name, array in case.weights.items())

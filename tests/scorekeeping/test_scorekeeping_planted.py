"""Does the exam tell witnesses apart whose states are known? `scorekeeper` above `amnesic` above `noise`.

The dialogues are of a small closed vocabulary, from dialogues to propositions, states, probes and their tests.
"""

import dataclasses

import pytest

from voirdire.formats.dialogues import read_dialogues
from voirdire.formats.propositions import read_propositions, write_propositions
from voirdire.formats.states import read_states
from voirdire.scorekeeping.exam import ProbeOptions
from voirdire.scorekeeping.probe.score import probe_states
from voirdire.scorekeeping.propositions.making import make_propositions
from voirdire.stats import paired_permutation
from voirdire.text.coreference import resolver
from voirdire.text.tagging import tagger
from voirdire.world.build import build_world
from voirdire.world.witnesses.outputs import states_file, survey_file

pytestmark = pytest.mark.slow

# Fewer and larger steps than the paper's, in batches that go together: the same probe in less time.
OPTIONS = ProbeOptions(standardise=True, epochs=12, rate=3e-3, batches="grouped")


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """A world of 300 scenes with its surveys, their propositions and what the witnesses make of them."""
    folder = tmp_path_factory.mktemp("planted") / "town"
    build_world(folder, 300, 7)
    for split in ("train", "val"):
        survey = str(folder / f"survey_{split}.json")
        survey_file(str(folder / f"visdial_{split}.json"), survey)
        made = make_propositions(read_dialogues(survey), tagger(), resolver("rules"))
        write_propositions(made.propositions, folder / f"{split}.json")
        for witness in ("scorekeeper", "amnesic", "noise"):
            states_file(witness, survey, str(folder / f"{witness}_{split}.npz"))
    return folder


@pytest.fixture(scope="module")
def probed(town):
    """Runs by witness, task and control."""
    runs = {}

    def run(witness, task, control=None):
        if (witness, task, control) not in runs:
            train, test = (
                (read_propositions(town / f"{split}.json"), read_states(town / f"{witness}_{split}.npz"))
                for split in ("train", "val")
            )
            options = dataclasses.replace(OPTIONS, task=task, control=control)
            runs[witness, task, control] = probe_states(
                *train, test_propositions=test[0], test_states=test[1], options=options
            )
        return runs[witness, task, control]

    return run


def difference(first, second):
    columns = ["dialogue", "index", "turn"]
    assert first.items.select(columns).equals(second.items.select(columns))
    return paired_permutation(
        first.items["right"].to_numpy(), second.items["right"].to_numpy(), seed=0, clusters=first.items["dialogue"]
    )


@pytest.mark.parametrize("task", ["PS", "TFxPS"])
def test_each_witness_has_its_place(probed, task):
    for better, worse in (("scorekeeper", "amnesic"), ("amnesic", "noise")):
        found = difference(probed(better, task), probed(worse, task))
        assert found.difference > 0, (better, worse)
        assert found.p < 0.01, (better, worse)


@pytest.mark.parametrize(("task", "least"), [("PS", 0.98), ("TFxPS", 0.95)])
def test_the_scorekeeper_is_read_almost_without_fault(probed, task, least):
    """What is true takes more dialogues to learn than what is shared, and balanced training has fewer propositions."""
    measures = probed("scorekeeper", task).measures
    assert measures["accuracy"].value >= least
    assert measures["accuracy@5"].value >= least
    assert measures["shift_only_right"].value >= 0.95


@pytest.mark.parametrize("task", ["PS", "TFxPS"])
def test_noise_is_worth_as_much_as_no_state(probed, task):
    main, null = (probed("noise", task, control).measures["accuracy"].value for control in (None, "null"))
    assert abs(main - null) < 0.02

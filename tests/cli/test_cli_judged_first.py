"""What does not go together is refused by its flags before any file is read: here, none of the files is there."""

import pytest

CALLS = {
    "answers overlap --of A --with B --encoder minilm": "--encoder is that of a CCA: give --cca too",
    "answers overlap --of A": "give either --with, sets to judge by, or --visdial and --dense",
    "answers overlap --of A --visdial B --dense C --encoder minilm": "--encoder is that of a CCA",
    "answers rank --visdial A": "give either --ranks or --scores",
    "answers audit --visdial A": "nothing to look at: give --dense, --ranks or --scores, --cca or --encoder",
    "answers references --visdial A --method H -o OUT": "method H needs dense annotations",
    "answers references --visdial A --dense B --method S -o OUT": "method S needs a CCA",
    "answers train --references A --dense B -o OUT": "reference sets and dense annotations exclude each other",
    "answers train -o OUT": "give the dialogues to train on (--visdial) or reference sets (--references)",
    "answers predict --model nn-aq --visdial A": "nothing to write: give --ranks, --generations or both",
    "answers predict --model nn-aq --visdial A --generations OUT": "generations are drawn from the answers of train",
    "answers predict --model nn-aq --visdial A --ranks OUT": "model nn-aq needs the train dialogues",
    "answers predict --model nn-aqi --visdial A --train B --ranks OUT": "model nn-aqi needs image features",
    "answers predict --model cca-aq --visdial A --ranks OUT": "model cca-aq needs a trained CCA",
    "answers bounds --references A --encoder static --encoder static": "--encoder: two encoders are called 'static'",
    "questions oracle-accuracy --games A": "give --games and --oracle, or a table of oracles' answers (--answers)",
    "questions oracle-accuracy --games A --oracle table:B --answers C": "--answers goes alone",
    "questions show 1 --games A --pictures DIR": "--pictures needs --output",
    "study make answers -o OUT": "give what tasks are drawn from: --human or --automatic",
    "study make answers --human A --pictured -o OUT": "--pictured draws from images that have a picture; --images",
    "study make scorekeeping --propositions A --dialogues B --checks 2 -o OUT": "--checks must be at most 1, got 2",
    "study invite STUDY": "say who is invited: --people N, or --name NAME",
    "study serve STUDY": "STUDY: found no such folder, expected a study",
    "scorekeeping board RUN --dialogue 0 -o OUT": "--output must end in .svg or .png or .html, got OUT",
    "scorekeeping probe --propositions A --states B --role Q --task TF": "--task TF cannot be asked of the questioner",
    "scorekeeping probe --propositions A --states B --test-dialogues C": "--test-dialogues are for --test-propositions",
    "scorekeeping probe --propositions A --states B --valid-states C": "--valid-states needs --valid-propositions",
}


@pytest.mark.parametrize("call", CALLS)
def test_it_is_refused_before_a_file_is_looked_for(call, monkeypatch, called, tmp_path):
    monkeypatch.chdir(tmp_path)
    status, _, err = called(*call.split())
    assert status == 2
    assert f"voirdire: {CALLS[call]}" in err
    assert not list(tmp_path.iterdir())

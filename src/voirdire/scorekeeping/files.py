"""From files to propositions and to a run: what a verb and a whole session both do."""

from dataclasses import dataclass
from pathlib import Path

from voirdire.errors import UsageError
from voirdire.formats.propositions import write_propositions
from voirdire.reports import Report, silent
from voirdire.runs import Run
from voirdire.scorekeeping.dialogues import read_dialogues
from voirdire.scorekeeping.probe.material import Files, read_materials
from voirdire.scorekeeping.probing import ProbeOptions, Told, probe_states, unheard
from voirdire.scorekeeping.propositions.counts import as_run
from voirdire.scorekeeping.propositions.making import Made, PropositionOptions, make_propositions
from voirdire.text.coreference import resolver as find_resolver
from voirdire.text.encoders import encoder as find_encoder
from voirdire.text.tagging import tagger as find_tagger

__all__ = ["Proposed", "probe_files", "propose_file"]

NO_FILES: Files = (None, None)


@dataclass(frozen=True, eq=False)
class Proposed:
    """Propositions that were written, and what there is to count of them as a run."""

    made: Made
    run: Run


def propose_file(
    dialogues: str,
    output: str,
    tagger: str = "hanta",
    resolver: str = "rules",
    options: PropositionOptions | None = None,
    report: Report = silent,
) -> Proposed:
    """The propositions of the dialogues of a file, also written to `output`; see `make_propositions`."""
    options = options or PropositionOptions()
    tagging, resolving = find_tagger(tagger), find_resolver(resolver)
    found = read_dialogues(dialogues)
    made = make_propositions(found, tagging, resolving, options, Path(dialogues).name, report)
    if not made.propositions.dialogues:
        raise UsageError(f"{dialogues}: nothing is left, neither of {len(found):,} dialogues nor of their captions")
    write_propositions(made.propositions, output)
    return Proposed(made, as_run(made, found.fingerprint, tagging.name, resolving.signature, options))


def probe_files(
    train: tuple[str, str],
    encoder: str = "minilm",
    options: ProbeOptions | None = None,
    *,
    valid: Files = NO_FILES,
    test: Files = NO_FILES,
    checkpoints: str | Path | None = None,
    reading: Report = silent,
    embedding: Report = silent,
    report: Report = silent,
    told: Told = unheard,
) -> Run:
    """Probes of a model's states; see `probe_states`. Files are propositions and the states of their dialogues."""
    made = find_encoder(encoder)
    first, second, third = read_materials(train, valid, test, reading)
    return probe_states(
        first,
        made,
        options,
        valid=second,
        test=third,
        checkpoints=None if checkpoints is None else Path(checkpoints),
        embedding=embedding,
        report=report,
        told=told,
    )

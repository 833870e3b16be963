"""The exam of scorekeeping, declared."""

from voirdire.exam import Exam

__all__ = ["EXAM"]

EXAM = Exam(
    name="scorekeeping",
    question="Does it keep track of what is true and of what has been said?",
    papers=("scorekeeping", "visdial"),
    parts=(),
    section="voirdire.scorekeeping.section:scorekeeping_section",
    help="Probe dialogue states: do they hold what is true, and what is shared so far?",
    method="a probe read from the model's dialogue states which propositions are true and which are shared",
    clusters="dialogues",
)

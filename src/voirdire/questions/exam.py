"""The exam of questions, declared."""

from voirdire.exam import Exam

__all__ = ["EXAM"]

EXAM = Exam(
    name="questions",
    question="Does each question that it asks narrow the candidates?",
    papers=("effective-questions", "guesswhat"),
    parts=(),
    section="voirdire.questions.section:questions_section",
    help="Score the questions of guessing games: do they narrow the candidates, and do they refer to the target?",
    method="questions of a referential game were judged by which candidates they exclude",
    clusters="games, or images where several games share one",
)

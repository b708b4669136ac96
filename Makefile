PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKSPACE ?= $(CURDIR)/workspace
RUN_STAMP := $(VENV)/.installed
STAMP := $(VENV)/.installed-dev
LEGACY := $(VENV)/google-generativeai
LEGACY_STAMP := $(LEGACY)/.installed

.DEFAULT_GOAL := help
.PHONY: help setup run demo test attacks faults legacy check format lock bench clean

help:            ## list the targets
	@grep -E '^[a-z]+: .*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(RUN_STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Daybook needs Python 3.11 or newer; set PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	@echo "Installing about 130 packages; this takes one to three minutes …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	@touch $@

$(STAMP): $(RUN_STAMP) requirements-dev.lock
	@echo "Installing what tests and checks need …"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

$(LEGACY_STAMP): $(STAMP) requirements-google-generativeai.lock
	@echo "Installing the SDK google-generativeai with all that Daybook needs, beside the usual environment …"
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(LEGACY)
	$(BIN)/uv pip install --quiet --python $(LEGACY)/bin/python --require-hashes -r requirements-google-generativeai.lock -r requirements-dev.lock
	$(BIN)/uv pip install --quiet --python $(LEGACY)/bin/python --no-deps -e .
	@touch $@

setup: $(STAMP)  ## install everything into .venv from the lock

run: $(RUN_STAMP) ## server, schedules and UI over WORKSPACE (default ./workspace); Ctrl-C ends it
	@$(BIN)/daybook init "$(WORKSPACE)"
	@exec $(BIN)/daybook --workspace "$(WORKSPACE)" up

demo: $(RUN_STAMP) ## one heartbeat and one review on a throw-away workspace
	@exec $(BIN)/daybook demo

test: $(STAMP)   ## the test suite, on three workers, since much of it waits for servers; without `attacks`
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder --ignore tests/injection

attacks: $(STAMP) ## hostile mail, news and command output, with an agent and a model that obey
	$(BIN)/python -m pytest tests/injection -n 2

faults: $(STAMP) ## crashes and races
	$(BIN)/python -m pytest -m faults

legacy: $(LEGACY_STAMP) ## tests of the SDK google-generativeai, in an environment of its own
	$(LEGACY)/bin/python -m pytest tests/models/test_legacy_gemini.py

check: $(STAMP)  ## lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP) ## let ruff rewrite what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(STAMP)   ## renew the locks from pyproject.toml
	$(BIN)/uv pip compile --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -c requirements.lock --group dev pyproject.toml -o requirements-dev.lock
	$(BIN)/uv pip compile --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -c requirements-dev.lock --extra google-generativeai pyproject.toml -o requirements-google-generativeai.lock

bench: $(STAMP)  ## run bench/NAME.py
	$(BIN)/python bench/$(NAME).py

clean:           ## remove the environment and what tests leave behind
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

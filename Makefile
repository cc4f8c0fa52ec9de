# The two commands: `make start` shows the gate at work, `make test` runs every check. Both set up what they need.
.DEFAULT_GOAL := help
.PHONY: help start test check types imports fast others test-faults bench bench-recall bench-search docs clean tools inspector

# The first Python from 3.11 on; PYTHON=... names another.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(BIN)/ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "Penstock needs Python 3.11 or newer."; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV) || $(PYTHON) -m virtualenv --quiet $(VENV)
	@$(BIN)/python -m pip install --quiet --editable '.[dev,tokens,dense,postgres,mcp]'
	@touch $@

start: $(BIN)/ready  ## noisy commands of this machine through the gate, and what was cut read back
	@$(BIN)/python examples/start.py

test: $(BIN)/ready tools inspector check types imports fast others  ## every check, with full branch coverage of the core

check: $(BIN)/ready
	$(BIN)/ruff check src tests bench examples
	$(BIN)/ruff format --check src tests bench examples

types: $(BIN)/ready
	$(BIN)/mypy

imports: $(BIN)/ready
	$(BIN)/lint-imports

# A process for each processor. Where times are told, they are compared with others of the same moment.
PROCESSES := -n auto --maxprocesses 8
fast: $(BIN)/ready
	$(BIN)/python -m pytest -m "not faults" $(PROCESSES) --cov --cov-report=term-missing --cov-fail-under=100

# What the fault tests use beside strace: a file system in user space and a clock that can be moved. They skip with a
# reason where these are not to be had.
tools:
	@command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && [ ! -f $(VENV)/tools ] \
	  && { apt-get update -qq; apt-get install -y -qq strace libfuse2 libfaketime ripgrep; } >/dev/null 2>&1 \
	  && touch $(VENV)/tools || true

# The inspector of MCP, by which a test calls our servers; it skips with a reason where npm is missing or gets nothing.
INSPECTOR := 2.12.0
inspector: $(BIN)/ready
	@command -v npm >/dev/null && [ ! -f $(VENV)/inspector/$(INSPECTOR) ] && rm -rf $(VENV)/inspector \
	  && npm install --prefix $(VENV)/inspector --silent --no-audit --no-fund --no-save --ignore-scripts \
	    @modelcontextprotocol/inspector@$(INSPECTOR) >/dev/null 2>&1 \
	  && touch $(VENV)/inspector/$(INSPECTOR) || true

# The other supported Pythons, where they are found: each in an environment of its own. What could differ between them
# is in these; every kind and the filter run there, but not each of their parts, nor the faults and the settings.
PORTABLE := tests/core/test_*.py tests/core/reduce/test_kinds.py tests/core/stream/test_filter.py \
  tests/core/stream/test_cases.py tests/core/stream/sse tests/stores/test_contract.py tests/ledger tests/test_gate.py tests/test_messages.py \
  tests/test_capture.py tests/test_public.py tests/test_readme.py
others: $(BIN)/ready
	@for version in 3.11 3.12 3.13; do \
	  $(BIN)/python -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] == '$$version')" || continue; \
	  found=; for p in python$$version $${PYENV_ROOT:-$$HOME/.pyenv}/versions/$$version.*/bin/python; do \
	    $$p --version >/dev/null 2>&1 && found=$$p && break; done; \
	  [ -n "$$found" ] || { echo "Python $$version: not found, not tested"; continue; }; \
	  echo "Python $$version:"; \
	  [ -f $(VENV)-$$version/ready ] || { $$found -m venv $(VENV)-$$version \
	    && $(VENV)-$$version/bin/python -m pip install --quiet --editable '.[dev]' \
	    && touch $(VENV)-$$version/ready; } || exit 1; \
	  $(VENV)-$$version/bin/python -m pytest -q -m "not faults and not slow" $(PROCESSES) -p no:cacheprovider $(PORTABLE) || exit 1; \
	done

test-faults: $(BIN)/ready tools  ## the long forms: every system call failed, kills, power losses
	$(BIN)/python -m pytest -m faults

bench: $(BIN)/ready  ## the figures, beside other libraries
	$(BIN)/python -m bench
	$(BIN)/python -m bench.stream

bench-recall: $(BIN)/ready  ## what views keep of what matters; PENSTOCK_BENCH_CORPUS names a folder of real outputs
	$(BIN)/python -m bench.recall

bench-search: $(BIN)/ready  ## how well code is found; PENSTOCK_BENCH_REPOS names the checkouts
	$(BIN)/python -m bench.search

docs: $(BIN)/ready  ## write the generated pages anew
	$(BIN)/python -m penstock.settings docs/settings.md
	$(BIN)/python -m penstock.cli.manual > docs/cli.md

clean:
	rm -rf $(VENV) $(VENV)-3.* .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage

# Each command sets up what it needs and does nothing twice: packages are installed again only when
# pyproject.toml or constraints.txt changed, the studio built again only when its sources changed, the
# model fetched and prepared only when it is not there.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help serve test test-long test-dear test-transformers check style types borders web-check fmt bench wheel pins
.PHONY: web studio models browser

PYTHON ?= python3
PORT ?=
# More for the command at the end: make serve ARGS="--data /var/lib/voices", make test ARGS="-k opus"
ARGS ?=
# BROWSER=no leaves out the tests that need Chromium.
BROWSER ?= yes

BIN := .venv/bin
STAMPS := .venv/stamps
PYTEST := $(BIN)/python -m pytest
# That run the tests side by side; 0 for none, as a debugger wants it.
WORKERS := 2
# What shares a dear fixture stays with one worker, see tests/conftest.py.
BESIDE := -n $(WORKERS) --dist loadgroup
ifeq ($(BROWSER),no)
NO_BROWSER := and not browser
else
TEST_BROWSER := browser
endif

help: ## Lists the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(STAMPS)/serve studio models ## Starts the server and prints the studio's address; PORT=8765
	@exec $(BIN)/voice-server serve $(if $(PORT),--port $(PORT)) $(ARGS)

test: $(STAMPS)/test studio models $(TEST_BROWSER) ## Runs every test that takes seconds, and the web's own
	npm --prefix web test
	$(PYTEST) $(BESIDE) -m "not long $(NO_BROWSER)" $(ARGS)

# In the order of the files: xdist would begin with those of most tests, and end with one that is long.
test-long: $(STAMPS)/quality studio models $(TEST_BROWSER) ## Runs the tests that take minutes
	$(PYTEST) $(BESIDE) --no-loadscope-reorder -m "long and not dear $(NO_BROWSER)" $(ARGS)

test-dear: $(STAMPS)/quality studio models ## Runs the longest ones, by hand: .ci/run leaves them out
	$(PYTEST) $(BESIDE) --no-loadscope-reorder -m "dear" $(ARGS)

# The oldest that pyproject.toml allows, and the newest that there is, each in a folder of its own
# before the one that constraints.txt pins.
OLDEST := $(shell sed -n 's/^qwen3 = .*transformers>=\([0-9.]*\).*/\1/p' pyproject.toml)
QWEN3_OMNI := tests/engine/families/qwen3_omni tests/voice_server/test_qwen3_omni.py

test-transformers: with-transformers-$(OLDEST) with-transformers-newest ## Runs Qwen3-Omni's tests with the oldest transformers and the newest

with-transformers-%: $(STAMPS)/test
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
		--target .venv/transformers/$* 'transformers$(if $(filter newest,$*),,==$*)'
	@PYTHONPATH=.venv/transformers/$* $(BIN)/python -c \
		'import transformers; print("transformers", transformers.__version__)'
	PYTHONPATH=.venv/transformers/$* $(PYTEST) $(BESIDE) -m "not long" $(QWEN3_OMNI) $(ARGS)

check: style types borders web-check ## Checks style, types and the borders between the rooms

style: $(STAMPS)/test
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(STAMPS)/test
	$(BIN)/mypy

borders: $(STAMPS)/test
	$(BIN)/lint-imports

web-check: web
	npm --prefix web run check

fmt: $(STAMPS)/test web ## Mends style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	npm --prefix web run format

bench: $(STAMPS)/bench models ## Measures first audio beside its peers
	$(BIN)/python -m benchmarks.first_audio $(ARGS)

wheel: $(STAMPS)/test studio ## Builds dist/*.whl, studio included
	$(BIN)/python -m build --wheel

pins: $(STAMPS)/serve ## Writes constraints.txt anew
	$(BIN)/python scripts/pin.py

studio: # voice_server/studio, from web/
	@$(PYTHON) scripts/web.py build

models: $(STAMPS)/serve # the embedded voice, in the user's cache
	@$(BIN)/voice-server models prepare

web: # web/node_modules
	@$(PYTHON) scripts/web.py packages

browser: # Chromium, for the browser tests
	@scripts/debian.sh chromium

# What each command installs into .venv. Each set has what serving needs; torch comes with the tests.
$(STAMPS)/serve: EXTRAS :=
$(STAMPS)/test: EXTRAS := [check,test,ray,qwen3]
$(STAMPS)/quality: EXTRAS := [test,ray,qwen3,quality]
$(STAMPS)/bench: EXTRAS := [test,quality,bench]
# The weights of the speaker encoder. Only these are wanted: what the package depends on needs a compiler.
$(STAMPS)/quality $(STAMPS)/bench: ALONE := Resemblyzer==0.1.4

$(STAMPS)/%: .venv/pyvenv.cfg pyproject.toml constraints.txt
	@echo "Installing the Python packages to $* (once)" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.$(EXTRAS)'
	@$(if $(ALONE),$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(ALONE))
	@mkdir -p $(@D) && touch $@ $(STAMPS)/serve

.venv/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed, this is %d.%d: make PYTHON=python3.11" % sys.version_info[:2])'
	@$(PYTHON) -m venv .venv

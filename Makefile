# Every target does its own set-up in .venv; `make help` lists them.
#
# Needed beforehand: Python >= 3.11 with its venv module, a Rust toolchain >= 1.88 and GNU make.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV := .venv
PEERS := .venv-peers
PEERS_SMALL := .venv-peers-small
BIN := $(VENV)/bin
PY := $(BIN)/python
LOCK := requirements-dev.lock
DEMO ?=
BENCH ?= accuracy --reuse-peers
BENCH_L0 ?= --reuse-peers
BENCH_SMALL ?= --no-peers --splits 3

# rustup installs here and adds the folder only to the PATH of new login shells.
export PATH := $(PATH):$(HOME)/.cargo/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Python compiles what is imported; pip would compile everything.
export PIP_NO_COMPILE := 1
# Tests start hundreds of processes, each of which would compile the package again.
unexport PYTHONDONTWRITEBYTECODE
export MPLBACKEND := Agg

RUST_SOURCES := Cargo.toml $(wildcard Cargo.lock) python/native/Cargo.toml pyproject.toml \
	$(shell find src python/native/src -name '*.rs')

# Processes of the Python tests; the fits inside one use a single thread unless a test says otherwise. SciPy's variable lets
# scikit-learn check the array API as well.
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
PYTEST := OMP_NUM_THREADS=1 SCIPY_ARRAY_API=1 $(PY) -m pytest -q --numprocesses $(JOBS) --dist worksteal

# The extension has no tests in Rust; selecting it gives all dependencies the features they have in its build, so that
# the tests link the core that was built for it.
CARGO_TEST := cargo test --quiet --locked --profile quick --workspace
CLIPPY := cargo clippy --quiet --workspace --all-targets --locked -- -D warnings

RUSTDOC_LINTS := -D warnings

# $(call say,text) prints the name of a step, so that a long log can be read by its headings.
say = @printf '\n== %s\n' "$(1)"

.PHONY: help
help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1\t\2/' | expand -t 22

# ---------------------------------------------------------------- what everything stands on

$(VENV)/.base: $(LOCK)
	@command -v $(PYTHON) >/dev/null || { echo "Python is missing: install Python 3.11 or newer, then run make again."; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$$($(PYTHON) --version) is too old: Thresher needs Python 3.11 or newer; name one with make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "This Python cannot make virtual environments: install its venv package (Debian and Ubuntu: apt-get install python3-venv), then run make again."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint $(LOCK) maturin
	@touch $@

EXTRAS := plot,frame,progress,report

# The extension alone, which compiles while pip installs.
COMPILED := $(VENV)/.compiled
$(COMPILED): $(VENV)/.base $(RUST_SOURCES)
	@command -v cargo >/dev/null || { \
		echo "Rust is missing: install a toolchain >= 1.88 (https://rustup.rs), then run make again."; exit 1; }
	VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin build --profile quick --quiet --interpreter $(PY) --out target/compiled
	@touch $@

# The extension, the package in editable mode, and what the package needs.
EXTENSION := $(VENV)/.extension
$(EXTENSION): $(COMPILED)
	PIP_QUIET=1 PIP_CONSTRAINT=$(CURDIR)/$(LOCK) VIRTUAL_ENV=$(CURDIR)/$(VENV) $(BIN)/maturin develop --profile quick --quiet \
		--extras $(EXTRAS)
	@touch $@

$(VENV)/.dev: $(VENV)/.base
	$(BIN)/pip install --quiet --requirement $(LOCK)
	@touch $@

# What the package needs, with these extras.
NEEDED := $(VENV)/.needed
NAMES := import tomllib; p = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
	print(*p["dependencies"], *sum((p["optional-dependencies"][e] for e in "$(EXTRAS)".split(",")), []), sep="\n")
$(NEEDED): $(VENV)/.base
	@$(PY) -c '$(NAMES)' | $(BIN)/pip install --quiet --constraint $(LOCK) --requirement /dev/stdin
	@touch $@

# $(call installed,a) installs a while the extension compiles, which one core is enough for, and then the package.
define installed
	@$(MAKE) --no-print-directory --jobs 2 $(1) $(COMPILED)
	@$(MAKE) --no-print-directory $(EXTENSION)
endef

.PHONY: everything
everything:
	$(call installed,$(VENV)/.dev)

.PHONY: venv ext lock
venv: $(VENV)/.dev ## .venv with everything development needs
ext: $(EXTENSION) ## the compiled extension, in .venv

lock: $(VENV)/.base ## pin the newest versions of every development dependency
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --quiet --upgrade --universal --python-version 3.11 --all-extras --group pmml \
		--custom-compile-command "make lock" --output-file $(LOCK)

# ---------------------------------------------------------------- the two commands of the README

.PHONY: demo test
demo: ## fit a real data set, print the rules and the certificate (DEMO="--data diabetes")
	$(call installed,$(NEEDED))
	$(BIN)/thresher demo $(DEMO)

# $(call steps,side by side,alone) runs steps; the Python tests measure time, so that nothing runs beside them.
define steps
	@start=$$SECONDS; \
	$(MAKE) --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) $(1); \
	$(MAKE) --no-print-directory $(2); \
	printf '\nmake $@: all steps passed in %d s ($(1) $(2))\n' $$((SECONDS - start))
endef

# What passes is decided by the code alone: here the random problems are the same in every run; `make check` draws new ones.
test: export PROPTEST_RNG_SEED := 1
test: export CI := true
test: everything ## everything that has to hold before a release
	$(call steps,format-check test-rust lint types test-wheel,test-python)

.PHONY: check
check: everything ## format, lint, types and the tests that are not slow; of Rust only what changed
	$(call steps,format-check $(CHECKED) check-lint check-types,check-python)

# ---------------------------------------------------------------- the steps

.PHONY: format format-check lint types check-lint check-types check-python test-rust test-python test-wheel
format: $(VENV)/.dev ## rewrite every file in the house's format
	cargo fmt --all
	$(BIN)/ruff check --fix --quiet . || true
	$(BIN)/ruff format .

format-check: $(VENV)/.dev
	$(call say,format)
	cargo fmt --all --check
	$(BIN)/ruff format --check --quiet .

lint: check-lint
	$(CLIPPY)

check-lint: $(VENV)/.dev $(EXTENSION)
	$(call say,lint)
	$(BIN)/ruff check --quiet .
	$(PY) tests/docs/check_docstrings.py

# The stub in a package of its own: beside the others all of their imports would be analysed too.
STUBS := target/stubs/thresher
types: check-types
	mkdir -p $(STUBS) && touch $(STUBS)/__init__.pyi && cp python/thresher/_native.pyi $(STUBS)
	MYPYPATH=$(dir $(STUBS)) $(BIN)/stubtest thresher._native

check-types: $(VENV)/.dev $(EXTENSION)
	$(call say,types)
	$(BIN)/mypy

test-rust:
	$(call say,Rust tests)
	$(CARGO_TEST)
	RUSTDOCFLAGS="$(RUSTDOC_LINTS)" cargo doc --quiet --no-deps --locked --package thresher

CHECKED := $(VENV)/.checked
$(CHECKED): $(RUST_SOURCES) $(wildcard tests/*.rs)
	$(call say,Rust tests)
	$(CLIPPY)
	$(CARGO_TEST) --lib
	@touch $@

test-python: $(VENV)/.dev $(EXTENSION)
	$(call say,Python tests)
	$(PYTEST)

check-python: $(VENV)/.dev $(EXTENSION)
	$(call say,Python tests)
	$(PYTEST) -m 'not slow'

# The source distribution of a clean copy, the wheel that pip builds from it, and a fresh
# environment that has nothing but that wheel.
test-wheel: $(VENV)/.base
	$(call say,source distribution and wheel)
	$(PY) tests/packaging/check_wheel.py

# ---------------------------------------------------------------- what is published

# INTERPRETERS are what the wheels are built for: a Python from 3.11 on serves all of them (abi3), one without a global
# lock has a wheel of its own. PYTHONS get a fresh environment each, with the wheel that fits.
ARCH ?= $(shell uname -m)
INTERPRETERS ?= $(PYTHON)
PYTHONS ?= $(PYTHON)
TAG ?=
WHEEL = PATH="$(CURDIR)/$(BIN):$$PATH" VIRTUAL_ENV="$(CURDIR)/$(VENV)" maturin build --release --compression-level 9 --quiet --out dist --interpreter

.PHONY: wheels check-tag
# On Linux zig links for the oldest systems (glibc 2.17 and musl), whatever this machine has. The first of the
# interpreters gets a wheel for musl: one that is not of this machine cannot be asked for the layout of its objects.
wheels: $(VENV)/.base ## dist/: wheels of this system and the source distribution, as published (PYTHONS="python3.11 python3.14")
	$(call say,wheels and source distribution)
	rm -rf dist
ifeq ($(shell uname -s),Linux)
	$(BIN)/pip install --quiet ziglang
	rustup target add $(ARCH)-unknown-linux-gnu $(ARCH)-unknown-linux-musl
	$(WHEEL) $(INTERPRETERS) --zig --target $(ARCH)-unknown-linux-gnu --compatibility manylinux2014
	$(WHEEL) $(firstword $(INTERPRETERS)) --zig --target $(ARCH)-unknown-linux-musl --compatibility musllinux_1_2
else
	$(WHEEL) $(INTERPRETERS)
endif
	$(BIN)/maturin sdist --out dist
	$(PY) tests/packaging/check_wheel.py dist $(addprefix --python ,$(PYTHONS))

check-tag: ## the versions of tag, manifest, changelog and citation (TAG=v0.1.0)
	$(PYTHON) tests/packaging/check_tag.py $(TAG)

# ---------------------------------------------------------------- slow checks, with tools of their own

# Seconds of each fuzz target, and the targets (all if empty).
FUZZ_SECONDS ?= 60
FUZZ ?=
MUTANTS ?=
HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')

.PHONY: fuzz mutants sanitize licenses audit minimal
fuzz: ## the fast ways against the slow ones on drawn problems, FUZZ_SECONDS=60 a target; needs nightly Rust and cargo-fuzz
	$(call say,fuzz targets)
	fuzz/run.sh $(FUZZ_SECONDS) $(FUZZ)

mutants: ## changes of the code that some test has to notice; needs cargo-mutants (MUTANTS="--file src/search/driver.rs")
	cargo mutants $(MUTANTS)

# Leaks are looked for as well.
sanitize: ## the Rust tests under the address sanitizer; needs nightly Rust
	$(call say,address and leak sanitizers)
	RUSTFLAGS="-Zsanitizer=address" cargo +nightly test --quiet --locked --profile quick --lib \
		--target $(HOST) --target-dir target/sanitize

licenses: ## licences and sources of the Rust dependencies against deny.toml; needs cargo-deny
	cargo deny --locked check licenses bans sources

audit: $(VENV)/.dev ## known vulnerabilities of the locked dependencies; needs the internet and cargo-deny
	$(BIN)/pip install --quiet pip-audit
	$(BIN)/pip-audit --no-deps --disable-pip --requirement $(LOCK)
	cargo deny --locked check advisories

minimal: ## the Rust code with the oldest dependencies that its manifests allow
	rm -rf target/minimal
	git checkout-index --all --prefix=target/minimal/
	cd target/minimal && RUSTC_BOOTSTRAP=1 cargo generate-lockfile -Z direct-minimal-versions
	cd target/minimal && cargo check --quiet --locked --workspace --target-dir ../minimal-build

# ---------------------------------------------------------------- other environments

OLDEST := .venv-oldest
THREADS := .venv-threads
UV := $(BIN)/uv

.PHONY: test-oldest test-threads
test-oldest: $(VENV)/.base ## the Python tests with the oldest Python and libraries that pyproject.toml allows
	$(call say,oldest libraries)
	$(BIN)/pip install --quiet uv
	$(UV) venv --quiet --clear --python 3.11 $(OLDEST)
	$(UV) pip compile pyproject.toml --quiet --resolution lowest-direct --python-version 3.11 \
		--extra plot --extra frame --extra progress --extra report --extra graph --output-file $(OLDEST)/versions.txt
	VIRTUAL_ENV=$(OLDEST) $(UV) pip install --quiet --requirement $(OLDEST)/versions.txt
	VIRTUAL_ENV=$(OLDEST) $(UV) pip install --quiet --constraint $(OLDEST)/versions.txt \
		pytest pytest-xdist hypothesis polars
	VIRTUAL_ENV=$(OLDEST) $(UV) pip install --quiet --no-deps --config-settings build-args="--profile quick" .
	OMP_NUM_THREADS=1 $(OLDEST)/bin/python -m pytest -q -W default --numprocesses $(JOBS) tests/contract tests/golden

# The tests of a module run in several threads at once; pytest-run-parallel leaves out those that cannot.
test-threads: ## the contract tests in threads; needs a free-threaded Python (make PYTHON=python3.14t ...)
	$(call say,threads without a global lock)
	$(PYTHON) -c 'import sys; sys.exit(sys._is_gil_enabled() and "this Python has a global lock")'
	$(PYTHON) -m venv --clear $(THREADS)
	$(THREADS)/bin/pip install --quiet pytest pytest-run-parallel jinja2 networkx pandas joblib
	$(THREADS)/bin/pip install --quiet --config-settings build-args="--profile quick" .
	$(THREADS)/bin/python -X gil=0 -m pytest -q --parallel-threads=4 tests/contract tests/golden

# The pages of `report` in a real browser: BROWSER names a Chromium (Debian: apt-get install chromium).
BROWSER ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
.PHONY: test-browser
test-browser: $(VENV)/.dev $(EXTENSION) ## pages in headless Chromium (BROWSER=/path/to/chromium)
	$(call say,reports in a browser)
	@test -n "$(BROWSER)" || { echo "no Chromium found: install one, or name it with BROWSER=..."; exit 1; }
	$(BIN)/pip install --quiet playwright
	BROWSER="$(BROWSER)" $(PY) -m pytest -q tests/browser/test_report_browser.py tests/browser/test_patterns_browser.py

# ---------------------------------------------------------------- documentation

# What the build writes beside the sources.
DOCS_GENERATED := docs/reference/generated docs/gallery docs/fields docs/benchmarks

.PHONY: docs
docs: $(VENV)/.dev $(EXTENSION) ## the HTML site and the Rust reference, in site/
	rm -rf docs/_build $(DOCS_GENERATED) site
	$(PY) -m sphinx -W --keep-going -q -j auto -b html docs site
	RUSTDOCFLAGS="$(RUSTDOC_LINTS)" cargo doc --quiet --no-deps --locked --package thresher --target-dir target/docs
	cp -r target/docs/doc site/rust
	@echo "make docs: open site/index.html"

# ---------------------------------------------------------------- benchmarks

.PHONY: bench bench-peers
bench: $(VENV)/.dev $(EXTENSION) ## kernels, timing bars, then peers (make bench-peers first; BENCH="accuracy ...")
	cargo run --quiet --locked --release --manifest-path benches/kernels/Cargo.toml --target-dir target/kernels -- --bench
	$(PY) benches/speed.py
	$(PY) benches/compare/rules.py $(BENCH)
	$(PY) benches/compare/l0.py $(BENCH_L0)

bench-peers: $(PEERS)/.peers ## other libraries, in an environment of their own

PEER_FILES := benches/compare/requirements-peers.txt benches/compare/requirements-peers-nodeps.txt
$(PEERS)/.peers: $(VENV)/.base $(PEER_FILES)
	$(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/pip install --quiet --requirement $(word 1,$(PEER_FILES))
	$(PEERS)/bin/pip install --quiet --no-deps --requirement $(word 2,$(PEER_FILES))
	@touch $@

.PHONY: bench-small bench-peers-small
bench-small: $(VENV)/.dev $(EXTENSION) ## error at 5 to 30 rules beside the peers' stored results
	$(PY) benches/compare/small.py $(BENCH_SMALL)

bench-peers-small: $(PEERS_SMALL)/.peers ## the peers of bench-small: some need an older NumPy

PEER_FILES_SMALL := benches/compare/requirements-peers-small.txt benches/compare/requirements-peers-small-nodeps.txt
$(PEERS_SMALL)/.peers: $(VENV)/.base $(PEER_FILES_SMALL)
	$(PYTHON) -m venv $(PEERS_SMALL)
	$(PEERS_SMALL)/bin/pip install --quiet --requirement $(word 1,$(PEER_FILES_SMALL))
	$(PEERS_SMALL)/bin/pip install --quiet --no-deps --requirement $(word 2,$(PEER_FILES_SMALL))
	@touch $@

# ----------------------------------------------------------------

.PHONY: clean
clean: ## remove everything make has made
	rm -rf $(VENV) $(PEERS) $(PEERS_SMALL) $(OLDEST) $(THREADS) target site dist build docs/_build $(DOCS_GENERATED)
	rm -f python/thresher/_native*.so

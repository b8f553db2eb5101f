# The commands a person types. Everything that they need beyond rustup, a C linker and make is installed by `setup`.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.PHONY: help setup setup-python setup-python-guest setup-docker setup-postgres build demo demo-rollout test check bench docs

ASSAY := target/release/assay

help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

setup: ## Install the WebAssembly target, rustfmt and clippy
	@command -v rustup >/dev/null || { echo "error: rustup is not installed; get it from https://rustup.rs, then run make again" >&2; exit 1; }
	@rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown
	@for c in rustfmt clippy; do rustup component list --installed | grep -q "^$$c" || rustup component add $$c; done
	@cargo fetch --locked --quiet

setup-python: ## Make the Python environments of the tests: pandas, Polars, DuckDB; an S3 server (kept in ~/.cache, by requirements)
	@tests/python/setup > /dev/null
	@tests/python/setup tests/s3/requirements.txt > /dev/null

setup-postgres: ## Start a PostgreSQL server of the tests' own (its data is temporary; tests/postgres/setup --stop ends it)
	@tests/postgres/setup > /dev/null

setup-docker: ## Start a Docker engine if none answers, and make the image of the tests (kept in ~/.cache)
	@tests/docker/setup > /dev/null

setup-python-guest: ## Freeze CPython into the component that bug-fix episodes run in (kept in ~/.cache/assay, by sources)
	@guest-sdk/python/setup > /dev/null

build: setup ## Build target/release/assay
	cargo build --release --locked -p assay-cli

demo: build ## Put the example market maker on trial and write report/
	$(ASSAY) run examples/strategies/market_maker.rs --scenario rmsc04 --seeds 20 --out report/

# A second `make` shows it again from the start, so what the first one left goes.
demo-rollout: build setup-docker setup-python-guest ## Let scripted models mend six small bugs, graded by real tests in containers
	@rm -rf report/bugs report/bugs-untouched
	$(ASSAY) rollout run examples/bugs --model scripted --out report/bugs
	@echo && echo "The same bugs, with a model that changes nothing:"
	$(ASSAY) rollout run examples/bugs --model scripted:examples/models/idle.jsonl --out report/bugs-untouched
	@echo && echo "Trajectories: report/bugs/episodes/*.jsonl; read one with: $(ASSAY) trace show report/bugs/episodes/slotbook.s1.jsonl"

test: setup setup-python setup-python-guest setup-docker setup-postgres ## Run every test
	cargo test --workspace --locked

check: setup ## What CI runs: format, lints as errors, tests
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	$(MAKE) test

BENCH := cargo bench --quiet --workspace --locked
bench: setup setup-python-guest setup-docker setup-postgres ## Measure against peers and floors; table on screen, data in target/bench.json
	@mkdir -p target
	$(BENCH) --bench book --bench rmsc03 --bench rmsc04 --bench scaling --bench sandbox --bench python --bench tree --bench grade --bench episodes --bench store --bench trial -- --json > target/bench.jsonl
	$(BENCH) --bench trial -- --table "$(CURDIR)/target/bench.jsonl" "$(CURDIR)/target/bench.json"

REALISM_PRESETS := lively rmsc04-day rmsc03 volatile stable thin trending flash-crash news-shock halt
docs: setup ## Regenerate the generated documents
	ASSAY_BLESS=1 cargo test --locked -p assay-validator
	ASSAY_BLESS=1 cargo test --locked -p assay-evaluate --test measures
	ASSAY_BLESS=1 cargo test --locked -p assay-data documentation
	@mkdir -p target
	@# The introductions stay, the tables are computed; with several presets, the output of `assay scenarios validate`.
	cargo run --release --locked -p assay-market --example realism -- 20 $(REALISM_PRESETS) > target/realism.md
	cargo run --release --locked -p assay-market --example parity > target/parity.md
	cargo bench --quiet --locked -p assay-market --bench scaling -- --markdown > target/performance.md
	for page in realism parity performance; do { sed '/^## /,$$d' docs/$$page.md; sed '$$ { /^$$/d }' target/$$page.md; } > target/page.md; mv target/page.md docs/$$page.md; done

# The commands a person types. Everything that they need beyond rustup, a C linker and make is installed by `setup`.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.PHONY: help toolchain setup setup-python setup-python-guest setup-docker setup-postgres setup-chromium setup-tests setup-all build quick query serve notebook pictures demo demo-rollout demo-refine demo-worlds test test-long lint check fuzz bench attacks attacks-grading attacks-refine honesty-refine feedback docs

ASSAY := target/release/assay
QUICK := target/quick/assay

help: ## This list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 20

toolchain:
	@command -v rustup >/dev/null || { echo "error: rustup is not installed; get it from https://rustup.rs, then run make again" >&2; exit 1; }
	@rustup target list --installed | grep -qx wasm32-unknown-unknown || rustup target add wasm32-unknown-unknown

setup: toolchain ## Install the WebAssembly target, rustfmt and clippy
	@for c in rustfmt clippy; do rustup component list --installed | grep -q "^$$c" || rustup component add $$c; done
	@cargo fetch --locked --quiet

setup-python: ## Make the Python environments of the tests: pandas, Polars, DuckDB; an S3 server; the models of ATIF; a client of MCP; axe-core; what runs notebooks; three published benchmarks (kept in ~/.cache, by requirements)
	@tests/python/setup > /dev/null
	@tests/python/setup tests/s3/requirements.txt > /dev/null
	@tests/atif/setup > /dev/null
	@tests/python/setup tests/mcp/requirements.txt > /dev/null
	@PIP_NO_DEPS=1 tests/python/setup tests/axe/requirements.txt > /dev/null
	@tests/python/setup tests/notebooks/requirements.txt > /dev/null
	@PIP_NO_DEPS=1 tests/python/setup tests/benchmarks/requirements.txt > /dev/null

setup-postgres: ## Start a PostgreSQL server of the tests' own (its data is temporary; tests/postgres/setup --stop ends it)
	@tests/postgres/setup > /dev/null

setup-chromium: ## Install Chromium for the tests of the pages, if there is none (on Debian, as root)
	@tests/chromium/setup

setup-docker: ## Start a Docker engine if none answers, and make the image of the tests (kept in ~/.cache)
	@tests/docker/setup > /dev/null

setup-python-guest: ## Freeze CPython into the component that bug-fix episodes run in (kept in ~/.cache/assay, by sources)
	@guest-sdk/python/setup > /dev/null

build: setup ## Build target/release/assay
	cargo build --release --locked -p assay-cli

query: setup ## Build target/release/assay-query, the engine behind `assay query`: as much again as the rest
	cargo build --release --locked -p assay-query

# Without rollouts, stores and data tables, and with its optimisation where it counts: `profile.quick` in Cargo.toml.
quick:
	@test -x $(QUICK) || echo "First, once: building what the demonstration needs. That takes 5 to 9 minutes on two cores; cargo shows how far it is. (\`make build\` builds the whole program: about 15 minutes on two cores.)"
	@$(MAKE) --no-print-directory toolchain
	cargo build --profile quick --locked -p assay-cli --no-default-features

# The whole program if it has been built, otherwise one that is built faster, in a folder of its own.
ifneq ($(wildcard $(ASSAY)),)
DEMO := $(ASSAY)
demo: build
else
DEMO := $(QUICK)
demo: quick
endif
demo: ## Put the example market maker on trial and write report/
	$(DEMO) run examples/strategies/queue_aware_maker.rs --out report/$(if $(filter $(QUICK),$(DEMO)), --no-store)

demo-refine: $(if $(filter $(QUICK),$(DEMO)),quick,build) ## Let the tuner improve a badly tuned example, and prove that it is better
	$(DEMO) refine --from examples/refine/mistuned_maker.rs --generations 6 --seed 1 --threads 2 --dir report/refine$(if $(filter $(QUICK),$(DEMO)), --no-store)

serve: build ## Show what has been run in a browser; with nothing there, two demo runs come first
	@if [ ! -e .assay/store.db ] && [ ! -e report ]; then for market in calm volatile; do $(ASSAY) run examples/strategies/queue_aware_maker.rs --scenario $$market --seeds 10 --out report/$$market; done; fi
	@mkdir -p report
	$(ASSAY) serve --runs report --sources examples/strategies --sources examples/refine --sources examples/gate --sources examples/replay --sources examples/bugs --sources examples/worlds

pictures: setup setup-python-guest ## Take the pictures of docs/pages.md from the real pages, in Chromium
	@mkdir -p docs/pictures
	ASSAY_PICTURES="$(CURDIR)/docs/pictures" cargo test --workspace --locked --test walk -- --nocapture

notebook: build ## Open the notebooks of examples/ in JupyterLab: run, read, plot, refine, compare; and models compared
	ASSAY="$(CURDIR)/$(ASSAY)" $$(dirname "$$(tests/python/setup examples/requirements.txt)")/jupyter lab --notebook-dir examples examples/quickstart.ipynb

# A second `make` shows it again from the start, so what the first one left goes.
demo-rollout: build setup-docker setup-python-guest ## Let scripted models mend six small bugs, graded by real tests in containers
	@rm -rf report/bugs report/bugs-untouched
	$(ASSAY) rollout run examples/bugs --model scripted --out report/bugs
	@echo && echo "The same bugs, with a model that changes nothing:"
	$(ASSAY) rollout run examples/bugs --model scripted:examples/models/idle.jsonl --out report/bugs-untouched
	@echo && echo "Trajectories: report/bugs/episodes/*.jsonl; read one with: $(ASSAY) trace show report/bugs/episodes/slotbook.s1.jsonl"

WORLD := examples/worlds/support-desk
# Shows the command, and leaves out the line for each episode that went as it should.
run-world = @echo "$(ASSAY) worlds run $(WORLD) $(1)" && $(ASSAY) worlds run $(WORLD) $(1) 2> >(grep -vE '\.s[0-9]+ (success|failure) ' >&2 || true)
demo-worlds: build ## Let scripted agents work at a support desk, with services that fail, people who wander, and a score
	@rm -rf report/worlds
	$(ASSAY) worlds check $(WORLD)
	$(call run-world,--agent scripted --out report/worlds/scripted)
	@echo && echo "An agent that does nothing, and one that claims success:"
	$(call run-world,--agent null --out report/worlds/null)
	$(call run-world,--agent talk-only --out report/worlds/talk-only)
	@echo && echo "The script once, and with a look at every answer, where one call in four fails:"
	$(call run-world,--agent hasty --faults rough --samples 4 --out report/worlds/hasty)
	$(call run-world,--agent scripted --faults rough --samples 4 --out report/worlds/rough)
	$(ASSAY) worlds run $(WORLD) --agent scripted --faults rough --samples 4 --concurrency 1 --out report/worlds/again > /dev/null 2>&1
	@diff -r report/worlds/rough/episodes report/worlds/again/episodes && echo "The same once more, one episode at a time: equal, byte for byte."
	@echo && echo "Trajectories: report/worlds/*/episodes/*.jsonl; read one with: $(ASSAY) trace show report/worlds/rough/episodes/double-charge.s1.jsonl"
	@echo "Two more worlds, tried in the same way: $(ASSAY) worlds run examples/worlds/release-engineer --faults rough --out report/worlds/release; or .../accounts-clerk"

setup-tests: setup-python setup-python-guest setup-docker setup-postgres
	@tests/docker/own > /dev/null

setup-all: setup-tests setup-chromium

# Downloads wait for the network and compilers for the processor, so both go on at once. Not by `make -j`: the servers that set-up starts would hold the
# pipe of its jobs open, and make would wait for them for ever.
BESIDE = $(MAKE) --no-print-directory $(1) & setup=$$!; failed=; $(2) || failed=yes; wait $$setup; test -z "$$failed"

test: setup ## Run the tests, except the test programs that take minutes each
	@$(call BESIDE,setup-tests,cargo test --workspace --locked --lib --bins --tests --no-run)
	@tests/run

test-long: setup ## Run the test programs that take minutes each: attacks, refinements, rollouts, pages in a browser, and more
	@$(call BESIDE,setup-all,cargo test --workspace --locked --lib --bins --tests --no-run)
	@tests/run --long

check: setup ## What CI runs: format, lints as errors, every test
	@$(call BESIDE,setup-all,$(MAKE) --no-print-directory lint)
	@failed=; $(MAKE) test || failed=yes; $(MAKE) test-long || failed=yes; test -z "$$failed"

lint: setup ## Check the format; lints are errors
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	@# The command line with every feature left out. What it depends on has mostly been checked by the line above: a minute or two.
	cargo clippy --workspace --exclude assay-tests --exclude assay-query --all-targets --no-default-features --locked -- -D warnings

SECONDS ?= 60
fuzz: setup ## Fuzz every reader of foreign bytes for SECONDS each (60); exit code 1 if anything is found
	fuzz/run $(SECONDS)

# Those of `tests` without the query engine, which would be half of what there is to compile.
BENCH := cargo bench --quiet --locked
bench: setup setup-python-guest setup-docker setup-postgres ## Measure against peers and floors; table on screen, data in target/bench.json
	@mkdir -p target
	$(BENCH) --workspace --exclude assay-tests --exclude assay-query --bench book --bench rmsc03 --bench rmsc04 --bench scaling --bench sandbox --bench python --bench tree --bench grade --bench episodes --bench store --bench forks --bench worlds --bench pages -- --json > target/bench.jsonl
	$(BENCH) -p assay-tests --no-default-features --bench gate --bench trial -- --json >> target/bench.jsonl
	$(BENCH) -p assay-tests --no-default-features --bench trial -- --table "$(CURDIR)/target/bench.jsonl" "$(CURDIR)/target/bench.json"

# The first line of seeds was never used to make a market; the second is for what seems to pay in it.
ATTACK_MARKETS := calm lively volatile stable thin trending flash-crash news-shock halt rmsc03 rmsc04 smoke
attacks: build setup-python-guest ## Run every attack on the score in every market and against the gate's policy (takes hours); writes docs/attacks.md
	cargo build --workspace --locked --example score_attacks
	target/debug/examples/score_attacks --assay $(ASSAY) --scenarios $$(echo $(ATTACK_MARKETS) | tr ' ' ,) --seeds 20001..20100 --more 21001..22000 --secrets 100 > target/attacks.md
	{ sed '/^## /,$$d' docs/attacks.md; cat target/attacks.md; } > target/page.md && mv target/page.md docs/attacks.md

attacks-grading: setup setup-docker ## Grade every attack over every example bug, and every right fix three times with other secrets (takes minutes)
	url=$$(tests/docker/own); env $${url:+DOCKER_HOST=$$url} ASSAY_ALL_ATTACKS=1 cargo test --workspace --locked --test attacks --test second

attacks-refine: setup setup-python-guest ## Let a scripted model propose every attack on the score to `assay refine`: none may become champion (takes minutes)
	ASSAY_ALL_ATTACKS=1 cargo test --workspace --locked --test refine -- --nocapture an_attack_on_the_score

# Market by market, some minutes each.
HONESTY_MARKETS ?= smoke
honesty-refine: build ## Let `assay refine` search on real markets where nothing is better, and count what it promotes; writes the table of docs/refine.md (takes minutes)
	cargo build --workspace --locked --example refine_honesty
	@mkdir -p target
	target/debug/examples/refine_honesty --assay $(ASSAY) --sessions 20 --markets $(HONESTY_MARKETS) > target/honesty.md
	sed -i -e '/^<!-- honesty: begin/,/^<!-- honesty: end/{//!d}' -e '/^<!-- honesty: begin/r target/honesty.md' docs/refine.md

feedback: build ## Let scripted models explain strategies with planted flaws, and a writer mend them; writes docs/llm-feedback.md
	cargo build --workspace --locked --example feedback_page
	@mkdir -p target
	target/debug/examples/feedback_page --assay $(ASSAY) > target/feedback.md && mv target/feedback.md docs/llm-feedback.md

# The gates are about whole days. No market was fitted to these seeds.
REALISM_PRESETS := calm-day lively-day volatile-day stable-day thin-day rmsc04-day rmsc03 trending flash-crash news-shock halt
docs: setup ## Regenerate the generated documents
	ASSAY_BLESS=1 cargo test --workspace --locked --test measures --test coverage --test score_page --test guide
	ASSAY_BLESS=1 cargo test --workspace --locked --lib -- fuel_page
	ASSAY_BLESS=1 cargo test --workspace --locked --test help --test tidy
	ASSAY_BLESS=1 cargo test --workspace --locked --test all -- documentation
	@mkdir -p target
	@# The introductions stay, the tables are computed; with several presets, the output of `assay scenarios validate`.
	cargo run --release --locked -p assay-market --example realism -- 10001 10100 $(REALISM_PRESETS) > target/realism.md
	cargo run --release --locked -p assay-market --example parity > target/parity.md
	cargo bench --quiet --locked -p assay-market --bench scaling -- --markdown > target/performance.md
	for page in realism parity performance; do { sed '/^## /,$$d' docs/$$page.md; sed '$$ { /^$$/d }' target/$$page.md; } > target/page.md; mv target/page.md docs/$$page.md; done

# make run    build flowc and serve the examples from an embedded database
# make test   everything that CI checks
# make bench  the benchmarks
# make help   all targets

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME ?= 3s
BENCHTIME ?= 1s
LISTEN ?= 127.0.0.1:7654
# Tests make many databases. On a file system in memory their fsyncs cost nothing, and what the tests prove stays the same: they
# kill servers, never the machine. Where there is none, or nothing on it may be run, they take the usual place.
FAST_TMP := $(shell d=/dev/shm/flowc-test-$$(id -u); mkdir -p $$d 2>/dev/null && chmod 1777 $$d && cp /bin/true $$d/x && $$d/x && rm $$d/x && echo $$d)
ifneq ($(FAST_TMP),)
unit race crash fuzz: export TMPDIR := $(FAST_TMP)
endif
# The packages in which goroutines meet.
CONCURRENT := ./vm/store ./vm/engine ./vm/api/... ./vm/client ./lsp ./lsp/wire

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: build
build: ## build bin/flowc
	@mkdir -p bin
	$(GO) build -o bin/flowc ./cmd/flowc

.PHONY: run
run: build ## serve the examples on LISTEN, from the file flow.db
	@echo
	@echo 'In another terminal:'
	@echo
ifneq ($(LISTEN),127.0.0.1:7654)
	@echo '  export FLOWC_SERVER=http://$(LISTEN)'
endif
	@echo '  bin/flowc start quickstart --key A1 --input '"'"'{"order_id": "A1", "amount": 19.90}'"'"
	@echo '  bin/flowc send quickstart:A1 pay --payload '"'"'{"reference": "card-1"}'"'"
	@echo '  bin/flowc work charge -- sh -c '"'"'echo "{\"receipt\": \"r-1\"}"'"'"
	@echo '  bin/flowc get quickstart:A1'
	@echo
	@echo 'README.md goes on from here. Ctrl-C stops the server; tokens wait in flow.db.'
	@echo
	bin/flowc run examples --listen $(LISTEN)

.PHONY: test
test: deps fmt vet staticcheck unit race crash fuzz flows ## all checks
	@echo 'all checks passed'

.PHONY: deps
deps: ## install what the tests need, when root
	@missing=(); \
	command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null \
		|| [ -n "$${FLOWC_TEST_POSTGRES:-}" ] || missing+=(postgresql); \
	command -v node >/dev/null || missing+=(nodejs); \
	command -v npm >/dev/null || missing+=(npm); \
	command -v python3 >/dev/null || missing+=(python3); \
	command -v curl >/dev/null || missing+=(curl); \
	command -v jq >/dev/null || missing+=(jq); \
	command -v nvim >/dev/null || missing+=(neovim); \
	if (($${#missing[@]})) && [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		apt-get update; \
		DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$${missing[@]}"; \
	fi
	@# Debian 12 has Node 18, and the editor's tools want 20.
	@if [ "$$(id -u)" = 0 ] && command -v npm >/dev/null && ! node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))'; then \
		npm install --global node@20; \
	fi

.PHONY: fmt
fmt: ## fail when a Go file is not formatted
	@files=$$(find . -name '*.go' -not -path './node_modules/*' -print0 | xargs -0 gofmt -l); \
	if [ -n "$$files" ]; then echo "not formatted by gofmt:"; echo "$$files"; exit 1; fi

.PHONY: vet
vet:
	$(GO) vet ./...

.PHONY: staticcheck
staticcheck:
	$(GO) run $(STATICCHECK) ./...

.PHONY: unit
unit: ## the tests
	$(GO) test ./...

.PHONY: race
race: ## the packages with concurrency, under the race detector
	$(GO) test -race $(CONCURRENT)

.PHONY: crash
crash: ## servers that die at chosen statements of a step
	$(GO) test -tags crashpoints -run TestR4_Crash ./vm/engine

# The end of the time now and then makes the fuzzer itself fail with "context deadline exceeded", with no input that fails: such a
# run is made again, and nothing else is forgiven.
.PHONY: fuzz
fuzz: ## each fuzz target for FUZZTIME
	@{ grep -rEo --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' . || true; } | sed 's/:func / /' | sort | \
	while read -r file name; do \
		echo "$(GO) test -fuzz $$name $$(dirname $$file)"; \
		run() { $(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1x "$$(dirname $$file)" </dev/null 2>&1; }; \
		out=$$(run) || { echo "$$out"; grep -q 'context deadline exceeded' <<<"$$out" && ! grep -q 'Failing input' <<<"$$out" && out=$$(run); }; \
		tail -n 2 <<<"$$out"; \
	done

.PHONY: flows
flows: build ## the tests in the example flows
	bin/flowc validate --strict examples
	bin/flowc test examples

.PHONY: vscode
vscode: ## drive the extension in VS Code, in a headless Chromium: see docs/editor-setup.md
	$(GO) test -tags vscode -count 1 -v -run TestEditor ./lsp/editors

.PHONY: pictures
pictures: build ## draw the pictures of docs/editor-setup.md anew, with Chromium
	cd lsp/editors/vscode && npm ci --no-progress && npm run --silent build
	lsp/editors/vscode/pictures/make

.PHONY: bench
bench: ## the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

.PHONY: clean
clean: ## remove what was built and the embedded database
	rm -rf bin flow.db flow.db-wal flow.db-shm

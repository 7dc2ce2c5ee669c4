# ARGS are further flags of a run: make bench ARGS="--structure '^wheel$' --workload churn"
# Recipes use $(value ARGS), so that make does not expand a $.
ARGS ?=
# The folder of the run. Empty: a new one in out/, to which out/latest then points.
OUT  ?=
# How long to fuzz each target.
FUZZTIME ?= 60s

LINTER    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GREMLINS  := github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0
# The newest release of Go. Go supports it and the one of go.mod.
NEW_GO    := go1.27.4
# make mutants takes the packages that differ from BASE, or the packages PKG.
BASE      ?= main
PKG       ?=
CMD       := bin/timerbench
RUN        = $(CMD) run $(if $(OUT),--out $(OUT))
LAST       = $(or $(OUT),out/latest)

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-23s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the command
	go build -buildvcs=auto -o $(CMD) ./cmd/timerbench # results name the commit

.PHONY: bench
bench: build ## Measure and draw out/latest/report.html: just under 5 minutes on two cores
	$(RUN) --profile normal --budget 4m --traces traces $(value ARGS)
	$(CMD) live --into $(LAST) --for 30s -s '^(auto|hwheel|quadheap)$$' --goroutines 1,2 --n 1e2,1e3,1e4,1e5
	$(CMD) report $(OUT)

.PHONY: bench-smoke
bench-smoke: build ## A short run, to check that everything works: about a minute
	$(RUN) --profile smoke $(value ARGS)
	$(CMD) verify $(LAST)
	$(CMD) report $(OUT)

.PHONY: bench-full
bench-full: build ## Measure everything, up to ten million timers, or continue: hours
	$(CMD) run --profile full $(if $(wildcard $(or $(OUT),out/full)/results.json),--resume) --out $(or $(OUT),out/full) $(value ARGS)
	$(CMD) live --into $(or $(OUT),out/full) --for 4m -s '^(auto|hwheel|quadheap)$$' --n 1e2,1e3,1e4,1e5,1e6
	$(CMD) report $(or $(OUT),out/full)

.PHONY: bench-peers
bench-peers: build ## Measure the driver, Go's timers and timers of other projects: a minute
	cd peers && go run . -for 1m -out "$(abspath $(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-peers))"

.PHONY: bench-durable
bench-durable: ## Measure durable timers, asynq, River and message schedules, with kills: 12 minutes, redis-server, postgresql
	cd durable/bench && go build -o ../../bin/durable-bench .
	bin/durable-bench -out "$(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-durable)" $(value ARGS)

FIELD = $(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-field)

.PHONY: bench-field
bench-field: build ## Measure timers of other languages and our best structures: a quarter of an hour, 16 GB
	peers/build.sh
	@out="$(FIELD)"; set -e; \
	$(CMD) run --profile field --out "$$out" --external peers/bin/all.toml \
		--structure '^(auto|hwheel|quadheap|minheap|rbtree|intrusive-(hwheel|linkedwheel|heap))$$' $(value ARGS) || \
		{ [ -e "$$out/results.json" ] && echo "programs that fail the proof have no number; the others do"; }; \
	$(CMD) report "$$out"

TTL_STRUCTURES := ^(auto|hwheel|hwheel-list|quadheap|radixheap|lawn|intrusive-hwheel)$$

.PHONY: bench-ttl
bench-ttl: build ## Measure TTLs of a cache with 10^6 and 10^7 entries: a quarter of an hour, 9 GB
	$(RUN) --profile ttl --structure '$(TTL_STRUCTURES)' $(value ARGS)
	$(CMD) report $(OUT)

# The sessions differ in the number of timers, by which --into tells them apart.
.PHONY: bench-live
bench-live: build ## Measure the driver next to Go's own timers, on 1 to 8 goroutines: 7 minutes, 3 GB
	@out="$(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-live)"; set -e; \
	$(CMD) live --out "$$out" -g 1,2,4 --n 1e6 --tick 100us,1ms --for 150s; \
	$(CMD) live --into "$$out" -g 1,2,4,8 --n 1e5 --for 95s; \
	$(CMD) live --into "$$out" -g 1,2,4 --n 1e2,1e3 --for 60s; \
	$(CMD) live --into "$$out" -g 1,2 --n 1e4 --tick 100us,1ms,50us --for 90s

# The run is that of make bench-field, -live, -peers, -ttl or -durable; make submit keeps runs of make bench.
.PHONY: keep
keep: ## Keep the run OUT, or the newest one, in docs, with its tables
	TIMERBENCH_KEEP="$(abspath $(or $(OUT),$(firstword $(shell ls -dt out/*-*/))))" go test ./internal/doctest -run KeepsARun -count 1 -v
	$(MAKE) docs

# Each test writes what its package knows.
.PHONY: docs
docs: ## Write all generated parts of the documents: a minute
	go test ./internal/doctest -count 1 -run 'README|Published|Version|Field|TTL|LivePage' -update
	go test ./cmd/timerbench -count 1 -run 'TracesSay|ModelsAreLaid|RecordingsDocument|RecommendGolden' -update
	go test ./report ./report/answer -count 1 -run 'TestPage$$|KeptPage|Predict' -update
	go test ./bench/live -count 1 -run Wakeups -update
	go test ./bench/stats -count 1 -run Between -update
	cd durable/bench && go test -count 1 -run TheKeptRun . -update

.PHONY: report
report: build ## Draw the report of the last results again
	$(CMD) report $(OUT)

# report.html is not kept: GitHub shows only its source, and each copy would add 3 MB to every clone.
# report.md has the same content, and README links to it.
.PHONY: submit
submit: $(if $(wildcard $(OUT)/results.json),build,bench) ## Measure this machine, or take the run OUT, check it, and write it to docs/results
	$(CMD) submit $(LAST)
	go build -buildvcs=auto -o $(CMD) ./cmd/timerbench # the kept runs are part of it, and of each report
	$(CMD) report $(LAST)
	find docs/results -type f ! -name '*.go' ! -name '*.json*' -delete
	awk '/^## / { if (last) exit; last = /Which structure is fastest/ } { print }' $(LAST)/report.md | \
		sed '/^<details>/,/^<\/details>/d; s|report-charts/||g' | cat -s >docs/results/report.md
	cp $$(grep -o '(\([a-z-]*\.svg\))' docs/results/report.md | tr -d '()' | sort -u | sed 's|^|$(LAST)/report-charts/|') docs/results/
	$(MAKE) docs

.PHONY: findings
findings: ## Run the scripts of findings, which show what real libraries and tools do: several minutes, needs root for Debian packages
	@failed=; for script in findings/*.sh; do echo "== $$script"; "$$script" || failed="$$failed $$script"; done; \
	[ -z "$$failed" ] || { echo "changed:$$failed"; exit 1; }

# The nested modules are tested at the same time, because many tests wait. go vet by itself would look at each package a second time.
.PHONY: test
test: ## Run all tests: 8 minutes on two cores, with an empty build cache
	@(set -ex; \
		(cd driver/prometheus && go test -vet=all ./...); \
		(cd durable && go test -vet=all -short ./...); \
		(cd durable/bench && go test -vet=all -short ./...); \
		(cd peers && go vet ./... && go test -short ./go); \
		(cd examples/grpcserver && go test -vet=all ./...)) & nested=$$!; \
	set -x; go test -vet=all -p 4 ./... || failed=1; wait $$nested && [ -z "$$failed" ]

.PHONY: test-page
test-page: ## Test the report page in a browser (needs chromium)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		echo "skipped, for want of a browser: apt-get install chromium (Debian, Ubuntu), or brew install chromium"
	cd browser && go vet ./... && go test ./...

.PHONY: test-long
test-long: ## Run all tests with random runs at full length, and a driver with a million timers for a minute
	TIMERBENCH_LONG=1 go test ./...
	go test ./driver -run Soak -v -count 1 -timeout 10m -soak 60s -soak-timers 1000000
	cd durable && go test -count 20 -run Kill -timeout 60m .
	cd durable && TIMERBENCH_LONG=1 go test -run KillRemovals -timeout 60m .

# On 32 bits, because records and IDs have a manual layout. A skipped platform is named.
# These structures share their code with nearly all others, whose types are checked for all platforms.
CORES := ./structures/auto ./structures/hwheel ./structures/quadheap ./structures/rbtree ./structures/intrusive/...

.PHONY: vet-cross
vet-cross: ## Check the types for other platforms; test structures on 32 bits, under Node and with the newest Go: 3 minutes
	go build -o bin/platforms ./internal/platforms
	bin/platforms linux/386 windows/amd64 darwin/arm64 js/wasm
	cd durable && ../bin/platforms windows/amd64 darwin/arm64
	GOARCH=arm64 go vet ./driver/internal/machine ./structures/internal/prefetch # they have assembly
	if [ "$$(go env GOHOSTOS)/$$(go env GOHOSTARCH)" = linux/amd64 ]; then GOARCH=386 go test -vet=off -short ./structures/internal/... $(CORES); fi
	@if ! command -v node >/dev/null; then \
		echo "skipped: js, for want of node"; \
	else \
		GOOS=js GOARCH=wasm go test -vet=off -short -run Conformance -skip StopEarlyAndGrow -exec "$$(go env GOROOT)/lib/wasm/go_js_wasm_exec" $(CORES); \
	fi
	@if ! GOTOOLCHAIN=$(NEW_GO) go version; then \
		echo "skipped: $(NEW_GO) can neither be found nor downloaded"; \
	else \
		GOTOOLCHAIN=$(NEW_GO) go test -vet=off -short ./driver/... ./trace/... $(CORES); \
	fi

# The list of surviving mutants is advice for a review and no gate: some mutants change nothing.
.PHONY: mutants
mutants: ## Mutate the packages that differ from BASE (main), or PKG, and list mutants that the tests do not detect
	@for pkg in $(or $(PKG),$$(git diff --name-only --diff-filter=d $(BASE) -- '*.go' ':!*_test.go' | xargs -rn1 dirname | sort -u)); do \
		echo "$$pkg"; \
		GOFLAGS=-short go run $(GREMLINS) unleash --timeout-coefficient 10 --output-statuses lt ./$$pkg || exit 1; \
	done

.PHONY: race
race: ## Run the tests with the race detector
	go test -race -short ./...

.PHONY: fuzz
# Without a limit, minimizing inputs would take most of the time.
fuzz: ## Fuzz each structure, each file reader and the driver for FUZZTIME (60s)
	@for pkg in $$(go list -f '{{if or .XTestGoFiles .TestGoFiles}}{{.ImportPath}}{{end}}' ./structures/... ./trace/... ./bench/... ./driver/...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg || exit 1; \
		done; \
	done

.PHONY: lint
lint: ## Run gofmt, vet and the linters
	@test -z "$$(gofmt -l .)" || { gofmt -l . ; echo "not gofmt-clean"; exit 1; }
	go vet ./...
	go run $(LINTER) run ./...
	cd driver/prometheus && go run $(LINTER) run ./...
	cd durable && go run $(LINTER) run ./...
	cd durable/bench && go run $(LINTER) run ./...
	cd browser && go run $(LINTER) run ./...
	cd examples/grpcserver && go run $(LINTER) run ./...

.PHONY: size
size: ## Print lines of packages with their imports, of all code and of tests, and folders of many files
	@go test -count=1 -run '^TestSize$$' -v ./internal/doctest | sed -n 's/^ *size_test.go:[0-9]*: //p'

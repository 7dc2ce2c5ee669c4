# ARGS are further flags of a run: make bench ARGS="--structure '^wheel$' --workload churn"
# Recipes use $(value ARGS), so that make does not expand a $.
ARGS ?=
# The folder of the run. Empty: a new one in out/, to which out/latest then points.
OUT  ?=
# How long to fuzz each target.
FUZZTIME ?= 60s

LINTER    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
BENCHSTAT := golang.org/x/perf/cmd/benchstat
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
	$(RUN) --profile normal --budget 4m10s --traces traces $(value ARGS)
	$(CMD) live --into $(LAST) --for 20s -s '^(auto|hwheel|quadheap)$$' --drivers tickless --shards default --goroutines 1,2 --n 1e2,1e3,1e4,1e5
	$(CMD) report $(OUT)

.PHONY: bench-smoke
bench-smoke: build ## A short run, to check that everything works: about a minute
	$(RUN) --profile smoke $(value ARGS)
	$(CMD) verify $(LAST)
	$(CMD) report $(OUT)

.PHONY: bench-full
bench-full: build ## Measure everything, up to ten million timers, or continue: hours
	$(CMD) run --profile full $(if $(wildcard $(or $(OUT),out/full)/results.json),--resume) --out $(or $(OUT),out/full) $(value ARGS)
	$(CMD) live --into $(or $(OUT),out/full) --for 4m -s '^(auto|hwheel|quadheap)$$' --drivers tickless --shards default --n 1e2,1e3,1e4,1e5,1e6
	$(CMD) report $(or $(OUT),out/full)

.PHONY: bench-peers
bench-peers: build ## Measure the driver, Go's timers and timers of other projects: a minute
	cd peers && go run . -for 1m -out "$(abspath $(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-peers))"

.PHONY: bench-durable
bench-durable: ## Measure durable timers on NATS JetStream: 2 minutes
	cd durable && go test -v -run TestMeasure -timeout 30m . -measure "$(abspath $(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-durable))"

.PHONY: keep-durable
keep-durable: ## Keep the last run of bench-durable, or the run OUT, in docs/durable, with the table of docs/durable.md
	cp $(or $(OUT),$(shell ls -d out/*-durable 2>/dev/null | tail -n 1))/results.json docs/durable/results.json
	cd durable && go test -run TheKeptRun . -update

.PHONY: peers
peers: ## Build the adapters for timers of other languages, with packages of Debian, pkg-config, CPATH and CLASSPATH
	peers/build.sh

FIELD = $(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-field)

.PHONY: bench-field
bench-field: build peers ## Measure timers of other languages and our best structures: a quarter of an hour, 16 GB
	@out="$(FIELD)"; set -e; \
	$(CMD) run --profile field --out "$$out" --external peers/bin/all.toml \
		--structure '^(auto|hwheel|quadheap|minheap|rbtree|intrusive-(hwheel|linkedwheel|heap))$$' $(value ARGS) || \
		{ [ -e "$$out/results.json" ] && echo "programs that fail the proof have no number; the others do"; }; \
	$(CMD) report "$$out"

.PHONY: keep-field
keep-field: ## Keep the last run of bench-field, its section of the report in docs/field.md, and the table of docs/performance.md
	rm -rf docs/field.new && mkdir docs/field.new && cp $(LAST)/report-charts/other-languages-*.svg docs/field.new/
	gzip -9nc $(LAST)/results.json >docs/field.new/results.json.gz
	rm -rf docs/field && mv docs/field.new docs/field
	sed -n '3{s/^Measured/`make bench-field`, measured/p;q}' $(LAST)/report.md >$(LAST)/field
	sed -n '/^## How do timers of other languages/,/^## /{/^## /d;p}' $(LAST)/report.md | \
		sed '/^\*\*The programs/d; /^<details><summary>/,/^<\/details>/d; s|report-charts/|field/|g; s/\.png)/.svg)/g' | cat -s >>$(LAST)/field
	sed -i -e '/^<!-- field: /,/^<!-- end of field/{/^<!--/!d}' -e '/^<!-- field: /r $(LAST)/field' docs/field.md
	rm $(LAST)/field
	go test ./internal/doctest -run Field -update

TTL_STRUCTURES := ^(auto|hwheel|hwheel-list|quadheap|radixheap|lawn|intrusive-hwheel)$$

.PHONY: bench-ttl
bench-ttl: build ## Measure TTLs of a cache with 10^6 and 10^7 entries: a quarter of an hour, 9 GB
	$(RUN) --profile ttl --structure '$(TTL_STRUCTURES)' $(value ARGS)
	$(CMD) report $(OUT)

.PHONY: keep-ttl
keep-ttl: ## Keep the last run of bench-ttl in docs, with the tables of docs/ttl.md
	gzip -9nc $(LAST)/results.json >docs/ttl.json.gz
	cp $(LAST)/report-charts/longest-calls.svg docs/ttl.svg
	go test ./internal/doctest -run TTL -update

# The sessions differ in the number of timers, by which --into tells them apart.
.PHONY: bench-live
bench-live: build ## Measure the driver beside Go's own timers and a queue, on 1 to 8 goroutines: 8 minutes, 3 GB
	@out="$(or $(OUT),out/$(shell date +%Y-%m-%d-%H%M%S)-live)"; set -e; \
	$(CMD) live --out "$$out" --drivers tickless --shards default -g 1,2,4 --n 1e6 --tick 100us,1ms --for 150s; \
	$(CMD) live --into "$$out" --drivers tickless,ticking,queue -g 1,2,4,8 --n 1e5 --for 165s; \
	$(CMD) live --into "$$out" --drivers tickless --shards default -g 1,2,4 --n 1e2,1e3 --for 60s; \
	$(CMD) live --into "$$out" --drivers tickless --shards default -g 1,2 --n 1e4 --tick 100us,1ms,50us --for 90s

.PHONY: keep-live
keep-live: ## Keep the last run of bench-live, or the run OUT (of bench-peers, too), in docs/live, with the tables of its page
	TIMERBENCH_LIVE="$(abspath $(or $(OUT),$(shell ls -d out/*-live | tail -n 1)))" go test ./internal/doctest -run LivePage -update

# docs/performance.md has its chart.
.PHONY: bench-scale
bench-scale: build ## Measure costs, memory and longest calls from 100 to 10^7 timers: a quarter of an hour, 8 GB
	$(RUN) --profile scale --structure '^(auto|hwheel|quadheap)$$' $(value ARGS)
	$(CMD) report $(OUT)
	cp $(LAST)/report-charts/scale.svg docs/scale.svg

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
	sed '/^## How /,$$d; s|report-charts/||g; s/\.png)/.svg)/' $(LAST)/report.md >docs/results/report.md
	cp $(LAST)/report-charts/latency.??g $(LAST)/report-charts/idle-ticks.??g $$(grep -o '(\([a-z-]*\.svg\))' docs/results/report.md | tr -d '()' | sort -u | sed 's|^|$(LAST)/report-charts/|') docs/results/
	go test ./internal/doctest ./cmd/timerbench ./report ./report/answer -run 'README|Published|RecommendGolden|TestPage$$|KeptPage|Predict' -update

.PHONY: findings
findings: ## Run the scripts of findings, which show what real libraries and tools do: several minutes, needs root for Debian packages
	@failed=; for script in findings/*.sh; do echo "== $$script"; "$$script" || failed="$$failed $$script"; done; \
	[ -z "$$failed" ] || { echo "changed:$$failed"; exit 1; }

.PHONY: benchstat
benchstat: ## Compare the structures of the last run with benchstat
	go run $(BENCHSTAT) -col /structure -row /workload,/n -filter '/op:(per-lifecycle OR per-tick OR per-reschedule) .unit:sec/op' $(LAST)/bench.txt

.PHONY: trace-http
trace-http: build ## Record traces/http.trace again: a server under load from wrk, for 40 s
	examples/httpserver/record.sh $(CMD) traces/http.trace
	go test ./cmd/timerbench -run TracesSay -update

.PHONY: test
test: ## Run all tests
	go test -vet=all ./... # go vet by itself would look at each package a second time
	cd driver/prometheus && go test -vet=all ./...
	cd durable && go test -vet=all -short ./...
	cd peers && go vet ./... && go test -short ./go
	cd examples/grpcserver && go test -vet=all ./...

.PHONY: test-new-go
test-new-go: ## Run short tests of driver, trace and structures with the newest release of Go: 2 minutes
	@if ! GOTOOLCHAIN=$(NEW_GO) go version; then \
		echo "skipped: $(NEW_GO) can neither be found nor downloaded"; \
	else \
		GOTOOLCHAIN=$(NEW_GO) go test -short ./driver/... ./trace/... ./structures/...; \
	fi

.PHONY: test-page
test-page: ## Test the report page in a browser (needs chromium)
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null || \
		echo "skipped, for want of a browser: apt-get install chromium (Debian, Ubuntu), or brew install chromium"
	cd browser && go vet ./... && go test ./...

.PHONY: test-long
test-long: ## Run all tests with random runs at full length
	TIMERBENCH_LONG=1 go test ./...
	cd durable && go test -count 20 -run Kill -timeout 60m .
	cd durable && TIMERBENCH_LONG=1 go test -run KillRemovals -timeout 60m .

# The tests of the structures also run on 32 bits, because records and IDs have a manual layout.
.PHONY: vet-cross
vet-cross: ## Vet for other platforms, and test the structures on 32 bits
	GOOS=linux GOARCH=386 go vet ./...
	GOOS=windows GOARCH=amd64 go vet ./...
	GOOS=darwin GOARCH=arm64 go vet ./...
	GOOS=js GOARCH=wasm go vet ./structures/... ./driver/...
	if [ "$$(go env GOHOSTOS)/$$(go env GOHOSTARCH)" = linux/amd64 ]; then GOARCH=386 go test -short ./structures/...; fi

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

.PHONY: soak
soak: ## Run a driver with a million timers and eight goroutines for a minute
	go test ./driver -run Soak -v -count 1 -timeout 10m -soak 60s -soak-timers 1000000

.PHONY: lint
lint: ## Run gofmt, vet and the linters
	@test -z "$$(gofmt -l .)" || { gofmt -l . ; echo "not gofmt-clean"; exit 1; }
	go vet ./...
	go run $(LINTER) run ./...
	cd driver/prometheus && go run $(LINTER) run ./...
	cd durable && go run $(LINTER) run ./...
	cd browser && go run $(LINTER) run ./...
	cd examples/grpcserver && go run $(LINTER) run ./...

.PHONY: size
size: ## Print lines of packages with their imports, of all code and of tests, and folders of many files
	@go test -count=1 -run '^TestSize$$' -v ./internal/doctest | sed -n 's/^ *size_test.go:[0-9]*: //p'

.PHONY: cover
cover: ## Print test coverage by function
	go test -short -coverpkg ./... -coverprofile cover.out ./...
	go tool cover -func cover.out

.PHONY: clean
clean: ## Remove builds and measurements
	rm -rf bin out cover.out

# What a run measures can be narrowed: make bench ARGS="--structure wheel --workload churn"
ARGS ?=
OUT  ?= out
# How long to fuzz each target.
FUZZTIME ?= 60s

LINTER    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
BENCHSTAT := golang.org/x/perf/cmd/benchstat
CMD       := bin/timerbench

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build the command
	go build -o $(CMD) ./cmd/timerbench

.PHONY: bench
bench: build ## Measure and draw the charts into out/: at most 5 minutes
	$(CMD) run --profile normal --out $(OUT) $(ARGS)
	$(CMD) report --out $(OUT)

.PHONY: bench-smoke
bench-smoke: build ## The same in small, to see that all works: about a minute
	$(CMD) run --profile smoke --out $(OUT) $(ARGS)
	$(CMD) report --out $(OUT)

.PHONY: bench-full
bench-full: build ## Everything, up to ten million timers: hours
	$(CMD) run --profile full --out $(OUT) $(ARGS)
	$(CMD) report --out $(OUT)

.PHONY: bench-micro
bench-micro: build ## The structures in lean loops, with floors and Go's timers beside: about 3 minutes
	$(CMD) micro $(ARGS)

.PHONY: report
report: build ## Draw the charts and report.html again from the last results
	$(CMD) report --out $(OUT)

# Not report.html: GitHub shows it as source, and it says what report.md and the
# charts say, in 5 MB more.
.PHONY: keep
keep: ## Keep the last report in docs/results, which the README shows
	mkdir -p docs/results
	rm -f docs/results/*
	sed 's/\.png)/.svg)/' $(OUT)/report.md >docs/results/report.md
	cp $(OUT)/overview.png $(OUT)/*.svg docs/results/

.PHONY: benchstat
benchstat: ## Compare the structures of the last results with benchstat
	go run $(BENCHSTAT) -col /structure -row /workload,/n -filter '/op:(per-lifecycle OR per-tick OR per-reschedule) .unit:sec/op' $(OUT)/bench.txt

.PHONY: trace-http
trace-http: build ## Record traces/http.trace anew: a server under load by wrk, for 40 s
	examples/httpserver/record.sh $(CMD) traces/http.trace
	go test ./cmd/timerbench -run TracesREADME -update

.PHONY: test
test: ## Prove that everything works
	go vet ./...
	go test ./...

.PHONY: race
race: ## The tests under the race detector
	go test -race -short ./...

.PHONY: fuzz
# Minimising what covers new code would take most of the time otherwise.
fuzz: ## Fuzz each structure and each reader of files for FUZZTIME (60s)
	@for pkg in $$(go list -f '{{if or .XTestGoFiles .TestGoFiles}}{{.ImportPath}}{{end}}' ./structures/... ./bench/...); do \
		for target in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x $$pkg || exit 1; \
		done; \
	done

.PHONY: lint
lint: ## gofmt, vet and the linters
	@test -z "$$(gofmt -l .)" || { gofmt -l . ; echo "not gofmt-clean"; exit 1; }
	go vet ./...
	go run $(LINTER) run ./...

.PHONY: cover
cover: ## Test coverage by function
	go test -short -coverpkg ./... -coverprofile cover.out ./...
	go tool cover -func cover.out

.PHONY: clean
clean: ## Remove what was built and measured
	rm -rf bin $(OUT) cover.out

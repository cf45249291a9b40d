# make help lists the targets. Tools are pinned in tools/go.mod and built into bin/.

BIN := $(CURDIR)/bin
FUZZTIME ?= 20

.PHONY: help build test race lint fmt fuzz bench conformance laws picture tools ci

help: ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

build: ## build bin/retryscope
	go build -o $(BIN)/retryscope .

test: ## every test
	go test ./...

race: ## every test, with the race detector
	go test -race ./...

lint: $(BIN)/tools.stamp ## go vet and golangci-lint
	go vet ./...
	$(BIN)/golangci-lint run ./...

fmt: $(BIN)/tools.stamp ## format all Go files
	find . -name '*.go' -not -path './bin/*' -not -path '*/testdata/*' | xargs $(BIN)/gofumpt -w
	find . -name '*.go' -not -path './bin/*' -not -path '*/testdata/*' | xargs $(BIN)/goimports -w

fuzz: ## every fuzz target for FUZZTIME seconds (20)
	.ci/fuzz.sh $(FUZZTIME)

bench: ## ours and the peers on the same work, as a table of ratios (minutes, on a quiet machine)
	go run -C bench ./cmd/table

conformance: ## the presets against the real clients: prints the table, writes presets/results.json and docs/PRESETS.md
	go test -C presets/conformance -count=1 -run Conformance -v . -args -write

laws: ## the simulator against every row of its laws, long runs: what was expected, what came out, how far off (minutes)
	go test ./sim -count=1 -run 'Law|AWSSimulator' -v -timeout 60m -args -laws 1

picture: build $(BIN)/tools.stamp ## the pictures of docs/ from the real screen (needs tmux)
	docs/picture.sh $(BIN)/retryscope $(BIN)/freeze

tools: $(BIN)/tools.stamp ## build the pinned tools into bin/ (minutes, the first time)

# Rebuilt when a version changes, or when somebody emptied bin/.
$(BIN)/tools.stamp: tools/go.mod tools/go.sum
	@mkdir -p $(BIN)
	go build -C tools -o $(BIN)/ tool
	@touch $@

ci: ## all that a change has to pass
	.ci/run

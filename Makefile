# Everything that the targets need beyond Go, Python 3, git and make is installed into
# the cache folder, with pinned versions.
CACHE ?= $(or $(IRONWORKS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ironworks)
LINT_VERSION := 2.15.0
LINT := $(CACHE)/bin/golangci-lint-$(LINT_VERSION)
VULN_VERSION := v1.9.0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The race detector needs a C compiler.
CC_FOUND := $(shell command -v $(CC) || command -v gcc || command -v clang)
RACE := $(if $(CC_FOUND),-race,)

.PHONY: build test test-long boot lint bench screens vuln ironic pythons clean

build:
	go build -trimpath -ldflags '-s -w -X ironworks/cmd.buildVersion=$(VERSION)' -o bin/ironworks ./cmd/ironworks

# The old Ironic and its agent need Python 3.11 or earlier. Elsewhere they are left out,
# except in CI.
pythons:
	@python3 lab/real/venv.py --progress-fd 2 newest agent-newest
	@python3 lab/real/venv.py --progress-fd 2 old agent-old || { status=$$?; \
	  if [ $$status -ne 3 ] || [ -n "$$CI" ]; then exit $$status; fi; \
	  echo "leaving out Ironic 21.4.4 and its agent: no Python 3.11 or earlier here"; }

# Those that drive real Ironics wait more than they work: two at a time, after the others,
# which work. The end-to-end tests have several Ironics of their own. make lint vets.
DRIVING := ^ironworks/(fleet|lab|lab/machine|provision|test/(agent|contract|hints|ironic|journal|oracle|terminal))$$
ALONE := ^ironworks/test/e2e$$

test: pythons
	@$(if $(RACE),true,echo "no C compiler: the tests run without the race detector")
	go test $(RACE) -vet=off -p 2 $$(go list ./... | grep -vE '$(DRIVING)|$(ALONE)')
	go test $(RACE) -vet=off -p 2 -timeout 35m $$(go list ./... | grep -E '$(DRIVING)')
	go test $(RACE) -vet=off -p 1 -timeout 40m $$(go list ./... | grep -E '$(ALONE)')
	cd test/builders/controller && go test ./...

# As test, and all machines, scenarios, releases and comparisons: an hour longer.
test-long: pythons
	IRONWORKS_TEST_LONG=1 go test $(RACE) -p 1 -timeout 60m ./journal ./lab ./test/agent ./test/contract ./test/coreosinstaller ./test/hints ./test/oracle
	IRONWORKS_TEST_LONG=1 go test $(RACE) -timeout 90m ./fleet ./test/e2e

# Machines that really boot, in QEMU; prints the time of each phase. It needs root and Debian
# packages, and says which; without them it is left out, except in CI. RUN chooses the tests,
# RELEASES the Ironics whose agents they need. The tests run one after the other, which takes an
# hour and a half without KVM.
boot:
	@python3 test/boot/install.py $(RELEASES) >/dev/null; status=$$?; \
	if [ $$status -eq 3 ] && [ -z "$$CI" ]; then exit 0; fi; \
	if [ $$status -ne 0 ]; then exit $$status; fi; \
	IRONWORKS_BOOT=1 go test -count=1 -v -p 1 -timeout 180m -run '$(or $(RUN),.)' ./test/boot ./test/vm

lint: $(LINT)
	$(LINT) run ./...
	$(LINT) fmt --diff ./...
	cd test/builders/controller && go vet ./...

$(LINT):
	@mkdir -p $(CACHE)/bin/new
	GOBIN=$(CACHE)/bin/new go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION)
	@mv $(CACHE)/bin/new/golangci-lint $@

# Prints figures and ratios; nothing fails because it is slow.
bench: pythons build
	go run ./test/bench -binary bin/ironworks
	go test ./ui -run '^$$' -bench 'View|Key|Picture'
	go test ./ui -run '^$$' -bench 'Bytes|Flood' -benchtime 1x
	go test ./ui/widget/... -run '^$$' -bench .
	go test ./ignition ./ignition/image -run '^$$' -bench .
	go test ./journal -run '^$$' -bench .
	go test ./agentlog -run '^$$' -bench .
	go test ./ignition/serve -run '^$$' -bench Serve -benchtime 3x

# Draws the pictures of README and docs anew, from the console on the lab; a minute.
screens: build
	go run ./test/screens -binary bin/ironworks -out docs/pictures

# Needs the open network, so that it is part of nothing else.
vuln:
	go run golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION) ./...

# Starts a real Ironic and prints how to point the console at it; ARGS="-release old
# -auth keystone -nodes 100" chooses.
ironic:
	go run ./test/ironic/cmd/run $(ARGS)

clean:
	rm -rf bin

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

.PHONY: build check test test-long fuzz boot lint bench screens vuln ironic pythons clean

build:
	go build -trimpath -ldflags '-s -w -X ironworks/cmd.buildVersion=$(VERSION)' -o bin/ironworks ./cmd/ironworks

# The old Ironic and its agent need Python 3.11, the newest ones 3.11 or later. Without
# Python 3.11 the old ones are left out, except in CI.
pythons:
	@python3 lab/real/venv.py --progress-fd 2 newest agent-newest
	@python3 lab/real/venv.py --progress-fd 2 old agent-old || { status=$$?; \
	  if [ $$status -ne 3 ] || [ -n "$$CI" ]; then exit $$status; fi; \
	  echo "leaving out Ironic 21.4.4 and its agent: no Python 3.11 here"; }

# What needs nothing but Go: everything except what is below test, and the embedded Ironic
# beside the contract. The inner loop: no race detector, and few seeds (-short).
check:
	go test -short -vet=off -p 4 $$(go list ./... | grep -vE '^ironworks/test/') ./test/contract/embedded

# The race detector makes a package two to eight times slower. It watches the packages whose
# goroutines share memory; the others calculate, draw, or drive a program from outside.
# RACING ends in less than a minute each. DRIVING and DRIVING_RACING wait for real programs
# more than they work. The end-to-end tests have several Ironics of their own, and run alone.
# make lint vets.
RACING := ^ironworks/(agentlog|audit|bmc|cmd|config|fleet|ignition/serve|ironicclient|journal|lab(/.*)?|provision|replay|session|ui|ui/screen/(deploy|logs|ramdisk)|wire)$$
DRIVING := ^ironworks/test/(agent|contract/.*|coreosinstaller|explain|hints|ironic|oracle|terminal|upstream)$$
DRIVING_RACING := ^ironworks/test/(journal|lab|ramdisk)$$
ALONE := ^ironworks/test/e2e$$

test: pythons
	@$(if $(RACE),true,echo "no C compiler: the tests run without the race detector")
	go test -vet=off -p 2 $$(go list ./... | grep -vE '$(RACING)|$(DRIVING)|$(DRIVING_RACING)|$(ALONE)')
	go test $(RACE) -vet=off -p 2 $$(go list ./... | grep -E '$(RACING)')
	go test -vet=off -p 3 -timeout 35m $$(go list ./... | grep -E '$(DRIVING)')
	go test $(RACE) -vet=off -p 2 -timeout 35m $$(go list ./... | grep -E '$(DRIVING_RACING)')
	go test $(RACE) -vet=off -p 1 -timeout 40m $$(go list ./... | grep -E '$(ALONE)')
	cd test/builders/controller && go test ./...

# As test, and all machines, scenarios, releases and comparisons, with fresh seeds, and each
# fuzz target for a minute: two hours longer. SEED repeats a run.
SEED ?= $(shell date +%s)

test-long: pythons
	@echo "seeds from $(SEED) on; make test-long SEED=$(SEED) repeats them"
	IRONWORKS_TEST_LONG=1 IRONWORKS_TEST_SEED=$(SEED) go test $(RACE) -p 1 -timeout 60m ./fleet ./journal ./test/agent ./test/contract/... ./test/coreosinstaller ./test/hints ./test/lab ./test/oracle
	IRONWORKS_TEST_LONG=1 IRONWORKS_TEST_SEED=$(SEED) go test $(RACE) -timeout 90m ./test/e2e
	$(MAKE) fuzz

# Each fuzz target for FUZZTIME, one after the other.
FUZZTIME ?= 1m

fuzz:
	@set -e; grep -rEho --include='*_test.go' --with-filename '^func Fuzz[A-Za-z]+' . | sort | while IFS=: read -r file target; do \
	  go test -vet=off -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$(dirname "$$file")"; \
	done

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

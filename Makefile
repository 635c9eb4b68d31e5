# Everything beyond Go, Python 3, git and make is installed into the cache directory, with
# pinned versions.
CACHE ?= $(or $(IRONWORKS_CACHE),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/ironworks)
LINT_VERSION := 2.15.0
LINT := $(CACHE)/bin/golangci-lint-$(LINT_VERSION)
VULN_VERSION := v1.9.0

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
# The race detector needs a C compiler.
CC_FOUND := $(shell command -v $(CC) || command -v gcc || command -v clang)
RACE := $(if $(CC_FOUND),-race,)

.PHONY: build agent install check test test-long fuzz boot lint bench screens vuln ironic pythons clean

build:
	go build -trimpath -ldflags '-s -w -X ironworks/cmd/cli.buildVersion=$(VERSION)' -o bin/ironworks ./cmd/ironworks

# The agent for ramdisks: one static program for each architecture, in bin.
agent:
	@for arch in amd64 arm64; do \
	  CGO_ENABLED=0 GOOS=linux GOARCH=$$arch go build -trimpath -ldflags '-s -w' -o bin/ironworks-agent-$$arch ./cmd/ironworks-agent || exit 1; \
	done

# Installs the program, its man pages and completion scripts below PREFIX.
PREFIX ?= /usr/local
SHARE := $(DESTDIR)$(PREFIX)/share

install: build
	install -Dm755 bin/ironworks $(DESTDIR)$(PREFIX)/bin/ironworks
	bin/ironworks man $(SHARE)/man/man1
	install -d $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	bin/ironworks completion bash >$(SHARE)/bash-completion/completions/ironworks
	bin/ironworks completion zsh >$(SHARE)/zsh/site-functions/_ironworks
	bin/ironworks completion fish >$(SHARE)/fish/vendor_completions.d/ironworks.fish

# The old Ironic and its agent need Python 3.11, the newest ones 3.11 or later. Without
# Python 3.11 the old ones are skipped, except in CI.
pythons:
	@python3 lab/real/venv.py --progress-fd 2 newest agent-newest
	@python3 lab/real/venv.py --progress-fd 2 old agent-old || { status=$$?; \
	  if [ $$status -ne 3 ] || [ -n "$$CI" ]; then exit $$status; fi; \
	  echo "skipping Ironic 21.4.4 and its agent: no Python 3.11"; }

# The inner loop, which needs only Go: all packages outside test, and the embedded Ironic
# against the contract. No race detector, few seeds (-short). WAITING packages wait longer than they
# compute, so they come first. With GOGC, garbage collection takes a tenth less processor time.
WAITING := ./test/contract/embedded ./cmd ./agentlog ./sshserver ./lab/conductor ./bmc ./agent ./ignition/serve ./lab

check:
	GOGC=400 go test -short -vet=off -p 8 $(WAITING) $$(go list ./... | grep -vE '^ironworks/test/')

# The race detector makes a package two to eight times slower, so it runs where goroutines share
# memory (RACING), with few seeds (-short): ./fleet and ./journal, whose tests are random, also
# run without it. DRIVING packages mostly wait for real programs; the longest come first. make
# lint runs vet.
RACING := ^ironworks/(agent(/.*)?|agentlog|audit|bmc|cmd|config|fleet|ignition/serve|ironicclient|journal|lab(/.*)?|mailbox|presence|provision|replay|session(/.*)?|sshserver(/.*)?|ui|ui/screen|ui/screen/(deploy|logs|ramdisk)|wire)$$
DRIVING := ^ironworks/test/(agent|contract/.*|coreosinstaller|docs|e2e|explain|hints|ironic|journal|lab|oracle|ramdisk|terminal|upstream)$$

test: pythons
	@$(if $(RACE),true,echo "no C compiler: the tests run without the race detector")
	go test -vet=off -p 2 ./fleet ./journal $$(go list ./... | grep -vE '$(RACING)|$(DRIVING)')
	go test $(RACE) -short -vet=off -p 2 $$(go list ./... | grep -E '$(RACING)')
	go test -vet=off -p 3 -timeout 60m ./test/e2e ./test/lab ./test/agent ./test/contract/real $$(go list ./... | grep -E '$(DRIVING)')
	cd test/builders/controller && go test ./...

# Like test, plus all machines, scenarios, releases and comparisons, with fresh seeds, and each
# fuzz target for a minute: two more hours. SEED repeats a run.
SEED ?= $(shell date +%s)

test-long: pythons
	@echo "seeds from $(SEED) on; make test-long SEED=$(SEED) repeats them"
	IRONWORKS_TEST_LONG=1 IRONWORKS_TEST_SEED=$(SEED) go test $(RACE) -p 1 -timeout 60m ./fleet ./journal ./test/agent ./test/contract/... ./test/coreosinstaller ./test/hints ./test/lab ./test/oracle
	IRONWORKS_TEST_LONG=1 IRONWORKS_TEST_SEED=$(SEED) go test $(RACE) -timeout 90m ./test/e2e
	$(MAKE) fuzz

# Runs each fuzz target for FUZZTIME.
FUZZTIME ?= 1m

fuzz:
	@set -e; grep -rEho --include='*_test.go' --with-filename '^func Fuzz[A-Za-z]+' . | sort | while IFS=: read -r file target; do \
	  go test -vet=off -run '^$$' -fuzz "^$${target#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x "$$(dirname "$$file")"; \
	done

# Boots virtual machines in QEMU and prints the time of each phase. It needs root and Debian
# packages, which it names; without them it is skipped, except in CI. RUN selects tests, RELEASES
# the Ironics whose agents they need. The tests run one after the other: 90 minutes without KVM.
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

# Prints figures and ratios; slowness is no failure.
bench: pythons build
	go run ./test/bench -binary bin/ironworks
	go test ./ui -run '^$$' -bench 'View|Key|Picture'
	go test ./ui -run '^$$' -bench 'Bytes|Flood' -benchtime 1x
	go test ./ui/widget/... -run '^$$' -bench .
	go test ./ignition ./ignition/image -run '^$$' -bench .
	go test ./journal -run '^$$' -bench .
	go test ./agentlog -run '^$$' -bench .
	go test ./ignition/serve -run '^$$' -bench Serve -benchtime 3x

# Redraws the pictures of README and docs from the console on the lab; two minutes.
screens: build
	go run ./test/screens -binary bin/ironworks -out docs/pictures

# Needs the internet, so no other target depends on it.
vuln:
	go run golang.org/x/vuln/cmd/govulncheck@$(VULN_VERSION) ./...

# Starts a real Ironic and prints how to connect; ARGS="-release old -auth keystone -nodes 100"
# sets options.
ironic:
	go run ./test/ironic/cmd/run $(ARGS)

clean:
	rm -rf bin

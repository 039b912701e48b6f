# SPDX-License-Identifier: Apache-2.0
# A newcomer's door: everything else is meson. `make help` lists the targets.
BUILD ?= build
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
SOAK_SECONDS ?= 3600
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: help all deps build demo test-fast check check-long lint coverage docs site bench fuzz soak dist install uninstall clean

all: build

help:
	@echo 'make demo     build, record a small program, show its profile'
	@echo 'make test-fast  unit tests, layers, the command: under a minute of tests'
	@echo 'make check    build with every compiler, run every test'
	@echo 'make check-long  the tests of suite long, of threads, gcc -fanalyzer: hours'
	@echo 'make lint     what clang-tidy and gcc -fanalyzer find in the sources'
	@echo 'make coverage  lines and branches that the tests execute, room by room: half an hour'
	@echo 'make build    build $(BUILD)/tracelathe'
	@echo 'make deps     install the Debian packages that all of this needs, and what npm brings'
	@echo 'make docs     the reference of the library in build-docs/html'
	@echo 'make site     the documents and manual pages as a site in build-site'
	@echo 'make bench    time tracelathe and llvm-xray on a 125 MB trace'
	@echo 'make fuzz     run each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)'
	@echo 'make soak     random commands over random mutants for SOAK_SECONDS=$(SOAK_SECONDS)'
	@echo 'make dist     the release archive of the last commit, which builds without git, npm and network'
	@echo 'make install  install below DESTDIR and PREFIX=$(PREFIX)'
	@echo 'make uninstall  remove what the last make install put there'
	@echo 'make clean    remove the build directories'

deps:
	@scripts/deps.sh

build:
	@scripts/build.sh $(BUILD)

demo:
	@scripts/deps.sh build demo
	@scripts/build.sh $(BUILD)
	@examples/demo/run.sh $(BUILD)

test-fast:
	@scripts/build.sh $(BUILD)
	@meson test -C $(BUILD) --suite unit --suite layers --suite cli --no-rebuild --print-errorlogs

check:
	@scripts/deps.sh build test
	@JOBS=$(JOBS) scripts/check.sh

check-long:
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD)
	@meson test -C $(BUILD) --suite long --no-rebuild --print-errorlogs
	@scripts/build.sh build-release --buildtype=release -Dwerror=true
	@scripts/threads.sh
	@scripts/lint.py $(BUILD) --tool gcc --jobs $(JOBS)

lint:
	@scripts/deps.sh build test
	@scripts/build.sh $(BUILD)
	@scripts/lint.py $(BUILD) --jobs $(JOBS)

coverage:
	@scripts/deps.sh build test
	@scripts/coverage.sh

docs:
	@scripts/deps.sh docs
	@scripts/docs.sh

site:
	@scripts/deps.sh build docs
	@TARGETS=all scripts/build.sh $(BUILD)
	@scripts/site.py $(BUILD) build-site

bench:
	@scripts/deps.sh build bench
	@scripts/build.sh build-release --buildtype=release
	@python3 bench/bench.py build-release
	@python3 scripts/proportion.py build-release --scale 16

fuzz:
	@scripts/deps.sh build test
	@FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

soak:
	@scripts/deps.sh build test
	@TARGETS="tracelathe libtracelathe.so.0.2" scripts/build.sh build-release --buildtype=release
	@python3 scripts/soak.py build-release/tracelathe --library build-release/libtracelathe.so.0.2 --seconds $(SOAK_SECONDS)

dist:
	@scripts/deps.sh build
	@scripts/dist.sh

install: build
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)) >/dev/null
	@scripts/build.sh $(BUILD)
	@meson install -C $(BUILD) --no-rebuild --quiet
	@[ -n "$(DESTDIR)" ] || echo 'installed below $(PREFIX); `ldconfig` (as root) lets programs find libtracelathe there'

uninstall:
	@ninja -C $(BUILD) uninstall >/dev/null

clean:
	rm -rf build build-*/

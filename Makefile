# geoq: one command to see it, one to test it. `make help` lists the others.

SHELL := /bin/bash
PREFIX ?= /usr/local
BINARY := .build/release/geoq
# how much verify-exact does
VERIFY_QUERIES ?= 1000000
VERIFY_CASES ?= 200000
VERIFY_ORACLE ?= 40000
SWIFT_FILES := Package.swift Sources Tests
# what `make check` does besides `make test`
CHECKS := lint test-release feeds-test service-test-short browser-test crash-test-short consumer disassembly
# the binary carries Swift's own library: it runs on machines without a toolchain, and starts faster;
# 43 000 names that nobody looks for are left out of its table
ifeq ($(shell uname -s),Linux)
RELEASE_FLAGS := --static-swift-stdlib -Xlinker --no-export-dynamic
endif

.DEFAULT_GOAL := help
.PHONY: help demo page browser-test test check checks install build setup setup-tests lint format test-debug test-release geographiclib oracle verify-exact mutants interop feeds-test hostile-test service-test service-test-short cost-test crash-test crash-test-short consumer asan disassembly clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## set up, build, import the sample feed and ask it three questions
	@Scripts/demo $(BINARY)

page: build ## open the lunch page with the sample feed and forty made-up restaurants
	@Scripts/page $(BINARY)

test: setup-tests test-debug oracle interop ## set up, then run all tests

check: test $(CHECKS) ## lint, and all tests in debug and in release

checks:
	@echo $(CHECKS)

install: build ## put geoq on the PATH: make install PREFIX=/usr/local
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -s -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/geoq"

build: setup ## build the tool for use
	swift build -c release $(RELEASE_FLAGS) --product geoq

setup: ## check the toolchain and install missing system packages
	@Scripts/setup

setup-tests:
	@Scripts/setup tests

lint: ## check format, imports and settings
	@Scripts/lint

format: ## apply the format
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

test-debug:
	swift test --explicit-target-dependency-import-check error

# the index and the snapshots, which have pointers: the rest is the same code in debug
test-release:
	Scripts/core .build/core
	swift test -c release --package-path .build/core

oracle: setup-tests geographiclib ## check geodesics and answers of the index with PROJ and GeographicLib
	rm -rf .build/oracle
	mkdir -p .build/oracle
	GEOQ_ORACLE_DIR=$(CURDIR)/.build/oracle swift test --filter 'Oracle(Files|Answers)'
	.build/python/bin/python Tests/oracle/check.py .build/oracle
	.build/geographiclib .build/oracle 2000
	python3 Tests/oracle/control.py .build/geographiclib .build/oracle

geographiclib: setup-tests
	$(CXX) -O2 -std=c++17 -Wall -Wextra -Werror Tests/oracle/geographiclib.cpp \
	  $$(pkg-config --cflags --libs geographiclib) -o .build/geographiclib

verify-exact: setup-tests geographiclib ## the long check: a million queries by brute force, 40 000 by GeographicLib
	rm -rf .build/verify
	mkdir -p .build/verify
	GEOQ_VERIFY_QUERIES=$(VERIFY_QUERIES) GEOQ_METAMORPHIC_CASES=$(VERIFY_CASES) \
	  GEOQ_ORACLE_DIR=$(CURDIR)/.build/verify GEOQ_ORACLE_QUERIES=$(VERIFY_ORACLE) \
	  swift test -c release --package-path .build/core \
	  --filter 'Exactness|Metamorphic|Oracle(Files|Answers)'
	.build/geographiclib .build/verify $(VERIFY_ORACLE)

mutants: setup ## plant bugs in a copy of the index, one at a time: the tests must catch each
	Tests/mutants/run

interop: setup-tests ## compare tool and service with PROJ, GDAL, OWSLib, schemathesis and others
	swift build --product geoq
	Tests/interop/run .build/debug/geoq
	Tests/hostile/run .build/debug/geoq --every 12

service-test-short: build setup-tests ## a share of service-test and cost-test, and hostile pages in a browser
	Tests/cost/run short $(BINARY)
	Tests/service/run short $(BINARY)
	.build/python/bin/python Tests/html/hostile.py $(BINARY)

browser-test: build setup-tests ## the lunch page in a browser: four sizes, light and dark, without JavaScript
	Tests/browser/run $(BINARY)

feeds-test: build ## import small files in the shape of public datasets, and compare what comes out
	Tests/feeds/run $(BINARY)

hostile-test: build ## import 875 hostile feeds: none may crash, hang, or harm what is there
	Tests/hostile/run $(BINARY)

cost-test: build setup-tests ## 100 000 requests and large feeds of adversarial text: none may cost more than its length
	Tests/cost/run long $(BINARY)

service-test: build setup-tests ## the long checks of the service: hostile and slow clients, floods, imports under load
	Tests/service/run long $(BINARY)
	GEOQ_SCHEMATHESIS=700 Tests/interop/run $(BINARY)

crash-test: build ## kill -9, failing and full disks, readers during imports: nothing may be lost
	Tests/crash/run $(BINARY)

crash-test-short: build ## a share of it
	Tests/crash/run --short $(BINARY)

disassembly: build ## see that the search loops never call the runtime
	Scripts/disassembly $(BINARY)

consumer: setup ## build a package that depends on this one, and run it
	Tests/consumer/run

asan: ## read damaged section files under the address sanitizer
	@Scripts/asan

clean: ## remove what was built
	rm -rf .build restaurants.geojson

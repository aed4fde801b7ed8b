# geoq: `make demo` shows it, `make test` tests it, `make help` lists the other targets.

SHELL := /bin/bash
PREFIX ?= /usr/local
BUILD := .build
BINARY = $(BUILD)/release/geoq
# the size of verify-exact
VERIFY_QUERIES ?= 1000000
VERIFY_CASES ?= 200000
VERIFY_ORACLE ?= 40000
SWIFT_FILES := Package.swift Sources Tests Examples
# what `make check` runs in addition to `make test`
CHECKS := lint docs man oracle interop test-release feeds-test service-test-short browser-test-short crash-test-short postgis-test-short consumer examples-test disassembly install-test
# what `make build` builds
PRODUCT := geoq
# links Swift's library into the binary: it runs without a toolchain, and starts faster;
# its table omits 43 000 names that are never looked up. Without debug information, which `make install`
# strips, it builds in nine tenths of the time.
ifeq ($(shell uname -s),Linux)
RELEASE_FLAGS := --static-swift-stdlib -Xlinker --no-export-dynamic -debug-info-format none
endif
# make build CPU=haswell builds for newer processors: the same answers, circles in less time. The kernels need
# no other source; `AVX2` is for what people are told
# from the command line alone: some systems have a variable of that name
ifneq ($(origin CPU),command line)
CPU :=
endif
ifneq ($(CPU),)
BUILD := .build/$(CPU)
CPU_FLAGS := -Xcc -march=$(CPU)
RELEASE_FLAGS += --scratch-path $(BUILD) $(CPU_FLAGS)
ifneq ($(shell clang -march=$(CPU) -dM -E - < /dev/null 2> /dev/null | grep -w __AVX2__),)
RELEASE_FLAGS += -Xswiftc -DAVX2
endif
endif

.DEFAULT_GOAL := help
.PHONY: golden examples benchmarks help demo page browser-test browser-test-short pictures page-soak test check checks docs man install build setup setup-tests lint format test-debug test-release geographiclib oracle postgis-test postgis-test-short verify-exact mutants interop feeds-test hostile-test service-test service-test-short map-test cost-test cost-search crash-test crash-test-short consumer examples-test asan disassembly dist deb install-test notices clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## set up, build, import the sample feed and run three queries
	@Scripts/demo $(BINARY)

page: build ## open the lunch page with the sample feed and forty made-up restaurants
	@Scripts/page $(BINARY)

test: setup-tests test-debug golden examples benchmarks ## set up, build, run all Swift tests, the golden tests and the examples of documents

check: test $(CHECKS) ## test, lint, documentation, oracles, and the checks of the release build and with other programs

checks:
	@echo $(CHECKS)

install: build ## install geoq and its manual pages: make install PREFIX=/usr/local
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -s -m 755 $(BINARY) "$(DESTDIR)$(PREFIX)/bin/geoq"
	@if command -v python3 > /dev/null; then \
	  Scripts/man $(BINARY) .build/man && install -d "$(DESTDIR)$(PREFIX)/share/man/man1" && \
	  install -m 644 .build/man/*.1 "$(DESTDIR)$(PREFIX)/share/man/man1"; \
	else echo 'install: no python3, so no manual pages'; fi

dist: build setup-package ## pack the tool into a tarball: .build/package
	@Scripts/package dist $(BINARY)

deb: build setup-package ## pack the tool into a package for Debian: .build/package
	@Scripts/package deb $(BINARY)

setup-package:
	@Scripts/setup package

notices: setup ## write THIRD-PARTY-NOTICES, the licenses of what is linked and embedded
	swift package resolve
	Scripts/notices

man: build setup-tests ## write the manual pages to .build/man and check them with groff
	Scripts/man $(BINARY) .build/man
	Scripts/man $(BINARY) --check

# one set of flags for all that builds for debug: otherwise each would build everything again
docs test-debug oracle postgis-test postgis-test-short: export GEOQ_OPTIMIZED_TESTS := 1

docs: setup ## build the libraries' documentation with DocC: .build/docs
	swift build --explicit-target-dependency-import-check error
	Scripts/docs

build: setup ## build the tool for use; CPU=haswell: for processors with AVX2, into .build/haswell
	swift build -c release $(RELEASE_FLAGS) --product $(PRODUCT)

setup: ## check the toolchain and install missing system packages
	@Scripts/setup

setup-tests:
	@Scripts/setup tests

lint: setup-tests ## check format, imports, sizes, settings, prose, links, Python, shell, the scripts of pages
	@Scripts/lint

format: ## apply the format
	swift format --in-place --parallel --recursive $(SWIFT_FILES)

test-debug:
	swift test --explicit-target-dependency-import-check error

examples: ## run the examples of the README and of docs, and compare what they print
	Tests/docs/run .build/debug/geoq

# benchmarks are not built otherwise, and would break unseen
benchmarks:
	Benchmarks/Load/package --check

golden: ## compare what commands print and routes answer with what they did when that was last decided
	Tests/golden/run .build/debug/geoq

# release builds of the index and the snapshots, which use pointers; the rest is tested in debug
test-release:
	Scripts/core .build/core
	swift test -c release --package-path .build/core

oracle: setup-tests geographiclib ## check geodesics, areas, hours, filters with PROJ, GeographicLib, shapely, pygeofilter
	rm -rf .build/oracle
	mkdir -p .build/oracle
	.build/python/bin/python Tests/oracle/hours.py .build/oracle/hours
	GEOQ_ORACLE_DIR=$(CURDIR)/.build/oracle GEOQ_HOURS_DIR=$(CURDIR)/.build/oracle/hours \
		swift test --filter 'Oracle(Files|Answers)|HoursOracle'
	.build/python/bin/python Tests/oracle/hours.py .build/oracle/hours
	.build/python/bin/python Tests/oracle/check.py .build/oracle
	.build/python/bin/python Tests/oracle/areas.py .build/oracle
	.build/python/bin/python Tests/oracle/cql2.py .build/debug/geoq 300
	.build/geographiclib .build/oracle 2000
	python3 Tests/oracle/control.py .build/geographiclib .build/oracle

geographiclib: setup-tests
	$(CXX) -O2 -std=c++17 -Wall -Wextra -Werror Tests/oracle/geographiclib.cpp \
	  $$(pkg-config --cflags --libs geographiclib) -o .build/geographiclib

verify-exact: setup-tests geographiclib ## long: compare a million queries with brute force, 40 000 with GeographicLib; CPU=haswell
	Scripts/core .build/core
	rm -rf .build/verify
	mkdir -p .build/verify
	GEOQ_VERIFY_QUERIES=$(VERIFY_QUERIES) GEOQ_METAMORPHIC_CASES=$(VERIFY_CASES) \
	  GEOQ_ORACLE_DIR=$(CURDIR)/.build/verify GEOQ_ORACLE_QUERIES=$(VERIFY_ORACLE) \
	  swift test -c release --package-path .build/core $(if $(CPU),--scratch-path $(BUILD)/core $(CPU_FLAGS)) \
	  --filter 'Exactness|Metamorphic|Oracle(Files|Answers)'
	.build/geographiclib .build/verify $(VERIFY_ORACLE)

mutants: setup ## plant bugs in a copy of the index, one at a time; the tests must catch each
	Tests/mutants/run

interop: build setup-tests ## compare tool and service with PROJ, GDAL, OWSLib, schemathesis and others
	Tests/interop/run $(BINARY)
	Tests/hostile/run $(BINARY) --every 12
	GEOQ=$(BINARY) Benchmarks/filters 2000 --every 12

service-test-short: build setup-tests ## a part of service-test and cost-test, and hostile pages in a browser
	Scripts/side-by-side 'Tests/cost/run short $(BINARY)' 'Tests/service/run short $(BINARY)' \
	  '.build/python/bin/python Tests/html/hostile.py $(BINARY)'

browser-test: build setup-tests ## the lunch page in a browser: five sizes, light and dark, without JavaScript
	Tests/browser/run $(BINARY)

browser-test-short: build setup-tests ## browser-test with every third hostile text, each size in one theme
	EVERY=3 Tests/browser/run $(BINARY)

pictures: build setup-tests ## make the pictures of README.md and docs from the lunch page, with the list of their texts
	WRITE=1 ONLY=readme Tests/browser/run $(BINARY)

page-soak: build setup-tests ## half an hour of searching and updating in one page: its memory must not grow
	MINUTES=30 RESTAURANTS=200000 ONLY=soak Tests/browser/run $(BINARY)

feeds-test: build ## import small files in the shape of public datasets and compare the results
	Tests/feeds/run $(BINARY)

hostile-test: build ## import 875 hostile feeds and send 860 hostile filters: none may crash, hang or damage the database
	Tests/hostile/run $(BINARY)
	GEOQ=$(BINARY) Benchmarks/filters 2000

cost-test: build setup-tests ## send 100 000 adversarial requests and large feeds: cost may only grow with length
	Tests/cost/run long $(BINARY)

cost-search: build ## an hour: search for the most expensive requests at a million restaurants
	python3 Tests/cost/search.py $(BINARY) --size 1000000 --seconds 3600

service-test: build setup-tests ## long: hostile and slow clients, floods, imports under load
	Tests/service/run long $(BINARY)
	GEOQ_SCHEMATHESIS=800 Tests/interop/run $(BINARY)

map-test: build ## ten minutes of random tiles next to imports: memory stays flat, no tile is mixed
	python3 Tests/service/maps.py $(BINARY)

postgis-test: build ## the store in PostgreSQL: a server of its own, the tests of both stores, rights, kills, GDAL, replicas
	@Scripts/setup postgis
	swift build --build-tests --explicit-target-dependency-import-check error
	Tests/postgis/cluster Tests/postgis/run $(BINARY) --rounds 200 --size 20000 --faults 200 --failovers 200 --cut 60

postgis-test-short: ## a share of it, with the debug build
	@Scripts/setup postgis
	swift build --build-tests --explicit-target-dependency-import-check error
	Tests/postgis/cluster Tests/postgis/run .build/debug/geoq --rounds 12 --size 2000

crash-test: build ## kill -9, failing and full disks, readers during imports; no data may be lost
	Tests/crash/run $(BINARY)

crash-test-short: build ## a part of crash-test
	Tests/crash/run --short $(BINARY)

disassembly: build ## check that the search loops never call the Swift runtime
	Scripts/disassembly $(BINARY)

install-test: build setup-tests ## install the Debian package in a fresh Debian 12, as root: a session, the service, an upgrade, purge
	Scripts/install-test $(BINARY)

consumer: setup ## build and run a package that depends on this one
	Tests/consumer/run

examples-test: setup ## build and test the packages of Examples
	for package in Examples/*/; do \
	  swift test --package-path "$$package" --scratch-path ".build/examples/$$(basename "$$package")" || exit 1; \
	done

asan: ## read damaged section files under the address sanitizer
	@Scripts/asan

clean: ## remove build products
	rm -rf .build restaurants.geojson

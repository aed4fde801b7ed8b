# geoq: one command to see it, one to test it. `make help` lists the others.

SHELL := /bin/bash
PREFIX ?= /usr/local
BINARY := .build/release/geoq
SWIFT_FILES := Package.swift Sources Tests
# the binary carries Swift's own library: it runs on machines without a toolchain, and starts faster
ifeq ($(shell uname -s),Linux)
RELEASE_FLAGS := --static-swift-stdlib
endif

.DEFAULT_GOAL := help
.PHONY: help demo test check install build setup setup-tests lint format test-debug test-release oracle interop consumer clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: build ## set up, build, import the sample feed and ask it three questions
	@Scripts/demo $(BINARY)

test: setup-tests test-debug oracle interop ## set up, then run all tests

check: setup-tests lint test-debug test-release oracle interop consumer ## lint, and all tests in debug and in release

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

test-release:
	swift test -c release --scratch-path .build/release-tests

oracle: setup-tests ## check geodesics and answers of the index with PROJ
	rm -rf .build/oracle
	mkdir -p .build/oracle
	GEOQ_ORACLE_DIR=$(CURDIR)/.build/oracle swift test --filter OracleFiles
	.build/python/bin/python Tests/oracle/check.py .build/oracle

interop: setup-tests ## compare the built tool with PROJ, GDAL and geojson-pydantic
	swift build --product geoq
	.build/python/bin/python Tests/interop/check.py .build/debug/geoq

consumer: setup ## build a package that depends on this one, and run it
	Tests/consumer/run

clean: ## remove what was built
	rm -rf .build restaurants.geojson

# The front door. Every target is a thin layer over the CMake presets and may be repeated; `make help` lists them.
PREFIX ?= /usr/local
# Where libcrypto looks for providers; below any other prefix they stand in lib/ossl-modules, and openssl.cnf or OPENSSL_MODULES says so. A
# build with CROSS has no provider.
MODULESDIR ?= $(if $(CROSS),,$(if $(filter /usr /usr/local,$(PREFIX)),$(shell openssl version -m 2>/dev/null | cut -d '"' -f 2)))

# Another machine than this one, by the name of Debian's compiler for it: aarch64-linux-gnu. What is built runs here under qemu-user.
CROSS ?=
export CROSS
preset       := $(if $(CROSS),cross,release)
build_folder := build$(if $(CROSS),/$(CROSS))
program      := bin/phalanx
bench_program := bin/phalanx-bench
configured   := $(build_folder)/build.ninja
with_tests   := $(build_folder)/configured_with_tests
install      := tools/develop/install_packages
# What a build and its tests need: of another machine, libraries that lie in the build folder.
to_build     := $(if $(CROSS),$(CROSS),build)
to_test      := $(if $(CROSS),$(CROSS),build bench test circuits prove constant-time python docs mpi)
unpack_root  := $(if $(CROSS),tools/develop/unpack_foreign_root $(CROSS) $(build_folder)/root,:)
ifneq ($(and $(CROSS),$(filter-out build test constant-time install clean help,$(MAKECMDGOALS))),)
  $(error with CROSS there are: build test constant-time install clean)
endif
ifneq ($(and $(filter-out aarch64-linux-gnu,$(CROSS)),$(filter constant-time,$(MAKECMDGOALS))),)
  $(error the rule on machine code reads x86-64 and aarch64-linux-gnu)
endif

# Ninja already uses every core, and two Ninjas in one folder would disturb each other: targets run one after another.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help build test vouching prove prove-all constant-time costs test-matrix test-gpu demo bench bench-today bench-gpu pack-gpu papers install wheels docs deb release format lint lint-changes clean
.DEFAULT_GOAL := $(if $(CROSS),build,help)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(configured) ## build the program (build/bin/phalanx) and the library; CROSS=aarch64-linux-gnu: for 64-bit Arm, in build/aarch64-linux-gnu
	@$(install) $(to_build)
	@cmake --build --preset $(preset) --target installed

test: $(with_tests) ## build everything and run every test; with CROSS, those that run under qemu-user
	@cmake --build --preset $(preset)
	@tools/develop/run_tests $(build_folder)

prove: $(with_tests) ## prove what ships equal to its standards, for all keys and blocks (docs/proofs.md)
	@$(install) build bench test prove
	@cmake --build --preset release --target record_claims
	@tools/prove/prove $(build_folder)/bin/record_claims

prove-all: $(with_tests) ## the same, and the proofs that take longer
	@$(install) build bench test prove
	@cmake --build --preset release --target record_claims
	@tools/prove/prove --all $(build_folder)/bin/record_claims

constant-time: $(with_tests) ## nothing that comes from a secret reaches a branch or an address: machine code, and runs under valgrind (docs/constant_time.md)
	@$(install) $(if $(CROSS),$(CROSS),build bench test constant-time)
	@cmake --build --preset $(preset) --target room_engine_engines $(if $(CROSS),,secret_flow)
	@tools/constant_time/check_all $(build_folder)

costs: $(with_tests) ## instructions and bytes, beside those that are kept: calls, commands, kernels (docs/costs.md); ends with "N as kept, N dearer, N cheaper, N unknown"
	@$(install) build bench test costs
	@cmake --build --preset release --target installed cipher_costs
	@bench/costs/count_costs $(build_folder)

vouching: $(with_tests) ## what migrate --delete-source vouches for: 10,000 files of each cell; docs/notes/vouching_counted.md's tables (quarter of an hour)
	@$(install) build bench test
	@cmake --build --preset release --target vouching_table
	@$(build_folder)/tests/vouching_table --files 10000 --json $(build_folder)/vouching.json
	@tests/migration/keep_vouching.py $(build_folder)/vouching.json

test-matrix: ## every configuration with all its tests: g++, clang, sanitizers, without CUDA, fuzzing, clang-tidy (hours)
	@tools/develop/run_test_matrix

test-gpu: $(with_tests) ## the tests on GPUs: the kernels, and the library and the program over the engine cuda
	@$(install) build bench test
	@cmake --build --preset release
	@tools/pack/run_gpu_checks test $(build_folder)

demo: ## a real file through OpenSSL and Phalanx, both ways, compared and timed
	@$(install) build demo
	@$(MAKE) --no-print-directory build
	@tools/develop/demo $(build_folder)/$(program)

bench: $(with_tests) ## build/bin/phalanx-bench, and the goals beside other libraries and the last kept run, kept under results/bench/
	@$(install) build bench test
	@cmake --build --preset release --target $(bench_program)
	@kept=$$(bench/unpack_kept.py $(build_folder)/kept_results) && \
	$(build_folder)/$(bench_program) --plan bench/target_table.json --force --json $(build_folder)/bench.json $${kept:+--kept $$kept} \
	  --report $(build_folder)/bench.html --commit "$$(git describe --always --exclude='*' --abbrev=12 --dirty=-modified)"
	@bench/keep_result.py $(build_folder)/bench.json

bench-today: ## measure beside the libraries of Debian 12, 13 and unstable, each in a root of its own, and OpenSSL 4; as root
	@$(install) roots
	@tools/develop/bench_today

bench-gpu: $(with_tests) ## measure GPUs: kernels, batches, calls, containers, Parquet, host and files; kept under results/bench/
	@$(install) build bench test
	@cmake --build --preset release
	@tools/pack/run_gpu_checks bench $(build_folder) $(build_folder)/gpu_results
	@bench/keep_result.py $(build_folder)/gpu_results

pack-gpu: $(with_tests) ## what tests and measures GPUs, packed for a machine without our build tools: build/gpu_checks.tar.xz
	@$(install) build bench test carry
	@cmake --build --preset release
	@tools/pack/pack gpu $(build_folder) $(build_folder)/gpu_checks.tar.xz

papers: ## the five papers: what this machine can rerun, beside what they print
	@$(install) build papers
	@reproductions/all_papers.py

install: build ## install the program and the library under PREFIX (/usr/local), and the OpenSSL provider
	@cmake --install $(build_folder) --prefix $(PREFIX)
	@$(if $(MODULESDIR),install -D -m 644 $(build_folder)/ossl-modules/phalanx.so $(DESTDIR)$(MODULESDIR)/phalanx.so)

wheels: ## the Python package: wheels for this python3 and for 3.12 and later, and the source distribution: build/wheels
	@$(install) build python
	@tools/release/build_wheels build/wheels

docs: build ## the site of all pages and public names: build/docs/html
	@$(install) python docs
	@tools/develop/build_site

deb: ## Debian packages of the program and the library, for all GPUs, checked by lintian: build/packages
	@$(install) build deb
	@tools/release/build_debian_packages $(build_folder)/packages

release: ## what a release consists of, resumable: source, static programs, packages, wheels, sums: build/release/VERSION; VERSION=0.2.0-rc1, ONLY=source
	@$(install) build deb python carry roots aarch64-linux-gnu release
	@tools/release/make_release "$(VERSION)" $(ONLY)

format: ## format the C++ sources in place
	@$(install) format
	@tools/develop/format_sources -i

lint-changes: $(with_tests) ## clang-tidy over what the last 20 commits changed
	@$(install) build bench test lint
	@tools/develop/lint_changes

lint: $(with_tests) ## check the format, then run clang-tidy
	@$(install) build bench test lint
	@tools/develop/format_sources --dry-run --Werror
	@cmake --preset release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null
	@run-clang-tidy-14 -quiet -p $(build_folder) '/(src|reference|bench)/.*\.cpp$$'

clean: ## remove the build folder
	@rm -rf $(build_folder)

# The tests stay out of a folder that is configured for the program alone: the demo needs none of their packages.
$(configured): CMakePresets.json
	@$(install) $(to_build)
	@$(unpack_root)
	@cmake --preset $(preset) -DPHALANX_TESTS=$(if $(wildcard $(with_tests)),ON,OFF) -DPHALANX_BENCH=$(if $(CROSS),OFF,$(if $(wildcard $(with_tests)),ON,OFF))

# What is not installed when CMake looks for it is left out, with its tests.
$(with_tests): CMakePresets.json
	@$(install) $(to_test)
	@$(unpack_root)
	@cmake --preset $(preset) -DPHALANX_TESTS=ON -DPHALANX_BENCH=$(if $(CROSS),OFF,ON)
	@touch $@

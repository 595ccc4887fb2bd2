# The commands of the project. The first call creates .venv and installs the dependencies: `demo` and `bench` install only
# those of Paddock itself, the others also the developers' tools.
# On Windows without make: `py -m venv .venv`, `.venv\Scripts\pip install -e .[dev]`, then the lines below.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.ready-run
DEV := $(VENV)/.ready-dev
ARGS ?=
WORKERS ?= 5  # test processes: more than cores, because many tests wait for other processes
COVERAGE ?=
PLAIN ?= tests/simulation/engine tests/simulation/sensors # tests of kernels that also run in plain Python, which checks all indices
ALL_KERNELS := $(addprefix tests/,simulation/engine simulation/sensors arena/batches arena/episodes perception/estimation perception/mapping \
	control/navigation control/policies learning/gym experiments/ecoli/reaction_networks)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile # and all tests of the page together: see tests/conftest.py

# Tests start hundreds of processes. Without cached byte code, each of them would compile all sources again.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-compiled test-long test-plain test-browser coverage soak lint format bench bench-peers clients java pictures screenshots notebooks clean

demo: $(RUN)  ## two e-pucks on a line; make demo ARGS="--headless --seconds 20"
	@trap : INT; $(BIN)/paddock demo $(ARGS) || { s=$$?; [ $$s = 130 ] || exit $$s; } # Ctrl-C is how it ends

test: $(DEV)  ## all tests except the long ones, then the kernel tests again in plain Python
	@echo "all tests except the long ones, compiled and then in plain Python: about six minutes on two cores"
	$(MAKE) --no-print-directory test-compiled test-plain

test-compiled: $(DEV)
	@$(BIN)/python tests/compile_once.py
	$(PYTEST) $(COVERAGE) -m "not long" $(ARGS)

test-long: $(DEV)  ## whole experiments, further cases, the CUDA simulator, other packages: about five minutes on two cores
	$(PYTEST) $(COVERAGE) -m "long and not soak" -o faulthandler_timeout=1800 $(ARGS)

test-plain: $(DEV)
	NUMBA_DISABLE_JIT=1 $(PYTEST) $(COVERAGE) -m "not heavy and not long" $(PLAIN)

coverage: $(DEV)  ## all of these tests, at half the speed, with line coverage; fails below 93 %
	$(BIN)/coverage erase
	$(MAKE) --no-print-directory test-compiled test-long test-plain PLAIN="$(ALL_KERNELS)" \
		COVERAGE="--cov --cov-append --cov-report="
	$(BIN)/coverage combine --quiet --append || true # what processes wrote after the last test
	$(BIN)/coverage report --skip-covered --fail-under=93

test-browser: $(DEV)  ## only the tests of the page, in the system's Chromium; fails if it is not installed
	PADDOCK_REQUIRE_BROWSER=1 $(BIN)/python -m pytest tests/browser $(ARGS)

soak: $(DEV)  ## long checks: an hour with ten clients, 2,000 extreme robots, 100,000 damaged orders, 100 robots on serial lines
	$(PYTEST) -m soak -o faulthandler_timeout=1800
	$(BIN)/python benchmarks/soak.py --stride 10
	$(BIN)/python benchmarks/extreme_robots.py --robots 2000
	$(BIN)/python benchmarks/orders_fuzz.py
	$(BIN)/python benchmarks/orders_many.py
	$(BIN)/python benchmarks/vrep_fuzz.py
	$(BIN)/python benchmarks/coppelia_fuzz.py
	$(BIN)/python benchmarks/player_fuzz.py

lint: $(DEV)  ## formatting, lint, types, layers, generated files, words, translations
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python tools/generate_dispatch.py --check
	$(BIN)/python tools/generate_protocol.py --check
	$(BIN)/python tools/generate_commands.py --check
	$(BIN)/python tools/generate_class_diagrams.py --check
	$(BIN)/python tools/check_words.py
	$(BIN)/python tools/check_translations.py

format: $(DEV)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(RUN)  ## benchmarks on this machine
	$(BIN)/paddock bench $(ARGS)

bench-peers: $(DEV)  ## the same scenes in other simulators, and the ratios
	$(BIN)/python benchmarks/peers/run.py --install $(ARGS)

clients: $(VENV)/.clients  ## third-party programs that tests run against the emulators, without dependencies that the tests do not need

$(VENV)/.clients: $(DEV)
	@echo "installing a third-party e-puck client (40 MB) for its test"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps "unifr-api-epuck==1.3.11"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check python-socketio requests
	@echo "unpacking V-REP's native library (GPL, for tests only) from another package"
	@$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(VENV)/clients "pypot==5.0.2"
	@$(BIN)/python -m zipfile -e $(VENV)/clients/pypot-5.0.2-py3-none-any.whl $(VENV)/clients/pypot
	@echo "unpacking CoppeliaSim's client for protocol 1"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade \
		--target $(VENV)/clients/coppelia-0.0.4 "coppeliasim-zmqremoteapi-client==0.0.4"
	@touch $(VENV)/.clients

java: clients/java/paddock.jar  ## the client for Java programs, as one jar

clients/java/paddock.jar: $(wildcard clients/java/paddock/*.java)
	javac -Xlint:all -d build/java clients/java/paddock/*.java
	jar --create --file $@ -C build/java paddock

pictures: $(DEV)  ## the pictures of the README and the documentation
	$(BIN)/python docs/make_pictures.py

screenshots: $(DEV)  ## the pictures of the page, taken in the system's Chromium
	$(BIN)/python docs/make_screenshots.py $(ARGS)

notebooks: $(DEV)  ## run the notebooks of the examples in fresh kernels, and store their output
	$(BIN)/python tools/run_notebooks.py $(ARGS)

$(RUN): pyproject.toml
	@echo "installing Paddock into $(VENV): about a minute"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $(RUN)

$(DEV): pyproject.toml
	@echo "installing Paddock and developers' tools into $(VENV): about a minute"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $(RUN) $(DEV)

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

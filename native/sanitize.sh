#!/bin/sh
# Builds the engine with sanitizers and every assertion on, and runs its own tests.
# Needs cmake and a C++20 compiler only.
# Usage: native/sanitize.sh [--threads] [build folder]
# With --threads it is the thread sanitizer and the tests that start threads, else those
# of addresses and of undefined behaviour, and all tests.
set -eu
sanitizers=address,undefined
if [ "${1:-}" = --threads ]; then
    sanitizers=thread
    shift
fi
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$(mktemp -d)}
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g1" \
    -DKRIPKE_PYTHON=OFF -DKRIPKE_TESTS=ON -DKRIPKE_SANITIZE=$sanitizers
cmake --build "$build" --parallel 2
cd "$build"
if [ $sanitizers = thread ]; then
    exec native/tests/kripke_engine_test parallel_search cycles
fi
exec ctest --output-on-failure --parallel 2

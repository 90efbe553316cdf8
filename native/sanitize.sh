#!/bin/sh
# Builds the engine with the address and undefined-behaviour sanitizers and every
# assertion on, and runs its own tests. Needs cmake and a C++20 compiler only.
# Usage: native/sanitize.sh [build folder]
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$(mktemp -d)}
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" \
    -DKRIPKE_PYTHON=OFF -DKRIPKE_TESTS=ON -DKRIPKE_SANITIZE=ON
cmake --build "$build" --parallel 2
cd "$build"
exec ctest --output-on-failure

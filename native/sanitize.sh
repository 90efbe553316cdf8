#!/bin/sh
# Builds the engine with sanitizers and every assertion on, and runs its own tests.
# Needs cmake and a C++20 compiler only.
# Usage: native/sanitize.sh [--threads] [build folder]
# With --threads it is the thread sanitizer, else those of addresses and of undefined
# behaviour.
set -eu
sanitizers=address,undefined
if [ "${1:-}" = --threads ]; then
    sanitizers=thread
    shift
fi
source=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$(mktemp -d)}
cmake -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" \
    -DKRIPKE_PYTHON=OFF -DKRIPKE_TESTS=ON -DKRIPKE_SANITIZE=$sanitizers
cmake --build "$build" --parallel 2
cd "$build"
exec ctest --output-on-failure

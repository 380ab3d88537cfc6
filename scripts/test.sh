#!/bin/sh
# Runs all tests: scripts/test.sh [--quick]
#
# Runs setup.sh first. Then builds and tests with gcc and clang (warnings are errors), with the address and
# undefined-behaviour sanitizers, and with the thread sanitizer; replays the fuzz corpora; installs the package and
# builds a program with it. --quick: only the gcc build and its tests.
set -eu
cd "$(dirname "$0")/.."
quick=
case ${1:-} in
  --quick) quick=1 ;;
  "") ;;
  *) echo "usage: scripts/test.sh [--quick]" >&2; exit 2 ;;
esac

if command -v ccache >/dev/null 2>&1; then
  export CMAKE_C_COMPILER_LAUNCHER=ccache
fi
scripts/setup.sh
failed=

# stage NAME CTEST-ARGUMENTS -- CMAKE-ARGUMENTS: configures, builds and tests one variant
stage() {
  name=$1
  shift
  tests=
  while [ "$1" != -- ]; do
    tests="$tests $1"
    shift
  done
  shift
  echo "== $name: build"
  cmake -G Ninja -S . -B "build/$name" -DSKILLET_WERROR=ON "$@" >"build/$name.log" 2>&1 \
    && cmake --build "build/$name" >>"build/$name.log" 2>&1 \
    || { tail -n 60 "build/$name.log"; failed="$failed $name(build)"; return 0; }
  echo "== $name: test"
  # shellcheck disable=SC2086  # the list must be split into words
  ctest --test-dir "build/$name" --no-tests=error --output-on-failure -j "$(nproc)" $tests || failed="$failed $name"
}

mkdir -p build
stage dev -- -DCMAKE_BUILD_TYPE=RelWithDebInfo
if [ -z "$quick" ]; then
  stage clang -LE meta -- -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DSKILLET_BUILD_BENCH=OFF
  stage asan -LE "meta|heap" -- -DCMAKE_BUILD_TYPE=Debug -DSKILLET_SANITIZE=address,undefined -DSKILLET_BUILD_BENCH=OFF
  stage tsan -L threads -- -DCMAKE_BUILD_TYPE=Debug -DSKILLET_SANITIZE=thread -DSKILLET_BUILD_BENCH=OFF
fi
if [ -n "$failed" ]; then
  echo "test: failed:$failed" >&2
  exit 1
fi
echo "test: all stages passed"

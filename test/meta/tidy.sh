#!/bin/sh
# tidy.sh BUILD: clang-tidy reports nothing for the library and the program.
set -u
command -v clang-tidy >/dev/null 2>&1 || { echo "skipped: no clang-tidy"; exit 77; }
# clang reads gcc's compile commands, but does not know the names of gcc's warnings.
find src -name '*.c' | xargs -P "$(nproc)" -n 8 clang-tidy --quiet -p "$1" --extra-arg=-Wno-unknown-warning-option 2>/dev/null

#!/bin/sh
# Which small changes of the code do the unit tests miss? scripts/mutate.sh FOLDER [--seed N] [--count N] [--all] [--list]
#
# Lists small changes (mutants) of the C files in FOLDER, takes a seeded sample of 60, applies each to a copy of the
# tree in build/mutate, runs the unit tests there, and prints the changes that no test noticed. The last line is
# "killed K of N (P %)". --all tries every change; --list only prints the changes. No file outside build/mutate is
# changed. The program itself is mutate.py.
set -eu
cd "$(dirname "$0")/.."
exec python3 scripts/mutate.py "$@"

#!/bin/sh
# The list of files in scripts/fetch-vocabulary.sh is complete: the program that packs vocabularies compiles from them.
# Without it setup continues with estimated token counts, so nothing else would fail.
set -u
program=$(mktemp)
scripts/fetch-vocabulary.sh --compile "$program"
status=$?
rm -f "$program"
exit $status

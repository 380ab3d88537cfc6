#!/bin/sh
# exports.sh LIBRARY LIST: the symbols the library exports are exactly those listed.
# A new one goes into the list with the commit that adds it: exports.sh LIBRARY LIST --update
set -u
export LC_ALL=C
found=$(mktemp)
trap 'rm -f "$found"' EXIT
nm -D --defined-only "$1" | awk '{print $3}' | sort -u >"$found"
if [ "${3:-}" = --update ]; then
  cp "$found" "$2"
  exit 0
fi
# Sanitizers and coverage add symbols of their own.
if nm -D "$1" | grep -qE '__(asan|tsan|gcov)_'; then
  echo "skipped: an instrumented build exports more"
  exit 77
fi
diff -u "$2" "$found"

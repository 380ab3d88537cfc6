#!/bin/sh
# exports.sh LIBRARY LIST [--base LIST] [--update]: the library exports exactly the symbols of LIST, in addition to those
# of the base list. The commit that adds a function adds it to the list; --update writes the list.
set -u
export LC_ALL=C
library=$1
list=$2
shift 2
base=/dev/null
update=
while [ $# -gt 0 ]; do
  case $1 in
    --base) base=$2; shift ;;
    --update) update=1 ;;
  esac
  shift
done
found=$(mktemp)
trap 'rm -f "$found"' EXIT
nm -D --defined-only "$library" | awk '{print $3}' | sort -u | comm -23 - "$base" >"$found"
if [ -n "$update" ]; then
  cp "$found" "$list"
  exit 0
fi
# Sanitizers and coverage add symbols.
if nm -D "$library" | grep -qE '__(asan|tsan|gcov)_'; then
  echo "skipped: an instrumented build exports more"
  exit 77
fi
diff -u "$list" "$found"

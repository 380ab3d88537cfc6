#!/bin/sh
# Counts phrases that make the comments and documents hard to read. The counts below may only fall: a change that adds
# one of these phrases fails, and a change that removes some should lower the number here.
#
#   told            reported, returned, passed        by itself     automatically, alone
#   stand, stands   is in, is at                      for want of   because there is no, out of (memory)
#   nobody          no caller, no one                 put by        reserved
#   whoever         the caller, the host              mended        fixed, repaired
#   goes on         continues
set -u
phrases='told|stands?|nobody|whoever|(goes|going|go|went) on|put by|by itself|for want of|mended'
status=0

# count LIMIT PATHS...
count() {
  limit=$1
  shift
  found=$(grep -rniowE "$phrases" "$@" | wc -l)
  if [ "$found" -gt "$limit" ]; then
    grep -rniwE "$phrases" "$@"
    echo "$found of these phrases in $*; at most $limit are allowed"
    status=1
  elif [ "$found" -lt "$limit" ]; then
    echo "$found phrases in $*: lower the limit in test/meta/phrases.sh from $limit to $found"
  fi
}

count 5 src include
count 0 docs README.md CONTRIBUTING.md CHANGELOG.md scripts bench examples tools
exit $status

#!/bin/sh
# Each struct, union and enum tag with the prefix skill__ is defined once in src. Two types of one name compile in C, but
# a debugger, grep and a reader take one for the other.
set -u
# Tags that are still defined twice. The list may only get shorter.
doubled='fault'

find src -name '*.[ch]' | sort | xargs awk -v doubled="$doubled" '
  BEGIN { count = split(doubled, names, " "); for (i = 1; i <= count; i++) allowed["skill__" names[i]] = 1 }
  match($0, /(struct|union|enum) +skill__[a-z0-9_]+ *\{/) {
    split(substr($0, RSTART, RLENGTH), word, /[ {]+/)
    tag = word[2]
    times[tag]++
    places[tag] = places[tag] "\n  " FILENAME ":" FNR
  }
  END {
    for (tag in times) if (times[tag] > 1 && !(tag in allowed)) { print tag " is defined " times[tag] " times:" places[tag]; bad = 1 }
    for (tag in allowed) if (times[tag] < 2) print tag " is defined once now: remove it from the list in test/meta/tags.sh"
    exit bad
  }'

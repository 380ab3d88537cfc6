#!/bin/sh
# Each struct, union and enum tag with the prefix skill__ is defined once in src. Two types of one name compile in C, but
# a debugger, grep and a reader take one for the other.
set -u
find src -name '*.[ch]' | sort | xargs awk '
  match($0, /(struct|union|enum) +skill__[a-z0-9_]+ *\{/) {
    split(substr($0, RSTART, RLENGTH), word, /[ {]+/)
    times[word[2]]++
    places[word[2]] = places[word[2]] "\n  " FILENAME ":" FNR
  }
  END {
    for (tag in times) if (times[tag] > 1) { print tag " is defined " times[tag] " times:" places[tag]; bad = 1 }
    exit bad
  }'

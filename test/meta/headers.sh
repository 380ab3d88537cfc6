#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, without a warning. Every function has a comment above it, or
# above the group that it is in.
set -u
status=0
for header in include/skillet/*.h include/skillet/sys/*.h; do
  printf '#include "%s"\nint main(void) { return 0; }\n' "${header#include/}" |
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c - || { echo "C11: $header"; status=1; }
  printf '#include "%s"\nint main() { return 0; }\n' "${header#include/}" |
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ - || { echo "C++17: $header"; status=1; }
done
for header in include/skillet/*.h include/skillet/sys/*.h; do
  bare=$(awk '/^SKILL_API/ && last !~ /\*\/ *$/ && last !~ /^SKILL_API/ && last !~ /^  .*;$/ {print} {last = $0}' "$header")
  [ -z "$bare" ] || { echo "$header: without a comment: $bare"; status=1; }
done
exit $status

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
# The size of a struct that is an item of an array is constant (base.h): it has `reserved` members, or it is one of those
# below, which need no more members.
fixed='SkillField SkillShare SkillAlways SkillRankChange SkillCall SkillText'
items=$(cat include/skillet/*.h | awk '/^ *size_t [a-z_]*count;/ && last ~ /^ *const Skill[A-Za-z]* \*[a-z]/ {
  split(last, word, " "); print word[2] } {last = $0}' | sort -u)
[ -n "$items" ] || { echo "no arrays of structs found"; status=1; }
for item in $items; do
  case " $fixed " in *" $item "*) continue ;; esac
  sed -n "/^typedef struct $item {/,/^} $item;/p" include/skillet/*.h | grep -q 'reserved\[' ||
    { echo "$item is an item of an array and has no reserved members"; status=1; }
done
exit $status

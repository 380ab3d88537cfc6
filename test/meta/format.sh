#!/bin/sh
# Every C file has the layout of clang-format, and no heading ("/* --- name --- */") was split by it into two lines.
set -u
split=$(grep -rnE '^/\* --- .*[^/]$' include src test bench tools examples --include='*.[ch]')
[ -z "$split" ] || { echo "headings of two lines:"; echo "$split"; exit 1; }
command -v clang-format >/dev/null 2>&1 || { echo "skipped: no clang-format"; exit 77; }
find include src test bench tools examples -name '*.[ch]' 2>/dev/null | xargs clang-format --dry-run --Werror --ferror-limit=3

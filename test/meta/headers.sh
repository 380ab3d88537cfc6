#!/bin/sh
# Every public header compiles alone, as C11 and as C++17, without a warning.
set -u
status=0
for header in include/skillet/*.h include/skillet/sys/*.h; do
  printf '#include "%s"\nint main(void) { return 0; }\n' "${header#include/}" |
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c - || { echo "C11: $header"; status=1; }
  printf '#include "%s"\nint main() { return 0; }\n' "${header#include/}" |
    c++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only -x c++ - || { echo "C++17: $header"; status=1; }
done
exit $status

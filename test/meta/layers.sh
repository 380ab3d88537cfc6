#!/bin/sh
# Includes go one way: util <- skill document rank loader tokens source <- process net model gateway context agent <- cli.
# Within the core: nothing includes source but source, and nothing but the cli includes the cli.
set -u
status=0

# check FOLDERS ALLOWED: a quoted include in FOLDERS must lie in one of ALLOWED, in skillet/, or be a system header
check() {
  for folder in $1; do
    [ -d "src/$folder" ] || continue
    bad=$(grep -RnE '^ *# *include +"' "src/$folder" --include='*.c' --include='*.h' |
      grep -vE "include +\"($2|skillet)/")
    [ -z "$bad" ] || { echo "src/$folder may include only $2:"; echo "$bad"; status=1; }
  done
}
core='skill|document|rank|loader|tokens|source'
agent='process|net|model|gateway|context|agent'
check util 'util'
check 'skill document rank loader tokens' 'util|skill|document|rank|loader|tokens'
check source "util|$core"
check net "util|$core|process|net"
check 'process model gateway context agent' "util|$core|$agent"
check measure "util|$core|$agent|measure"
check cli "util|$core|$agent|measure|cli"

# Within the agent: the sections of internal.h are in order, and each file calls what is declared in its own section or
# one before it. A section names its files: /* --- a.c, b.c ... */
bad=$(awk '
  FNR == NR && /^\/\* --- .*\.c/ {
    rank++
    line = $0
    while (match(line, /[a-z_]+\.c/)) {
      of[substr(line, RSTART, RLENGTH)] = rank
      line = substr(line, RSTART + RLENGTH)
    }
    next
  }
  FNR == NR { if (rank && match($0, /skill__[a-z_]+\(/)) declared[substr($0, RSTART, RLENGTH)] = rank; next }
  FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }
  file in of {
    line = $0
    while (match(line, /skill__[a-z_]+\(/)) {
      called = substr(line, RSTART, RLENGTH)
      if (declared[called] > of[file]) print FILENAME ":" FNR ": " called ")"
      line = substr(line, RSTART + RLENGTH)
    }
  }' src/agent/internal.h src/agent/*.c)
[ -z "$bad" ] || { echo "src/agent calls upwards (see the sections of internal.h):"; echo "$bad"; status=1; }

# The core's public headers know nothing of the agent's.
agent_headers='agent|config|loop|message|context|embed|gateway|hub|model|process|worker|provider|watch'
bad=$(ls include/skillet/*.h | grep -vE "/($agent_headers)\.h$" | xargs grep -nE "include +\"skillet/($agent_headers)\.h\"")
[ -z "$bad" ] || { echo "a core header includes an agent header:"; echo "$bad"; status=1; }
# The core calls no event loop and no network.
bad=$(grep -RnE '#include <(uv|curl/.*|pthread|sqlite3|pcre2)\.h>' src/util src/skill src/document src/rank src/loader src/tokens src/source)
[ -z "$bad" ] || { echo "the core stands on no loop, network or threads:"; echo "$bad"; status=1; }
exit $status

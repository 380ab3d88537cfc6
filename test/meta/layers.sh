#!/bin/sh
# The order of the folders. A folder includes its own headers and those of folders with a smaller number; folders with
# the same number do not know each other. The names behind a folder are its public headers, and the order holds for
# them too. Below that: the order of sub-folders. The folder's own name is for the files that are directly in it, and a
# header can have a line of its own.
set -u
order='
1  util      base error event io skill sys/alloc sys/fixture
2  document  document
2  rank      rank
2  tokens    tokens
3  skill     registry
4  loader    policy loader
4  source    source
5  process   loop process watch
6  net
7  model     message model provider embed
8  gateway   gateway
9  context   context
10 toolset
11 agent     agent config hub worker
12 measure
12 mcp
13 cli

1  rank/weights.h
2  rank/text
3  rank/table
4  rank/index
5  rank/query
6  rank

1  model
2  model/wire
2  model/offline
2  model/tape
3  model/embed

1  cli/base
2  cli/check
2  cli/eval
2  cli/session
3  cli
'
# skillet.h, the umbrella of the core, is for hosts and for the program.
umbrella=cli

# Files of one folder call each other in one direction. The exceptions are loops that are wanted,
#   gateway/schema*            a schema contains schemas
#   agent/fork …               a sub-agent is an agent
# and loops that are still to be opened.
loops='
gateway/schema gateway/schema_keywords gateway/schema_ref
agent/fork agent/meta_open agent/meta_tools agent/tool_phase agent/turn
skill/completion skill/skill
skill/life skill/registry skill/removal
'

# Folders that use no event loop, no network and no threads.
core='src/util src/document src/rank src/tokens src/skill src/loader src/source'

status=0
show() { [ -z "$2" ] || { echo "$1:"; echo "$2"; status=1; }; }

includes=$(grep -rnE '^ *# *include +"' src include --include='*.[ch]')
show "includes against the order of test/meta/layers.sh" "$(echo "$includes" | awk -v order="$order" -v umbrella="$umbrella" '
  function folder_of(path) { if (!(path in sub_rank)) sub(/\/[^\/]*$/, "", path); return path }
  function top_of(folder) { sub(/\/.*/, "", folder); return folder }
  BEGIN {
    lines = split(order, line, "\n")
    for (i = 1; i <= lines; i++) {
      words = split(line[i], word, " ")
      if (word[2] ~ /\// || word[2] in rank) sub_rank[word[2]] = word[1]
      else if (words) rank[word[2]] = word[1]
      for (k = 3; k <= words; k++) home["skillet/" word[k] ".h"] = word[2]
    }
    home["skillet/skillet.h"] = umbrella
  }
  {
    split($0, part, ":")
    file = part[1]
    included = $0
    sub(/^[^"]*"/, "", included)
    sub(/".*/, "", included)
    if (sub(/^include\//, "", file)) from = file in home ? home[file] : "?"
    else { sub(/^src\//, "", file); from = folder_of(file) }
    to = included in home ? home[included] : folder_of(included)
    a = top_of(from)
    b = top_of(to)
    if (!(a in rank) || !(b in rank)) { print $0 " (one of the two folders is not in the order)"; next }
    if (a == b && from != to && to != a && !(to in sub_rank)) print $0 " (" to " is not in the order)"
    else if (a == b ? from != to && included !~ /^skillet\// && sub_rank[from] <= sub_rank[to] : rank[a] <= rank[b]) print $0
  }')"

show "calls in a loop among the files of a folder" "$(find src -name '*.c' | sort | xargs awk -v loops="$loops" '
  function reaches(from, file,   queue, length_, at, to, count, i, seen) {
    queue[1] = from
    length_ = 1
    for (at = 1; at <= length_; at++) {
      count = split(callees[queue[at]], to, " ")
      for (i = 1; i <= count; i++) {
        if (to[i] == file) return 1
        if (!(to[i] in seen)) { seen[to[i]] = 1; queue[++length_] = to[i] }
      }
    }
    return 0
  }
  # A function that is not static begins in the first column. Comments and strings do not count.
  FNR == 1 { file = FILENAME; sub(/^src\//, "", file); sub(/\.c$/, "", file); in_comment = 0; open = 0 }
  {
    line = $0
    gsub(/"([^"\\]|\\.)*"/, "", line)
    gsub(/\/\*([^*]|\*[^\/])*\*\//, "", line)
    if (in_comment) { if (!sub(/^.*\*\//, "", line)) next; in_comment = 0 }
    if (match(line, /\/\*.*/)) { line = substr(line, 1, RSTART - 1); in_comment = 1 }
    defines = line ~ /^[a-zA-Z]/ && line !~ /^(static|typedef|struct [a-z_]+ \{)/ && line !~ /;$/
    while (match(line, /(skill|cli)_[a-z0-9_]+/)) {
      name = substr(line, RSTART, RLENGTH)
      line = substr(line, RSTART + RLENGTH)
      if (defines && substr(line, 1, 1) == "(") { defined_in[name] = file; defines = 0 }
      else if (!((file, name) in used)) { used[file, name] = 1; uses[file] = uses[file] " " name }
    }
  }
  END {
    wanted = split(loops, word, /[ \n]+/)
    for (i = 1; i <= wanted; i++) is_wanted[word[i]] = 1
    for (file in uses) {
      folder = file
      sub(/\/.*/, "", folder)
      count = split(uses[file], used_name, " ")
      for (i = 1; i <= count; i++) {
        to = defined_in[used_name[i]]
        if (to == "" || to == file || index(to, folder "/") != 1) continue
        if (folder in is_wanted || (file in is_wanted && to in is_wanted)) continue
        if (index(callees[file] " ", " " to " ")) continue
        callees[file] = callees[file] " " to
        why[file, to] = used_name[i]
      }
    }
    for (file in callees) {
      count = split(callees[file], callee, " ")
      for (i = 1; i <= count; i++)
        if (reaches(callee[i], file)) print "src/" file ".c calls " why[file, callee[i]] " of " callee[i] ".c"
    }
  }' | sort)"

show "an event loop, network or threads in the core" \
  "$(grep -rnE '#include <(uv|curl/.*|pthread|sqlite3|pcre2)\.h>' $core)"
exit $status

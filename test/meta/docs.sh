#!/bin/sh
# Checks the documents: links have targets, named commands exist, code blocks equal their files, and the architecture
# page names every folder of src.
set -u
status=0
say() { echo "$*"; status=1; }

for page in README.md README.zh.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
  folder=$(dirname "$page")
  for link in $(grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^(https?:|mailto:)' | sort -u); do
    [ -e "$folder/$link" ] || say "$page: the target of the link $link does not exist"
  done
done
for folder in src/*/; do
  grep -q "$folder" docs/architecture.md || say "docs/architecture.md does not name $folder"
done
for header in include/skillet/*.h; do
  grep -q "$(basename "$header")" docs/architecture.md || say "docs/architecture.md does not name $(basename "$header")"
done
# Paths of the source tree that a document names exist. Capital letters and "*" are place-holders.
for page in README.md README.zh.md CONTRIBUTING.md docs/*.md; do
  for path in $(grep -oE '`(src|include|test|bench|examples|tools|scripts)/[a-z0-9_./-]*(/|\.[a-z]+)`' "$page" | tr -d '`' | sort -u); do
    [ -e "$path" ] || say "$page: $path does not exist"
  done
done
# The last column of the table "Where is …?" names something in the file before it.
awk -F '|' '/^\| .* \| `[a-z_/.]+`.* \| `[A-Za-z_]+` \|$/ {
  split($3, file, "`")
  split($4, name, "`")
  print file[2], name[2]
}' docs/architecture.md >"${TMPDIR:-/tmp}/names.$$"
while read -r file name; do
  grep -qw "$name" "$file" || say "docs/architecture.md: $file has no $name"
done <"${TMPDIR:-/tmp}/names.$$"
rm -f "${TMPDIR:-/tmp}/names.$$"
# A code block after "<!-- file: PATH -->" equals that file, from its first #include on.
for page in README.md README.zh.md docs/*.md; do
  for file in $(sed -n 's/^<!-- file: \(.*\) -->$/\1/p' "$page"); do
    [ -e "$file" ] || { say "$page: $file does not exist"; continue; }
    block=$(awk -v mark="<!-- file: $file -->" '$0 == mark {want = 1; next} want && /^```/ {inside++; if (inside == 2) exit; next} inside == 1 {print}' "$page")
    whole=$(awk '/^#include/ {on = 1} on {print}' "$file")
    [ "$block" = "$whole" ] || say "$page: the code block differs from $file"
  done
done
# A code block after "<!-- part of: PATH -->" is a part of that file, except for the indentation.
flat() { sed -e 's/^ *//' -e '/^$/d'; }
for page in README.md README.zh.md docs/*.md; do
  count=0
  for file in $(sed -n 's/^<!-- part of: \(.*\) -->$/\1/p' "$page"); do
    count=$((count + 1))
    [ -e "$file" ] || { say "$page: $file does not exist"; continue; }
    block=$(awk -v n=$count '/^<!-- part of: / {seen++} seen == n && /^```/ {inside++; if (inside == 2) exit; next} inside == 1 {print}' "$page" | flat)
    case $(flat <"$file") in *"$block"*) ;; *) say "$page: the lines of its code block $count are not in $file" ;; esac
  done
done
# Both readmes have a link to every page and name every command.
for readme in README.md README.zh.md; do
  for page in docs/*.md; do
    grep -q "]($page)" "$readme" || say "$readme has no link to $page"
  done
  for command in $(sed -n 's/^  X(\([a-z]*\),.*/\1/p' src/cli/commands.h); do
    grep -q "skillet $command" "$readme" || say "$readme does not name skillet $command"
  done
done
# Every key of the configuration is documented. (test/integration/examples.sh reads the example with the program.)
for key in $(grep -hoE '\{"[a-z_]+", [A-Z]+,' src/agent/config*.c | cut -d '"' -f 2) \
  $(grep -hoE 'strcmp\(key, "[a-z_]+"\)' src/agent/config*.c | cut -d '"' -f 2); do
  grep -qE "(^|[^a-z_])$key([^a-z_]|$)" docs/config.md || say "docs/config.md does not name the key $key"
  grep -qE "(^|[^a-z_])$key([^a-z_]|$)" src/cli/cmd_config.c || say "skillet config --help does not name the key $key"
done
# The example of the configuration names every policy.
for policy in $(sed -n 's/.*{SKILL_POLICY_VERSION, [^"]*"\([a-z]*\)".*/\1/p' src/loader/policy.c); do
  grep '^policy:' docs/config.md | grep -qw "$policy" || say "docs/config.md does not name the policy $policy"
done
# All C code in the documents is compiled.
for page in README*.md docs/*.md; do
  awk '/^```c$/ && last !~ /^<!-- (file|part of): / {bad = 1} {last = $0} END {exit bad}' "$page" ||
    say "$page: a block of C without <!-- file: PATH --> or <!-- part of: PATH -->"
done
exit $status

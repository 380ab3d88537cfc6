#!/bin/sh
# examples.sh SKILLET: checks the help texts and the documents: examples with the bundled skills run, the documented
# configuration and model script are accepted, and named options exist.
set -u
skillet=$1
status=0
say() { echo "$*"; status=1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work" SKILLET_SKILLS='' SKILLET_CONFIG='' XDG_CONFIG_HOME='' MY_KEY=none
PATH=$(dirname "$skillet"):$PATH
commands=$("$skillet" --help | sed -n '/^commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p')

# Examples of the help texts that only need the bundled skills. An example ends at two spaces.
for command in $commands; do
  "$skillet" "$command" --help | grep -E '^  skillet .*examples/skills' | grep -vE -- '[|>]|--watch|--model|--fix' >"$work/lines"
  while read -r line; do
    line=$(echo "$line" | sed 's/   *.*//')
    sh -c "$line" >"$work/out" 2>"$work/err" </dev/null || say "$command --help: '$line' ends with $?: $(head -n 3 "$work/err")"
    [ -s "$work/out" ] || say "$command --help: '$line' prints nothing"
  done <"$work/lines"
done

# The configuration that docs/config.md shows.
awk '/^```yaml$/ {on = 1; next} /^```$/ {on = 0} on' docs/config.md >"$work/config.yaml"
"$skillet" config check "$work/config.yaml" >"$work/out" 2>&1 || say "docs/config.md: $(cat "$work/out")"
grep -q '^assistant  *reviewer' "$work/out" || say "docs/config.md: its assistant is not read"

# The script that docs/agent.md shows.
awk '/^    \{"turns"/ {on = 1} on {print} /^    \]\}/ {on = 0}' docs/agent.md >"$work/script.json"
"$skillet" run --model "script:$work/script.json" "How long is a marathon?" examples/skills >"$work/out" 2>&1 &&
  grep -q 'It says' "$work/out" || say "docs/agent.md: its script does not run: $(tail -n 3 "$work/out")"

# Options named after a command in code exist.
for page in README.md README.zh.md CONTRIBUTING.md docs/*.md; do
  grep -oE "skillet ($(echo $commands | tr ' ' '|')) [^\`]*" "$page" | while read -r line; do
    command=$(echo "$line" | cut -d ' ' -f 2)
    for option in $(echo "$line" | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
      "$skillet" "$command" --help | grep -qE -- "(^|[ ,])$option( |$)" || echo "$page: skillet $command has no $option"
    done
  done
done >"$work/options"
[ ! -s "$work/options" ] || say "$(sort -u "$work/options")"
exit $status

#!/bin/sh
# Summarises a log: triage.sh --path FILE [--top N]
set -eu
path= top=5
while [ $# -gt 0 ]; do
  case $1 in
    --path) path=$2; shift 2 ;;
    --top) top=$2; shift 2 ;;
    *) echo "unknown argument: $1" >&2; exit 2 ;;
  esac
done
[ -r "$path" ] || { echo "cannot read '$path'" >&2; exit 1; }

echo "lines: $(wc -l <"$path")"
for level in ERROR WARN INFO DEBUG; do
  printf '%s: %s\n' "$level" "$(grep -cw "$level" "$path" || true)"
done
echo "most frequent errors (count, first, last, message):"
grep -wE 'ERROR|WARN' "$path" | awk '
  { time = $1; message = $0; sub(/^[^ ]+ +/, "", message); gsub(/[0-9a-f]{8,}/, "ID", message); gsub(/[0-9]+/, "N", message)
    if (!(message in count)) first[message] = time
    count[message]++; last[message] = time }
  END { for (m in count) printf "%d\t%s\t%s\t%s\n", count[m], first[m], last[m], m }' |
  sort -t "$(printf '\t')" -k1,1nr -k2,2 | head -n "$top"

#!/bin/sh
# Demonstrates skillet with the bundled skills or with yours: scripts/demo.sh [FOLDER [QUESTION]]
#
# Runs setup.sh first if needed. Lists the folder, ranks its skills for the question, and lets the offline model work
# with the activated skills. Ends with the transcript and the context costs with all skills loaded and with skillet.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$root/examples/skills}
question=${2:-"How many kilometres are 26.2 miles?"}

case ${1:-} in
  -h | --help)
    echo "usage: scripts/demo.sh [FOLDER [QUESTION]]"
    exit 0
    ;;
esac
[ -e "$folder" ] || { echo "demo: there is no folder '$folder'" >&2; exit 3; }
"$root/scripts/setup.sh"
skillet=$root/build/dev/skillet

step() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || step() { printf '\n== %s\n' "$*"; }

step "1. The skills: skillet list $folder"
"$skillet" list "$folder" | { head -n 24; cat >/dev/null; }
step "2. The skills that fit: skillet find \"$question\""
"$skillet" find -n 5 "$question" "$folder" || [ $? = 1 ]
step "3. An agent: skillet run --model offline"
"$skillet" run --model offline "$question" "$folder" || [ $? = 1 ]

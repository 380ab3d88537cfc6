#!/bin/sh
# The main job, on the bundled skills or on yours: scripts/demo.sh [FOLDER [QUESTION]]
#
# Sets up first where needed. Lists the folder, ranks the question, lets the offline model work with the skills that
# were activated, and ends with the transcript and what the context cost with everything loaded and with skillet.
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

step "1. What is there: skillet list $folder"
"$skillet" list "$folder" | { head -n 24; cat >/dev/null; }
step "2. Which skills fit: skillet find \"$question\""
"$skillet" find -n 5 "$question" "$folder" || [ $? = 1 ]
step "3. An agent at work: skillet run --model offline"
"$skillet" run --model offline "$question" "$folder" || [ $? = 1 ]

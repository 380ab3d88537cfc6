#!/bin/sh
# fixtures.sh PROGRAM SHARED: what users of other loaders reported, each a small case with what a good loader does.
# SHARED/fixtures/check.py runs what a command line can show of them; without it, or without python3, this is skipped.
# Every one of those must hold. check.py leaves three things to whoever calls it, which a wrapper around the program
# does here, in the copy that check.py made of the case:
#
#   gen.sh          makes files too large to be kept
#   setup-perms.sh  takes permissions away; the program then runs without root's rights, which read everything
#   config.json     its "roots" are named, with the HOME that EXPECT.md asks for
set -u
fixtures=$2/fixtures
if [ ! -f "$fixtures/check.py" ] || ! command -v python3 >/dev/null; then
  echo "skipped: no $fixtures/check.py, or no python3"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cp "$1" "$folder/program" # nobody need not be able to reach the build
cp -R "$fixtures" "$folder/fixtures"
chmod -R u+w "$folder/fixtures" # what check.py copies keeps its permissions
cat >"$folder/skillet" <<'END'
#!/bin/sh
program=$(dirname "$0")/program
for script in skills/*/gen.sh; do
  [ -f "$script" ] && (cd "$(dirname "$script")" && sh ./gen.sh)
done
if [ -f config.json ]; then
  HOME=$PWD/home python3 -c 'import json, os, sys
os.execv(sys.argv[1], sys.argv[1:-1] + json.load(open("config.json"))["roots"])' "$program" "$@"
  exit $?
fi
[ -f setup-perms.sh ] || exec "$program" "$@"
sh ./setup-perms.sh
[ "$(id -u)" = 0 ] || exec "$program" "$@"
chmod 755 .. .
exec setpriv --reuid nobody --clear-groups "$program" "$@"
END
chmod 755 "$folder/skillet"
python3 "$fixtures/check.py" "$folder/skillet" "$folder/fixtures" >"$folder/found"
cat "$folder/found"
grep -q 'fixtures hold$' "$folder/found" || { echo "check.py did not end"; exit 1; }
! grep -q '^[0-9][0-9][0-9]-' "$folder/found"

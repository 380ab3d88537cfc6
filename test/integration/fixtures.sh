#!/bin/sh
# fixtures.sh PROGRAM SHARED: defects that users of other loaders reported, each a small case with the right result.
# SHARED/fixtures/check.py runs the cases that a command line can show. The test is skipped without it or without python3.
# Every case must hold, except those of `open_cases`. That list can only get shorter: a case of it that holds is an
# error too. check.py leaves three things to its caller. A wrapper around the program does them in the copy that
# check.py made of the case:
#
#   gen.sh          creates files that are too large to store
#   setup-perms.sh  removes permissions; the program then runs without root's rights, which read everything
#   config.json     the program gets its "roots", and the HOME that EXPECT.md asks for
set -u

# Cases that skillet does not hold yet.
open_cases='
200-no-blank-after-colon
203-full-width-colon-then-ascii-colon
212-shell-script-with-crlf
215-hidden-text-in-body
219-go-is-a-language
221-nfd-folder-and-lookup
223-issue-templates-are-no-skills
227-link-checked-out-as-text
229-link-to-a-file-that-is-not-there
233-tools-list-with-a-next-page
235-duplicate-and-unusable-tools-untold
241-tab-at-the-start-of-a-block-line
247-short-name-of-a-namespaced-skill
251-all-skills-ignored
252-nobody-can-open-it
253-russian-word-forms
255-cursor-rule-file
258-linked-resource-untold
'
fixtures=$2/fixtures
if [ ! -f "$fixtures/check.py" ] || ! command -v python3 >/dev/null; then
  echo "skipped: no $fixtures/check.py, or no python3"
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
cp "$1" "$folder/program" # the user "nobody" may be unable to reach the build
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
status=0
for name in $(sed -n 's/^\([0-9][0-9][0-9]-[^:]*\):.*/\1/p' "$folder/found"); do
  case $open_cases in
  *"
$name
"*) ;;
  *) echo "must hold: $name"; status=1 ;;
  esac
done
for name in $open_cases; do
  [ -d "$fixtures/$name" ] || continue
  grep -q "^$name:" "$folder/found" || { echo "holds now: remove $name from open_cases"; status=1; }
done
exit $status

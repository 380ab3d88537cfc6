#!/bin/sh
# fixtures.sh PROGRAM SHARED: what users of other loaders reported, each a small case with what a good loader does.
# SHARED/fixtures/check.py runs what a command line can show of them; without it, or without python3, this is skipped.
#
# Not expected to hold here, and why:
#   044 its folder lies 11 deep and is loaded: skillet enters 16
#   049 only without root's rights, which read everything
#   122 a configuration file: see the tests of skillet run
set -u
program=$1
fixtures=$2/fixtures
if [ ! -f "$fixtures/check.py" ] || ! command -v python3 >/dev/null; then
  echo "skipped: no $fixtures/check.py, or no python3"
  exit 77
fi
known='044-two-levels-of-categories 122-tilde-and-variables-in-paths'
[ "$(id -u)" = 0 ] && known="$known 049-unreadable-is-not-absent"
copy=$(mktemp -d)
trap 'chmod -R u+rwX "$copy"; rm -rf "$copy"' EXIT
cp -R "$fixtures" "$copy/fixtures"
chmod -R u+w "$copy"
for script in "$copy"/fixtures/062-huge-skill-file/skills/*/gen.sh; do
  (cd "$(dirname "$script")" && sh ./gen.sh) || exit 1
done
[ "$(id -u)" = 0 ] || (cd "$copy/fixtures/049-unreadable-is-not-absent" && sh ./setup-perms.sh)
python3 "$fixtures/check.py" "$program" "$copy/fixtures" >"$copy/found"
tail -1 "$copy/found"
status=0
for name in $(sed -n 's/^\([0-9][0-9][0-9]-[^:]*\):.*/\1/p' "$copy/found"); do
  case " $known " in
    *" $name "*) ;;
    *) grep "^$name:" "$copy/found"; status=1 ;;
  esac
done
grep -q 'fixtures hold$' "$copy/found" || { echo "check.py did not end"; status=1; }
exit $status

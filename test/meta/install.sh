#!/bin/sh
# install.sh BUILD: installs into a new folder and builds a program with it, by find_package and by pkg-config.
set -eu
build=$1
case $(grep '^SKILLET_SANITIZE' "$build/CMakeCache.txt") in
  *=) ;;
  *) echo "skipped: an instrumented library needs an instrumented consumer"; exit 77 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
export LD_LIBRARY_PATH="$(dirname "$(find "$work/prefix" -name libskillet.so)")"

cp examples/embed/embed.c "$work/main.c"
cat >"$work/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.21)
project(consumer C)
set(CMAKE_C_STANDARD 11)
find_package(skillet REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE skillet::shared)
EOF
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
  cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/build/consumer" examples/skills >"$work/one"

prefix=$(dirname "$(find "$work/prefix" -name skillet.pc)")
cc -std=c11 "$work/main.c" $(PKG_CONFIG_PATH=$prefix pkg-config --cflags --libs skillet) -o "$work/by-pc"
"$work/by-pc" examples/skills >"$work/two"
cmp "$work/one" "$work/two"
"$work/prefix/bin/skillet" --version | grep -q '^skillet [0-9]'
grep -q . "$work/one"

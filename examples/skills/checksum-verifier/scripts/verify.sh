#!/bin/sh
# Checksum of a file: verify.sh --path FILE [--algorithm sha256|sha512] [--expected HEX]
set -eu
path= algorithm=sha256 expected=
while [ $# -gt 0 ]; do
  case $1 in
    --path) path=$2 ;;
    --algorithm) algorithm=$2 ;;
    --expected) expected=$(printf '%s' "$2" | tr 'A-F' 'a-f') ;;
    *) echo "unknown argument: $1" >&2; exit 2 ;;
  esac
  shift 2
done
case $algorithm in sha256 | sha512) ;; *) echo "unknown algorithm '$algorithm'" >&2; exit 2 ;; esac
[ -f "$path" ] || { echo "there is no file '$path'" >&2; exit 1; }
sum=$("${algorithm}sum" -- "$path" | cut -d ' ' -f 1)
echo "$algorithm $sum"
[ -n "$expected" ] || exit 0
if [ "$sum" = "$expected" ]; then echo "matches"; else echo "DIFFERS from $expected" && exit 1; fi

#!/bin/sh
# Calls that the library does not make, or makes in one file only, and idioms that it does not use.
set -u
status=0

# ban PATTERN WHY [FILE…]: src must not contain the call outside FILE…
ban() {
  pattern=$1
  why=$2
  shift 2
  bad=$(grep -RnE "(^|[^_a-zA-Z0-9>.\"])$pattern *\\(" src --include='*.c' --include='*.h' | grep -vE '^[^:]*:[0-9]+: *(\*|/\*)')
  for file in "$@"; do bad=$(printf '%s\n' "$bad" | grep -v "^$file"); done
  bad=$(printf '%s\n' "$bad" | grep -v '^$')
  [ -z "$bad" ] || { echo "$why"; echo "$bad"; status=1; }
}
ban '(malloc|calloc|realloc|strdup|strndup|free)' 'memory goes through util/alloc.h:' src/util/alloc.c
ban '(exit|abort|_exit)' 'skillet never ends the process:' src/cli/main.c src/process/
ban '(sprintf|vsprintf|strcpy|strcat|strtok|atoi|atol|gets|mktemp|tmpnam|system|popen)' 'not safe; use snprintf, memcpy, strtol, posix_spawn:'
ban '(printf|puts|putchar|perror)' 'libraries do not print:' src/cli/
ban '(sleep|usleep|nanosleep)' 'skillet does not sleep:'
ban 'fork' 'a fork copies the page tables of a large parent; use posix_spawn:'
bad=$(grep -RnE '#include <uthash.h>' src | grep -v '^src/util/hash.h')
[ -z "$bad" ] || { echo 'only util/hash.h includes uthash:'; echo "$bad"; status=1; }
bad=$(grep -RniE '100000001b3|1099511628211' src | grep -v '^src/util/hash.c')
[ -z "$bad" ] || { echo 'hash bytes with util/hash.h:'; echo "$bad"; status=1; }
bad=$(grep -RnE '(^|[^a-zA-Z_.>])rc( =|;|,|\))' src include)
[ -z "$bad" ] || { echo 'an error code is called status:'; echo "$bad"; status=1; }
bad=$(grep -RnE '\(void \*\*\)' src)
[ -z "$bad" ] || { echo 'a typed pointer is no void pointer:'; echo "$bad"; status=1; }
bad=$(grep -RnE '(^|[^a-zA-Z_])(TODO|FIXME|XXX)([^a-zA-Z_]|$)' src include)
[ -z "$bad" ] || { echo 'open work does not belong in the code:'; echo "$bad"; status=1; }
exit $status

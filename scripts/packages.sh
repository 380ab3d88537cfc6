# Sourced by setup.sh: every Debian package that skillet needs, and what for.

# Compilers, build tools, and the libraries that docs/dependencies.md explains.
BUILD_PACKAGES="libc6-dev gcc g++ clang cmake ninja-build pkg-config git
  uthash-dev libyaml-dev libcjson-dev libutf8proc-dev libstemmer-dev
  libpcre2-dev libuv1-dev libcurl4-openssl-dev libsqlite3-dev libedit-dev"

# python3 runs some example skills and test servers; bubblewrap is the sandbox of scripts.
RUN_PACKAGES="python3 bubblewrap"

# clang-format and clang-tidy are enforced by a test; libclang-rt-dev holds the runtimes of sanitizers and libFuzzer.
TEST_PACKAGES="libcmocka-dev clang-format clang-tidy libclang-rt-dev
  json-schema-test-suite"

# Sourced by setup.sh: the Debian packages that skillet needs, and their purpose.

# Compilers, build tools, and the libraries that docs/dependencies.md explains.
BUILD_PACKAGES="libc6-dev gcc g++ clang cmake ninja-build pkg-config git
  uthash-dev libyaml-dev libcjson-dev libutf8proc-dev libstemmer-dev
  libpcre2-dev libuv1-dev libcurl4-openssl-dev libsqlite3-dev libedit-dev"

# python3 runs some example skills and test servers; bubblewrap is the sandbox of scripts.
RUN_PACKAGES="python3 bubblewrap"

# Tests run clang-format and clang-tidy; libclang-rt-dev has the runtimes of the sanitizers and libFuzzer.
TEST_PACKAGES="libcmocka-dev clang-format clang-tidy libclang-rt-dev
  json-schema-test-suite"

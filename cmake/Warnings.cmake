# Warnings for the project's own code. clang does not use -Wimplicit-fallthrough, because uthash falls through without marking it.
add_library(skillet_warnings INTERFACE)
target_compile_options(skillet_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wundef
  -Wwrite-strings -Wcast-qual -Wformat=2)
if(SKILLET_WERROR)
  target_compile_options(skillet_warnings INTERFACE -Werror)
endif()

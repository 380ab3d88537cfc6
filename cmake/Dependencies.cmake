# The libraries skillet stands on; docs/dependencies.md says why each of them and not another.
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
find_path(STEMMER_INCLUDE libstemmer.h REQUIRED)
find_library(STEMMER_LIBRARY stemmer REQUIRED)
find_path(UTHASH_INCLUDE uthash.h REQUIRED)

add_library(skillet_core_deps INTERFACE)
target_include_directories(skillet_core_deps SYSTEM INTERFACE ${STEMMER_INCLUDE} ${UTHASH_INCLUDE})
target_link_libraries(skillet_core_deps INTERFACE PkgConfig::YAML PkgConfig::CJSON PkgConfig::UTF8PROC
  ${STEMMER_LIBRARY} m ${CMAKE_DL_LIBS})

if(SKILLET_BUILD_AGENT)
  pkg_check_modules(UV REQUIRED IMPORTED_TARGET libuv)
  pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
  add_library(skillet_agent_deps INTERFACE)
  target_link_libraries(skillet_agent_deps INTERFACE PkgConfig::UV PkgConfig::CURL)
endif()
if(SKILLET_BUILD_TESTS)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
  pkg_check_modules(PCRE2_REFERENCE REQUIRED IMPORTED_TARGET libpcre2-8)
endif()

# Install rules: libraries, headers, program, package config (find_package(skillet)) and pkg-config files.
include(CMakePackageConfigHelpers)

set(targets skillet_shared skillet_static)
foreach(target skillet_agent_shared skillet_agent_static)
  if(TARGET ${target})
    list(APPEND targets ${target})
  endif()
endforeach()
foreach(target IN LISTS targets)
  string(REGEX REPLACE "^skillet_" "" name ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  add_library(skillet::${name} ALIAS ${target})
endforeach()

install(TARGETS ${targets} EXPORT skillet
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/skillet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET skillet)
  install(TARGETS skillet RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/skillet.1 DEPENDS skillet scripts/man.sh VERBATIM
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/man.sh $<TARGET_FILE:skillet> > ${PROJECT_BINARY_DIR}/skillet.1)
  add_custom_target(man ALL DEPENDS ${PROJECT_BINARY_DIR}/skillet.1)
  install(FILES ${PROJECT_BINARY_DIR}/skillet.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES scripts/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME skillet)
endif()
install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/skillet OPTIONAL)

set(config_folder ${CMAKE_INSTALL_LIBDIR}/cmake/skillet)
install(EXPORT skillet NAMESPACE skillet:: DESTINATION ${config_folder} FILE skilletTargets.cmake)
configure_package_config_file(cmake/skilletConfig.cmake.in ${PROJECT_BINARY_DIR}/skilletConfig.cmake
  INSTALL_DESTINATION ${config_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/skilletConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/skilletConfig.cmake ${PROJECT_BINARY_DIR}/skilletConfigVersion.cmake
  DESTINATION ${config_folder})

# The .pc files compute their prefix from their own location, so that `cmake --install --prefix` works.
file(RELATIVE_PATH PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/skillet.pc.in ${PROJECT_BINARY_DIR}/skillet.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/skillet.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET skillet_agent_shared)
  configure_file(cmake/skillet-agent.pc.in ${PROJECT_BINARY_DIR}/skillet-agent.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/skillet-agent.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

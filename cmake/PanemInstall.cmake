# Install rules: library, header, pkg-config file, CMake package; with the tools the command, its
# manual pages and the curves that ship. Everything finds its neighbours by relative paths, so that
# an installed tree may be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/panem)

install(TARGETS panem panem_shared EXPORT panemTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${PROJECT_SOURCE_DIR}/include/panem.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/examples/host.c DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

install(EXPORT panemTargets NAMESPACE panem:: DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/panemConfig.cmake.in
  ${PROJECT_BINARY_DIR}/panemConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/panemConfigVersion.cmake
  VERSION ${PROJECT_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/panemConfig.cmake
  ${PROJECT_BINARY_DIR}/panemConfigVersion.cmake DESTINATION ${package_dir})

file(RELATIVE_PATH PANEM_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH PANEM_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH PANEM_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/panem.pc.in ${PROJECT_BINARY_DIR}/panem.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/panem.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(PANEM_TOOLS)
  install(TARGETS panem_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/curves DESTINATION ${CMAKE_INSTALL_DATADIR}/panem
    FILES_MATCHING PATTERN "*.csv")
  if(NOT CMAKE_CROSSCOMPILING)
    install(DIRECTORY ${PROJECT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      FILES_MATCHING PATTERN "*.1")
  endif()
endif()

# What `cmake --install` puts where: the library with its CMake package and pkg-config file, and the program with the
# scenes, if it is built.
include(CMakePackageConfigHelpers)

# Headers that users include, and what these include in turn; nothing else is installed.
set(public_roots lilyan.hpp plugin.hpp assemble/elements.hpp assemble/tets.hpp lagrangian/automatic.hpp
  lagrangian/compiled.hpp conservation/drift.hpp verify/verification.hpp solve/newton.hpp step/account.hpp
  step/stage_equation.hpp)
set(headers "")
while(public_roots)
  list(POP_FRONT public_roots header)
  if(header IN_LIST headers OR NOT EXISTS ${PROJECT_SOURCE_DIR}/src/lilyan/${header})
    continue()  # the second: generated ones
  endif()
  list(APPEND headers ${header})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/lilyan/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/lilyan/${header} includes REGEX "^#include \"lilyan/")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"lilyan/([^\"]*)\".*" "\\1" included "${line}")
    list(APPEND public_roots ${included})
  endforeach()
endwhile()
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${PROJECT_SOURCE_DIR}/src/lilyan/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lilyan/${folder})
endforeach()
install(DIRECTORY ${PROJECT_BINARY_DIR}/src/lilyan/public/lilyan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set_target_properties(lilyan_usage PROPERTIES EXPORT_NAME usage)
set_target_properties(lilyan_verify PROPERTIES EXPORT_NAME verify)
install(TARGETS lilyan lilyan_verify lilyan_usage EXPORT lilyan ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/lilyan)
install(EXPORT lilyan NAMESPACE lilyan:: FILE lilyan-targets.cmake DESTINATION ${package})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/lilyan-config.cmake.in
  ${PROJECT_BINARY_DIR}/lilyan-config.cmake INSTALL_DESTINATION ${package})
# Before 1.0 every minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lilyan-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lilyan-config.cmake ${PROJECT_BINARY_DIR}/lilyan-config-version.cmake
  ${PROJECT_SOURCE_DIR}/cmake/lilyan_suitesparse.cmake DESTINATION ${package})

# The library is a static one, so all that it needs is named to every linker.
set(LILYAN_PC_LIBS "")
if(LILYAN_WITH_CHOLMOD)
  set(LILYAN_PC_LIBS "-lumfpack -lcholmod -lamd -lmetis ${OpenMP_CXX_FLAGS}")
endif()
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE LILYAN_PC_LIBDIR)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX}
           OUTPUT_VARIABLE LILYAN_PC_INCLUDEDIR)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
           OUTPUT_VARIABLE LILYAN_PC_PREFIX)
configure_file(${PROJECT_SOURCE_DIR}/cmake/lilyan.pc.in ${PROJECT_BINARY_DIR}/lilyan.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lilyan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(LILYAN_PROGRAM)
  # The page of the live view is within the program.
  install(TARGETS lilyan_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/scenes ${PROJECT_SOURCE_DIR}/assets DESTINATION ${CMAKE_INSTALL_DATADIR}/lilyan)
endif()

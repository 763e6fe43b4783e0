# One setting for every translation unit: mixed vector widths and Eigen types do not go together.
add_library(lilyan_flags INTERFACE)
target_compile_options(lilyan_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wno-psabi -Wno-ignored-attributes -Wno-maybe-uninitialized
  -Wno-missing-field-initializers -fno-math-errno -ffp-contract=fast)
# Threads are the library's own: Eigen's would ignore how many are wanted, and crowd each other.
target_compile_definitions(lilyan_flags INTERFACE EIGEN_DONT_PARALLELIZE)
if(LILYAN_NATIVE)
  target_compile_options(lilyan_flags INTERFACE -march=native)
endif()
if(LILYAN_SANITIZE)
  target_compile_options(lilyan_flags INTERFACE -fsanitize=address,undefined -fno-omit-frame-pointer)
  target_link_options(lilyan_flags INTERFACE -fsanitize=address,undefined)
endif()

# Files of one folder are compiled together, `size` at a time, unless LILYAN_UNITY is off.
function(lilyan_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LILYAN_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# The registries: every NAME.cpp in `folder` defines one function NAME() in namespace `space`, and that
# is all it takes to add a method (a material, a problem). Files given after the four names are taken as
# if they were in the folder.
function(lilyan_registry folder header space type)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/lilyan/${folder}
       ${PROJECT_SOURCE_DIR}/src/lilyan/${folder}/*.cpp)
  list(APPEND files ${ARGN})
  list(SORT files)
  set(declarations "")
  set(entries "")
  foreach(file IN LISTS files)
    string(REPLACE ".cpp" "" name ${file})
    string(APPEND declarations "${type} ${name}();\n")
    string(APPEND entries "      ${space}::${name}(),\n")
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/registry.hpp.in
                 ${CMAKE_CURRENT_BINARY_DIR}/generated/lilyan/all_${space}s.hpp @ONLY)
endfunction()

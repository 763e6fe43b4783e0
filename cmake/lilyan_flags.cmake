# The options of the library and of what else is built here. They are not passed on to users of the library.
add_library(lilyan_flags INTERFACE)
target_compile_options(lilyan_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wno-psabi -Wno-ignored-attributes $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> -Wno-uninitialized
  -Wno-missing-field-initializers -fno-math-errno -fno-semantic-interposition)
# Threads are the library's own: Eigen's would ignore how many are wanted, and crowd each other.
target_compile_definitions(lilyan_flags INTERFACE EIGEN_DONT_PARALLELIZE)
# A reference build rounds every operation, has the narrowest lanes and Eigen's factors: nothing is left to the
# compiler, the processor or other libraries but libm.
if(LILYAN_REFERENCE)
  set(LILYAN_OPTIONS "reference -ffp-contract=off")
  target_compile_options(lilyan_flags INTERFACE -ffp-contract=off)
  set(LILYAN_WITH_CHOLMOD OFF)
else()
  set(LILYAN_OPTIONS -ffp-contract=fast)
  target_compile_options(lilyan_flags INTERFACE -ffp-contract=fast)
endif()
# Eigen aligns what it allocates, and pads some types, as the options of a translation unit allow. Vectors go from the
# user to the library and back, so both need the same alignment, whatever options the user has: it is fixed here and
# passed on. 16 is what Eigen takes by itself without options.
set(LILYAN_EIGEN_ALIGNMENT 16)
if(LILYAN_NATIVE AND NOT LILYAN_REFERENCE)
  target_compile_options(lilyan_flags INTERFACE -march=native)
  string(APPEND LILYAN_OPTIONS " -march=native")
  set(LILYAN_EIGEN_ALIGNMENT 64)
endif()
if(LILYAN_SANITIZE)
  # A report ends the program: what is only printed is not seen among the output of tests. Left out is what is checked
  # at every access and takes a third of the time of the build: a null pointer ends the program without it, and what
  # reads bytes of others is fuzzed with it.
  target_compile_options(lilyan_flags INTERFACE -fsanitize=${LILYAN_SANITIZE} -fno-sanitize-recover=all
    -fno-sanitize=null,alignment,vptr,object-size,nonnull-attribute,returns-nonnull-attribute
    -fno-omit-frame-pointer)
  target_compile_definitions(lilyan_flags INTERFACE _GLIBCXX_ASSERTIONS)
  target_link_options(lilyan_flags INTERFACE -fsanitize=${LILYAN_SANITIZE})
endif()

# What is not hot. In builds for debugging the build type decides.
set(LILYAN_COLD $<$<CONFIG:Release>:-O1>)

# Files of one folder are compiled together, `size` at a time, unless LILYAN_UNITY is off.
function(lilyan_unity target size)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${LILYAN_UNITY} UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# Materials are headers: every NAME.hpp in material/ defines a struct Name, in which tests can look at
# ψ, P and ∂P/∂F. A generated NAME.cpp compiles the loops over elements for it. Sets `material_names` to
# NAME.cpp of all and `material_sources` to their paths.
function(lilyan_materials)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/src/lilyan/material
       ${PROJECT_SOURCE_DIR}/src/lilyan/material/*.hpp)
  list(REMOVE_ITEM headers material.hpp)
  foreach(header IN LISTS headers)
    string(REPLACE ".hpp" "" name ${header})
    string(REPLACE "_" ";" words ${name})
    set(type "")
    foreach(word IN LISTS words)
      string(SUBSTRING ${word} 0 1 first)
      string(SUBSTRING ${word} 1 -1 rest)
      string(TOUPPER ${first} first)
      string(APPEND type ${first}${rest})
    endforeach()
    set(source ${CMAKE_CURRENT_BINARY_DIR}/generated/material/${name}.cpp)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/material.cpp.in ${source} @ONLY)
    list(APPEND names ${name}.cpp)
    list(APPEND sources ${source})
  endforeach()
  set(material_names ${names} PARENT_SCOPE)
  set(material_sources ${sources} PARENT_SCOPE)
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

# Run at every build: writes version.cpp anew only when the commit has changed.
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE LILYAN_COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE
                RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(LILYAN_COMMIT unknown)
else()
  execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no
                  OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    string(APPEND LILYAN_COMMIT -dirty)
  endif()
endif()
configure_file(${SOURCE}/cmake/version.cpp.in ${OUTPUT} @ONLY)

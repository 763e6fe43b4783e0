# Writes OUTPUT, a C++ file with the text of the file INPUT as the function NAME of the namespace SPACE, which HEADER
# declares.
file(READ "${INPUT}" text)
set(mark "lilyan_page")
string(FIND "${text}" ")${mark}\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${INPUT} contains )${mark}\", which ends a raw string")
endif()
file(WRITE "${OUTPUT}" "#include \"${HEADER}\"

namespace ${SPACE} {

std::string_view ${NAME}() {
  static const char kText[] = R\"${mark}(${text})${mark}\";
  return {kText, sizeof(kText) - 1};
}

}  // namespace ${SPACE}
")

# Writes OUTPUT, a C++ file with the text of the file INPUT as lilyan::view::page().
if(EXISTS "${INPUT}")
  file(READ "${INPUT}" text)
else()
  set(text "<!doctype html><meta charset=\"utf-8\"><title>Lilyan</title>
<p>This program was built without the page of the live view: <code>web/dist/index.html</code> was missing.</p>
")
endif()
set(mark "lilyan_page")
string(FIND "${text}" ")${mark}\"" clash)
if(NOT clash EQUAL -1)
  message(FATAL_ERROR "${INPUT} contains )${mark}\", which ends a raw string")
endif()
file(WRITE "${OUTPUT}" "#include \"app/view/page.hpp\"

namespace lilyan::view {

std::string_view page() {
  static const char kPage[] = R\"${mark}(${text})${mark}\";
  return {kPage, sizeof(kPage) - 1};
}

}  // namespace lilyan::view
")

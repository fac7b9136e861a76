# `pip install .` compiles everything anew, and many a file took longer for the headers that all have than for its own: here each
# library reads them once, and its rooms share what came of it. CLI11 is not among them: whoever reads it compiles much of it. Other builds do without, for their compiler's
# cache, and so that every file includes what it needs.
set(standard_headers <algorithm> <array> <atomic> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <span>
                     <string> <string_view> <utility> <vector>)
function(share_headers libraries)
  set(rooms "")
  foreach(library IN LISTS libraries)
    get_property(rooms_of_library GLOBAL PROPERTY PHALANX_ROOMS_OF_${library})
    list(APPEND rooms ${rooms_of_library})
  endforeach()
  list(POP_FRONT rooms first)
  target_precompile_headers(${first} PRIVATE ${ARGN})
  foreach(room IN LISTS rooms)
    target_precompile_headers(${room} REUSE_FROM ${first})
  endforeach()
endfunction()
get_property(parts GLOBAL PROPERTY PHALANX_LIBRARY_PARTS)
share_headers("${parts}" ${standard_headers})
share_headers(phalanx_cli ${standard_headers} <fmt/format.h>)
target_precompile_headers(phalanx_python PRIVATE ${standard_headers} <nanobind/nanobind.h>)
target_compile_options(phalanx_cli_needs INTERFACE -O1)  # words and options: what takes time is the library's

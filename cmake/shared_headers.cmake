# `pip install .` compiles everything anew, and many a file took longer for the headers that all have than for its own: here each
# target reads them once. CLI11 is not among them: whoever reads it compiles much of it. Other builds do without, for their compiler's
# cache, and so that every file includes what it needs.
set(standard_headers <algorithm> <array> <atomic> <cstdint> <cstring> <functional> <map> <memory> <mutex> <optional> <span>
                     <string> <string_view> <utility> <vector>)
target_precompile_headers(phalanx PRIVATE ${standard_headers})
target_precompile_headers(phalanx_cli PRIVATE ${standard_headers} <fmt/format.h>)
target_precompile_headers(phalanx_python PRIVATE ${standard_headers} <nanobind/nanobind.h>)
target_compile_options(phalanx_cli PRIVATE -O1)  # words and options: what takes time is the library's

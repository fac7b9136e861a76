// This file implements chunked_file.h by chunked_file.hpp.
#include <phalanx/files/chunked_file.h>

#include <phalanx/files/chunked_file.hpp>

#include "engine/chunked/c_chunked.hpp"
#include "engine/library/c_errors.hpp"

using phalanx::aead_of;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::open_chunked_file;
using phalanx::place_of;

int phalanx_chunked_reader_of_file(phalanx_chunked_reader** reader, const phalanx_chunked* chunked, const char* path) {
  return guarded([&] {
    phalanx_chunked_reader*& place = place_of(reader);
    place = new phalanx_chunked_reader{open_chunked_file(aead_of(chunked), std::string(&not_null(path, "the path")))};
  });
}
int phalanx_chunked_reader_of_descriptor(phalanx_chunked_reader** reader, const phalanx_chunked* chunked, int descriptor) {
  return guarded([&] {
    phalanx_chunked_reader*& place = place_of(reader);
    place = new phalanx_chunked_reader{open_chunked_file(aead_of(chunked), descriptor)};
  });
}

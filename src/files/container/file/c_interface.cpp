// This file implements container.h by container.hpp.
#include <phalanx/files/container.h>

#include <phalanx/files/container.hpp>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"

struct phalanx_container_writer {
  phalanx::ContainerWriter writer;
};
struct phalanx_container_reader {
  phalanx::ContainerReader reader;
};

namespace {

using phalanx::append_in_c;
using phalanx::binding_in_c;
using phalanx::ContainerReader;
using phalanx::ContainerWriter;
using phalanx::elements_at;
using phalanx::engine_in_c;
using phalanx::guarded;
using phalanx::identities_of;
using phalanx::limits_of;
using phalanx::not_null;
using phalanx::place_of;
using phalanx::recipients_of;

const char* name_of_suite(const char* suite) { return &not_null(suite, "the suite's name"); }

const ContainerReader& reader_of(const phalanx_container_reader* reader) {
  return not_null(reader, "the container's reader").reader;
}
ContainerWriter& writer_of(phalanx_container_writer* writer) { return not_null(writer, "the container's writer").writer; }

}  // namespace

int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                            std::uint64_t plain_bytes, const phalanx_binding* binding, std::uint64_t* container_bytes) {
  return guarded([&] {
    std::uint64_t& result = not_null(container_bytes, "the place of the size");
    result = phalanx::container_bytes(name_of_suite(suite), recipients_of(recipients, num_recipients), plain_bytes,
                                      binding_in_c(binding));
  });
}

int phalanx_container_seal(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                           const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out, std::size_t out_bytes,
                           const phalanx_binding* binding, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx::seal_container(name_of_suite(suite), recipients_of(recipients, num_recipients),
                            elements_at(in, in_bytes, "the input"), elements_at(out, out_bytes, "the output"),
                            engine_in_c(options), binding_in_c(binding));
  });
}

int phalanx_container_writer_new(phalanx_container_writer** writer, phalanx_append append, void* user_data,
                                 const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                                 const phalanx_binding* binding, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_container_writer*& place = place_of(writer);
    place = new phalanx_container_writer{ContainerWriter(append_in_c(append, user_data, "the container"),
                                                         name_of_suite(suite), recipients_of(recipients, num_recipients),
                                                         engine_in_c(options), binding_in_c(binding))};
  });
}

int phalanx_container_writer_write(phalanx_container_writer* writer, const std::uint8_t* plain, std::size_t size) {
  return guarded([&] { writer_of(writer).write(elements_at(plain, size, "the input")); });
}
int phalanx_container_writer_write_from_device(phalanx_container_writer* writer, const void* plain, std::size_t size,
                                               void* stream) {
  return guarded([&] {
    const phalanx::Bytes in = elements_at(static_cast<const std::uint8_t*>(plain), size, "the input");
    writer_of(writer).write_from_device(in.data(), in.size(), stream);
  });
}
int phalanx_container_writer_finish(phalanx_container_writer* writer) {
  return guarded([&] { writer_of(writer).finish(); });
}
void phalanx_container_writer_free(phalanx_container_writer* writer) { phalanx::free_in_c(writer); }

int phalanx_container_reader_new(phalanx_container_reader** reader, phalanx_read_at read_at, void* user_data,
                                 std::uint64_t container_bytes, const phalanx_identity* identities,
                                 std::size_t num_identities, const phalanx_cost_limits* limits,
                                 const phalanx_binding* binding, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_container_reader*& place = place_of(reader);
    const phalanx::ReadAt read = phalanx::read_at_in_c(read_at, user_data, "the container");
    place = new phalanx_container_reader{ContainerReader(read, container_bytes, identities_of(identities, num_identities),
                                                         engine_in_c(options), limits_of(limits), binding_in_c(binding))};
  });
}

int phalanx_container_reader_of_memory(phalanx_container_reader** reader, const std::uint8_t* in, std::size_t in_bytes,
                                       const phalanx_identity* identities, std::size_t num_identities,
                                       const phalanx_cost_limits* limits, const phalanx_binding* binding,
                                       const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_container_reader*& place = place_of(reader);
    place = new phalanx_container_reader{ContainerReader(elements_at(in, in_bytes, "the input"),
                                                         identities_of(identities, num_identities), engine_in_c(options),
                                                         limits_of(limits), binding_in_c(binding))};
  });
}

int phalanx_container_reader_of_file(phalanx_container_reader** reader, const char* path, const phalanx_identity* identities,
                                     std::size_t num_identities, const phalanx_cost_limits* limits,
                                     const phalanx_binding* binding, const phalanx_engine_options* options) {
  return guarded([&] {
    phalanx_container_reader*& place = place_of(reader);
    place = new phalanx_container_reader{ContainerReader(std::string(&not_null(path, "the path")),
                                                         identities_of(identities, num_identities), engine_in_c(options),
                                                         limits_of(limits), binding_in_c(binding))};
  });
}

void phalanx_container_reader_free(phalanx_container_reader* reader) { phalanx::free_in_c(reader); }

int phalanx_container_reader_size(const phalanx_container_reader* reader, std::uint64_t* plain_bytes) {
  return guarded([&] { not_null(plain_bytes, "the place of the size") = reader_of(reader).size(); });
}
int phalanx_container_reader_suite(const phalanx_container_reader* reader, const char** suite) {
  return guarded([&] { not_null(suite, "the place of the name") = reader_of(reader).suite().c_str(); });
}

int phalanx_container_reader_read(const phalanx_container_reader* reader, std::uint64_t offset, std::uint8_t* out,
                                  std::size_t size) {
  return guarded([&] { reader_of(reader).read(offset, elements_at(out, size, "the output")); });
}
int phalanx_container_reader_read_to_device(const phalanx_container_reader* reader, std::uint64_t offset, void* out,
                                            std::size_t size, void* stream) {
  return guarded([&] {
    const phalanx::MutableBytes to = elements_at(static_cast<std::uint8_t*>(out), size, "the output");
    reader_of(reader).read_to_device(offset, to.data(), to.size(), stream);
  });
}

// Volumes of LUKS: what phalanx.open_volume reads from.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>
#include <phalanx/files/volume.hpp>

#include "arguments/buffer.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// The bytes of a passphrase, or all bytes of a key file, as cryptsetup takes them.
SecretBytes secret_of(nb::handle passphrase, nb::handle key_file) {
  if (passphrase.is_none() == key_file.is_none())
    throw Error(ErrorCode::usage, "a volume opens by passphrase or by key_file: give one of them");
  return key_file.is_none() ? passphrase_of(passphrase) : whole_key_file(key_file);
}

VolumeReader open_volume(nb::handle path, nb::handle passphrase, nb::handle key_file, nb::handle header, std::uint64_t start,
                         std::optional<int> key_slot, const std::string& engine, int threads) {
  const std::string name = path_of(path);
  const VolumeOptions volume{.header_path = header.is_none() ? "" : path_of(header),
                             .start = start,
                             .key_slot = key_slot.value_or(VolumeOptions::any_key_slot)};
  if (key_slot && *key_slot < 0) throw Error(ErrorCode::usage, "a key slot is a number from 0 on");
  const EngineOptions options = make_options(engine, threads);
  const SecretBytes secret = secret_of(passphrase, key_file);
  const nb::gil_scoped_release released;  // to derive a key takes seconds
  return {name, secret, volume, options};
}

std::size_t size_at(const VolumeReader& reader, std::uint64_t offset, std::size_t most) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(reader.num_bytes() - std::min(offset, reader.num_bytes()), most));
}

std::size_t read_into(const VolumeReader& reader, std::uint64_t offset, nb::handle dst) {
  const HeldBuffer out(dst, "dst", true);
  const nb::gil_scoped_release released;
  return reader.read(offset, out.mutable_bytes());
}

nb::bytes read_rest(const VolumeReader& reader, std::uint64_t offset) {
  NewBytes out = new_bytes(size_at(reader, offset, SIZE_MAX));
  if (!out.memory.empty()) {
    const nb::gil_scoped_release released;
    static_cast<void>(reader.read(offset, out.memory));
  }
  return std::move(out.object);
}

}  // namespace

void bind_volumes(nb::module_& module) {
  nb::class_<VolumeReader> reader(module, "VolumeReader", "An open volume of LUKS: what phalanx.open_volume reads from.");
  def_explained(
      reader, "__init__",
      [](VolumeReader* self, nb::handle path, nb::object passphrase, nb::object key_file, nb::object header,
         std::uint64_t start, std::optional<int> key_slot, const std::string& engine, int threads) {
        new (self) VolumeReader(open_volume(path, passphrase, key_file, header, start, key_slot, engine, threads));
      },
      nb::arg("path"), nb::kw_only(), nb::arg("passphrase") = nb::none(), nb::arg("key_file") = nb::none(),
      nb::arg("header") = nb::none(), nb::arg("start") = 0, nb::arg("key_slot") = nb::none(), nb::arg("engine") = "auto",
      nb::arg("threads") = 0);
  reader.def_prop_ro("size", &VolumeReader::num_bytes)
      .def_prop_ro("format", [](const VolumeReader& self) { return self.facts().format; })
      .def_prop_ro("uuid", [](const VolumeReader& self) { return self.facts().uuid; })
      .def_prop_ro("cipher", [](const VolumeReader& self) { return self.facts().cipher; })
      .def_prop_ro("key_bytes", [](const VolumeReader& self) { return self.facts().key_bytes; })
      .def_prop_ro("sector_bytes", [](const VolumeReader& self) { return self.facts().sector_bytes; })
      .def_prop_ro("key_slot", [](const VolumeReader& self) { return self.facts().key_slot; })
      .def_prop_ro("note", [](const VolumeReader& self) { return self.facts().note; })
      .def_prop_ro("engine", &VolumeReader::engine)
      .def("read_into", &read_into, nb::arg("offset"), nb::arg("dst").none())
      .def("read_rest", &read_rest, nb::arg("offset"));
  refuse_pickling(reader);
}

}  // namespace phalanx

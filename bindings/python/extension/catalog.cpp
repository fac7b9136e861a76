// What this build has: ciphers, engines, the version.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <phalanx/catalog.hpp>
#include <phalanx/threads.hpp>

#include "arguments/explained.hpp"
#include "devices/cuda_after_fork.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

constexpr const char* engines_doc = R"(Every engine that this build knows, usable here or not.

This starts the CUDA driver where there is one: call it before you fork, and CUDA cannot be used in the child.

>>> import phalanx
>>> [engine.name for engine in phalanx.engines() if engine.usable][0]
'cpu:scalar'
)";

constexpr const char* ciphers_doc = R"(The facts of every cipher in every mode that it has.

>>> import phalanx
>>> facts = next(facts for facts in phalanx.ciphers() if facts.name == "des-ede3-cbc")
>>> facts.key_bytes, facts.block_bytes, facts.iv_bytes, facts.tag_bytes
(24, 8, 8, 0)
)";

std::vector<CipherFacts> ciphers() { return {all_cipher_facts().begin(), all_cipher_facts().end()}; }

}  // namespace

void bind_catalog(nb::module_& module) {
  nb::class_<EngineInfo>(module, "EngineInfo", "An engine or a kernel: what runs ciphers.")
      .def_ro("name", &EngineInfo::name, "What Cipher and Aead take as engine.")
      .def_ro("description", &EngineInfo::description, "The instructions or the device behind it.")
      .def_ro("usable", &EngineInfo::usable, "Whether it runs here.")
      .def_ro("reason", &EngineInfo::reason, "Why it does not run here; empty if it does.")
      .def("__repr__", [](const EngineInfo& self) {
        return "EngineInfo('" + self.name + "', '" + self.description + "'" +
               (self.usable ? std::string() : ", not usable: " + self.reason) + ")";
      });
  nb::class_<CipherFacts>(module, "CipherFacts", "What is true of a cipher in a mode, under any key. Sizes are in bytes.")
      .def_ro("name", &CipherFacts::name, "The canonical name, cipher-mode: \"des-ede3-cbc\".")
      .def_ro("cipher", &CipherFacts::cipher, "The cipher's name: \"des-ede3\".")
      .def_ro("mode", &CipherFacts::mode, "The mode's name: \"cbc\".")
      .def_ro("key_bytes", &CipherFacts::key_bytes, "The key's size, of both keys for XTS.")
      .def_ro("block_bytes", &CipherFacts::block_bytes, "The block's size.")
      .def_ro("iv_bytes", &CipherFacts::iv_bytes, "The iv's size; 0 for ECB, 12 for GCM, 24 for xaes-256-gcm.")
      .def_ro("tag_bytes", &CipherFacts::tag_bytes, "The tag's size: 16 for GCM, else 0.")
      .def_ro("encrypts_parts", &CipherFacts::encrypts_parts, "Whether parts of a message are encrypted on their own.")
      .def_ro("decrypts_parts", &CipherFacts::decrypts_parts, "Whether parts of a message are decrypted on their own.")
      .def("__repr__", [](const CipherFacts& self) { return "CipherFacts('" + self.name + "')"; });
  module.def(
      "engines",
      [] {
        note_cuda();
        return engines();
      },
      engines_doc);
  module.def("ciphers", ciphers, ciphers_doc);
  def_explained(
      module, "self_test",
      [](const std::string& engine) {
        note_engine(engine);
        const nb::gil_scoped_release released;
        self_test(engine);
      },
      nb::arg("engine") = "auto",
      "Runs a known answer of every cipher and mode through an engine. Raises MachineError, which names the first that "
      "fails.");
  def_explained(module, "limit_threads", limit_threads, nb::arg("most_threads"),
                "At most so many threads do the work of one call of this process, the caller's own among them, whatever "
                "`threads` says; 0: as many as the process may use. Raises UsageError below 0.");
  module.attr("__version__") = version();
}

}  // namespace phalanx

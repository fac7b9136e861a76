// Where libcrypto comes in: OSSL_provider_init (provider-base(7)), the only name of this object that others see.
#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <phalanx/version.h>

#include <charconv>
#include <exception>
#include <phalanx/error.hpp>

#include "cipher_calls.hpp"
#include "core_calls.hpp"
#include "engine/engines/cpu/instruction_sets.hpp"
#include "guest_memory.hpp"
#include "parameters.hpp"

namespace phalanx {
namespace {

// The engine of that name, "cpu:avx2"; the widest that runs here, if there is no name.
const InstructionSet& find_instruction_set(const std::string& name) {
  const InstructionSet* found = nullptr;
  for (const InstructionSet& set : instruction_sets()) {
    const bool is_meant = name.empty() || name == "auto" || name == "cpu" || name == std::string("cpu:") + set.name;
    if (is_meant && set.usable()) found = &set;
  }
  if (found == nullptr) throw Error(ErrorCode::usage, "no engine '" + name + "' runs on this processor: leave the line out");
  return *found;
}

int parse_threads(const std::string& text) {
  int number = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > 4096) {
    throw Error(ErrorCode::usage, "threads = " + text + ": give a number, and 0 for all cores");
  }
  return number;
}

// 305 of "3.5.9".
int parse_version(const std::string& version) {
  int major = 0, minor = 0;
  const char* const end = version.data() + version.size();
  const char* const point = std::from_chars(version.data(), end, major).ptr;
  if (point != end) std::from_chars(point + 1, end, minor);
  return 100 * major + minor;
}

void take_settings(Provider& provider) {
  provider.core_version = parse_version(provider.setting(OSSL_PROV_PARAM_CORE_VERSION).value_or(""));
  const InstructionSet& set = find_instruction_set(provider.setting("engine").value_or(""));
  provider.engine = std::make_unique<const CpuEngine>(set);
  provider.engine_name = std::string("cpu:") + set.name;
  provider.num_threads = parse_threads(provider.setting("threads").value_or("1"));
  provider.report = provider.setting("report").value_or("");
  provider.build = std::string(PHALANX_VERSION " on ") + provider.engine_name +
                   (provider.num_threads == 1 ? ", no threads" : ", threads of its own");
}

constexpr OSSL_PARAM described[] = {phalanx::described(OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, 0),
                                    phalanx::described(OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, 0),
                                    phalanx::described(OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, 0),
                                    described_signed(OSSL_PROV_PARAM_STATUS), last_described};

const OSSL_PARAM* describe(void*) { return described; }

int get(void* provider, OSSL_PARAM* parameters) {
  const auto write = [parameters](const char* name, const char* text) {
    OSSL_PARAM* const asked = find_parameter(parameters, name);
    return asked == nullptr || write_text(*asked, text);
  };
  OSSL_PARAM* const status = find_parameter(parameters, OSSL_PROV_PARAM_STATUS);
  const auto& asked = *static_cast<const Provider*>(provider);
  return write(OSSL_PROV_PARAM_NAME, "Phalanx") && write(OSSL_PROV_PARAM_VERSION, PHALANX_VERSION) &&
                 write(OSSL_PROV_PARAM_BUILDINFO, asked.build.c_str()) && (status == nullptr || write_signed(*status, 1))
             ? 1
             : 0;
}

const OSSL_ALGORITHM* query(void*, int operation, int* no_store) {
  *no_store = 0;
  return operation == OSSL_OP_CIPHER ? cipher_algorithms() : nullptr;
}

void tear_down(void* provider) { delete static_cast<Provider*>(provider); }

template <class Function>
OSSL_DISPATCH row(int id, Function* function) {
  return {id, reinterpret_cast<void (*)()>(function)};
}

const OSSL_DISPATCH* calls() {
  static const OSSL_DISPATCH rows[] = {row(OSSL_FUNC_PROVIDER_TEARDOWN, tear_down),
                                       row(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, describe),
                                       row(OSSL_FUNC_PROVIDER_GET_PARAMS, get),
                                       row(OSSL_FUNC_PROVIDER_QUERY_OPERATION, query),
                                       {0, nullptr}};
  return rows;
}

}  // namespace
}  // namespace phalanx

extern "C" __attribute__((visibility("default"))) int OSSL_provider_init(const OSSL_CORE_HANDLE* handle,
                                                                         const OSSL_DISPATCH* in, const OSSL_DISPATCH** out,
                                                                         void** context) {
  std::unique_ptr<phalanx::Provider> provider;
  try {
    phalanx::reserve_key_memory();
    provider = std::make_unique<phalanx::Provider>(handle, in);
    phalanx::take_settings(*provider);
    *out = phalanx::calls();
    *context = provider.release();
    return 1;
  } catch (const std::exception& failure) {
    if (provider != nullptr) provider->fail(ERR_R_INIT_FAIL, failure.what());
    return 0;
  }
}

// container.h over container.hpp.
#include <phalanx/container.h>

#include <phalanx/container.hpp>
#include <vector>

#include "library/c_errors.hpp"

struct phalanx_container {
  phalanx::ContainerReader reader;
};

namespace {

using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::Recipient;

std::vector<Recipient> recipients_of(const phalanx_recipient* recipients, std::size_t num_recipients) {
  std::vector<Recipient> result;
  for (const phalanx_recipient& r : std::span(recipients, num_recipients)) {
    if (r.kind != PHALANX_KEY && r.kind != PHALANX_PASSPHRASE) {
      throw Error(ErrorCode::usage,
                  "a recipient has the kind " + std::to_string(r.kind) + ": give PHALANX_KEY or PHALANX_PASSPHRASE");
    }
    Recipient recipient{static_cast<Recipient::Kind>(r.kind), {r.secret, r.secret_bytes}, {}};
    if (r.log2_n != 0 || r.r != 0 || r.p != 0) recipient.cost = {r.log2_n, r.r, r.p};
    result.push_back(recipient);
  }
  return result;
}

phalanx::Options options_of(const char* engine, int num_threads) { return {engine == nullptr ? "" : engine, num_threads}; }

}  // namespace

int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                            std::uint64_t plain_bytes, std::uint64_t* container_bytes) {
  return guarded(
      [&] { *container_bytes = phalanx::container_bytes(suite, recipients_of(recipients, num_recipients), plain_bytes); });
}

int phalanx_seal_container(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                           const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out, std::size_t out_bytes,
                           const char* engine, int num_threads) {
  return guarded([&] {
    phalanx::seal_container(suite, recipients_of(recipients, num_recipients), {in, in_bytes}, {out, out_bytes},
                            options_of(engine, num_threads));
  });
}

int phalanx_container_open(phalanx_container** container, phalanx_read_at read_at, void* context,
                           std::uint64_t container_bytes, const phalanx_recipient* recipients, std::size_t num_recipients,
                           const char* engine, int num_threads) {
  return guarded([&] {
    *container = nullptr;
    if (read_at == nullptr) throw Error(ErrorCode::usage, "read_at is null: give a function that reads the container");
    const auto read = [=](std::uint64_t offset, phalanx::MutableBytes out) {
      if (read_at(context, offset, out.data(), out.size()) != 0) {
        throw Error(ErrorCode::runtime, "reading the container failed at byte " + std::to_string(offset));
      }
    };
    *container = new phalanx_container{phalanx::ContainerReader(
        read, container_bytes, recipients_of(recipients, num_recipients), options_of(engine, num_threads))};
  });
}

int phalanx_container_open_memory(phalanx_container** container, const std::uint8_t* in, std::size_t in_bytes,
                                  const phalanx_recipient* recipients, std::size_t num_recipients, const char* engine,
                                  int num_threads) {
  return guarded([&] {
    *container = nullptr;
    *container = new phalanx_container{phalanx::ContainerReader(
        phalanx::Bytes(in, in_bytes), recipients_of(recipients, num_recipients), options_of(engine, num_threads))};
  });
}

void phalanx_container_free(phalanx_container* container) { delete container; }

std::uint64_t phalanx_container_size(const phalanx_container* container) { return container->reader.size(); }
const char* phalanx_container_suite(const phalanx_container* container) { return container->reader.suite().c_str(); }

int phalanx_container_read(const phalanx_container* container, std::uint64_t offset, std::uint8_t* out, std::size_t size) {
  return guarded([&] { container->reader.read(offset, {out, size}); });
}

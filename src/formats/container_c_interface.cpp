// container.h over container.hpp.
#include <phalanx/container.h>

#include <phalanx/container.hpp>
#include <vector>

#include "library/c_arguments.hpp"
#include "library/c_errors.hpp"

struct phalanx_container {
  phalanx::ContainerReader reader;
};

namespace {

using phalanx::ContainerReader;
using phalanx::elements_at;
using phalanx::Error;
using phalanx::ErrorCode;
using phalanx::guarded;
using phalanx::not_null;
using phalanx::Recipient;

std::vector<Recipient> recipients_of(const phalanx_recipient* recipients, std::size_t num_recipients) {
  std::vector<Recipient> result;
  for (const phalanx_recipient& r : elements_at(recipients, num_recipients, "the list of recipients")) {
    if (r.kind != PHALANX_KEY && r.kind != PHALANX_PASSPHRASE) {
      throw Error(ErrorCode::usage,
                  "a recipient has the kind " + std::to_string(r.kind) + ": give PHALANX_KEY or PHALANX_PASSPHRASE");
    }
    Recipient recipient{
        static_cast<Recipient::Kind>(r.kind), elements_at(r.secret, r.secret_bytes, "a recipient's secret"), {}};
    if (r.log2_n != 0 || r.r != 0 || r.p != 0) recipient.cost = {r.log2_n, r.r, r.p};
    result.push_back(recipient);
  }
  return result;
}

phalanx::Options options_of(const char* engine, int num_threads) { return {engine == nullptr ? "" : engine, num_threads}; }

/// Where the caller wants a container, which is null until there is one.
phalanx_container*& place_of(phalanx_container** container) {
  phalanx_container*& place = not_null(container, "the place of the container");
  place = nullptr;
  return place;
}

const ContainerReader& reader_of(const phalanx_container* container) { return not_null(container, "the container").reader; }

std::uint64_t budget_of(std::uint64_t scrypt_budget) {
  return scrypt_budget == 0 ? phalanx::default_scrypt_budget : scrypt_budget;
}

const char* name_of_suite(const char* suite) { return &not_null(suite, "the suite's name"); }

}  // namespace

int phalanx_container_bytes(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                            std::uint64_t plain_bytes, std::uint64_t* container_bytes) {
  return guarded([&] {
    std::uint64_t& result = not_null(container_bytes, "the place of the size");
    result = phalanx::container_bytes(name_of_suite(suite), recipients_of(recipients, num_recipients), plain_bytes);
  });
}

int phalanx_seal_container(const char* suite, const phalanx_recipient* recipients, std::size_t num_recipients,
                           const std::uint8_t* in, std::size_t in_bytes, std::uint8_t* out, std::size_t out_bytes,
                           const char* engine, int num_threads) {
  return guarded([&] {
    phalanx::seal_container(name_of_suite(suite), recipients_of(recipients, num_recipients),
                            elements_at(in, in_bytes, "the input"), elements_at(out, out_bytes, "the output"),
                            options_of(engine, num_threads));
  });
}

int phalanx_container_open(phalanx_container** container, phalanx_read_at read_at, void* context,
                           std::uint64_t container_bytes, const phalanx_recipient* recipients, std::size_t num_recipients,
                           std::uint64_t scrypt_budget, const char* engine, int num_threads) {
  return guarded([&] {
    phalanx_container*& place = place_of(container);
    if (read_at == nullptr) throw Error(ErrorCode::usage, "read_at is null: give a function that reads the container");
    const auto read = [=](std::uint64_t offset, phalanx::MutableBytes out) {
      if (read_at(context, offset, out.data(), out.size()) != 0) {
        throw Error(ErrorCode::runtime, "reading the container failed at byte " + std::to_string(offset));
      }
    };
    place = new phalanx_container{ContainerReader(read, container_bytes, recipients_of(recipients, num_recipients),
                                                  options_of(engine, num_threads), budget_of(scrypt_budget))};
  });
}

int phalanx_container_open_memory(phalanx_container** container, const std::uint8_t* in, std::size_t in_bytes,
                                  const phalanx_recipient* recipients, std::size_t num_recipients,
                                  std::uint64_t scrypt_budget, const char* engine, int num_threads) {
  return guarded([&] {
    phalanx_container*& place = place_of(container);
    place = new phalanx_container{ContainerReader(elements_at(in, in_bytes, "the input"),
                                                  recipients_of(recipients, num_recipients), options_of(engine, num_threads),
                                                  budget_of(scrypt_budget))};
  });
}

void phalanx_container_free(phalanx_container* container) { delete container; }

std::uint64_t phalanx_container_size(const phalanx_container* container) {
  return container == nullptr ? 0 : container->reader.size();
}
const char* phalanx_container_suite(const phalanx_container* container) {
  return container == nullptr ? "" : container->reader.suite().c_str();
}

int phalanx_container_read(const phalanx_container* container, std::uint64_t offset, std::uint8_t* out, std::size_t size) {
  return guarded([&] { reader_of(container).read(offset, elements_at(out, size, "the output")); });
}

#include "files/container/results/earlier_salts.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include "files/container/file/stream_reader.hpp"
#include "files/container/format/passphrase_keys.hpp"

namespace phalanx {
namespace {

constexpr std::size_t most_looked_at = 1000;  // files of a folder; more take longer than the derivation that may be saved
constexpr std::size_t most_tried = 2;  // one that another passphrase has sealed, or somebody has planted, may be first

std::vector<WrappedKey> passphrase_records(const ContainerHeader& header) {
  std::vector<WrappedKey> records;
  std::ranges::copy_if(header.wrapped_keys, std::back_inserter(records),
                       [](const WrappedKey& wrapped) { return wrapped.is(KeyKind::passphrase); });
  return records;
}

std::vector<Recipient> passphrases_of(const ContainerJob& job) {
  std::vector<Recipient> passphrases;
  std::ranges::copy_if(job.recipients, std::back_inserter(passphrases),
                       [](const Recipient& recipient) { return recipient.kind == KeyKind::passphrase; });
  return passphrases;
}

std::optional<ContainerHeader> header_at(const ResultPlace& place) {
  try {
    if (!place.look()) return std::nullopt;
    Input container = place.open_input();
    return read_header(container);
  } catch (const Error&) {
    return std::nullopt;
  }
}

// Another fixed part has other keys, and another cost is not the run's.
bool is_alike(const ContainerHeader& header, const ContainerJob& job, const std::vector<WrappedKey>& records,
              const std::vector<Recipient>& passphrases) {
  const FixedPart wanted = fixed_part_of(*job.suite, job.binding);
  if (header.suite != wanted.suite || header.version != wanted.version) return false;
  return std::ranges::equal(records, passphrases, [](const WrappedKey& record, const Recipient& passphrase) {
    const ScryptCost cost = scrypt_cost_of(record);
    return cost.log2_n == passphrase.cost.log2_n && cost.r == passphrase.cost.r && cost.p == passphrase.cost.p;
  });
}

// An earlier run has named the passphrases in this order. So each is tried on one record.
bool open_each(ContainerHeader header, const ContainerJob& job, const std::vector<WrappedKey>& records,
               const std::vector<Recipient>& passphrases) {
  Binding binding = job.binding;
  binding.name.clear();
  binding.any_name = true;
  try {
    for (std::size_t i = 0; i < records.size(); ++i) {
      header.wrapped_keys = {records[i]};
      static_cast<void>(open_header(header, std::vector{identity_of(passphrases[i])}, {}, binding, job.binding_names));
    }
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Containers that were opened to be compared have shown them already.
bool are_known(const ContainerJob& job, const std::vector<Recipient>& passphrases) {
  const FixedPart fixed_part = fixed_part_of(*job.suite, job.binding);
  return std::ranges::all_of(passphrases, [&](const Recipient& passphrase) {
    return has_sealing_key(passphrase.secret, fixed_part, passphrase.cost);
  });
}

void look(const ContainerJob& job, const EarlierSalts::NextPlace& next) {
  const std::vector<Recipient> passphrases = passphrases_of(job);
  if (job.bare || are_known(job, passphrases)) return;
  std::size_t num_tried = 0;
  for (std::size_t i = 0; i < most_looked_at && num_tried < most_tried; ++i) {
    const std::optional<ResultPlace> place = next();
    if (!place) return;
    const std::optional<ContainerHeader> header = header_at(*place);
    if (!header) continue;
    const std::vector<WrappedKey> records = passphrase_records(*header);
    if (!is_alike(*header, job, records, passphrases)) continue;
    if (open_each(*header, job, records, passphrases)) return;
    ++num_tried;
  }
}

}  // namespace

void EarlierSalts::look_once(const ContainerJob& job, const NextPlace& next) {
  std::call_once(looked_, [&] { look(job, next); });
}

}  // namespace phalanx

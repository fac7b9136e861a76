#include "files/container/trees/wished_recipients.hpp"

#include <fcntl.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "files/container/file/stream_reader.hpp"
#include "files/container/recipients/header_change.hpp"

namespace phalanx {
namespace {

// Returns the identities that open what the job seals, and that may open a container of this suite.
std::vector<Identity> openers_for(const ContainerJob& job, const Suite& suite) {
  std::vector<Identity> openers;
  std::ranges::copy_if(openers_of(job), std::back_inserter(openers), [&](const Identity& identity) {
    return identity.kind != KeyKind::key || identity.secret.size() == suite.key_bytes;
  });
  return openers;
}

SecretBytes open_for(const ContainerJob& job, const ContainerHeader& header) {
  const std::vector<Identity> openers = openers_for(job, *header.suite);
  if (openers.empty()) throw Error(ErrorCode::wrong_key, "the run has no secret of this container's");
  return open_header(header, openers, {}, job.binding, job.binding_names).data_key;
}

bool is_tried(const Recipient& recipient, Tried tried) {
  return recipient.kind == KeyKind::key || (recipient.kind == KeyKind::passphrase && tried == Tried::all);
}

// Each record is one recipient's at most.
bool has_recipient(const ContainerHeader& header, const Recipient& recipient, Tried tried, std::set<std::size_t>& taken) {
  for (std::size_t i = 0; i < header.wrapped_keys.size(); ++i) {
    const WrappedKey& wrapped = header.wrapped_keys[i];
    if (!wrapped.is(recipient.kind) || taken.contains(i)) continue;
    const bool is_its =
        !is_tried(recipient, tried) || is_opened_by(header.fixed_part(), wrapped, identity_of(recipient), {});
    if (is_its) return taken.insert(i).second;
  }
  return false;
}

bool has_recipients(const ContainerHeader& header, const ContainerJob& job, Tried tried) {
  std::set<std::size_t> taken;
  if (header.suite != job.suite || header.wrapped_keys.size() != job.recipients.size()) return false;
  return std::ranges::all_of(job.recipients,
                             [&](const Recipient& recipient) { return has_recipient(header, recipient, tried, taken); });
}

// The context enters the key of the body: opening the header does not show it.
bool opens_as_asked(Input& container, const ContainerHeader& header, const ContainerJob& job) {
  if (!can_open(job)) return ((binding_flags_of(job.binding) ^ header.binding.flags) & context_flag) == 0;
  const SecretBytes data_key = open_for(job, header);
  static_cast<void>(read_body_prefix(container, header, data_key, job.binding.context, job.options));
  return true;
}

}  // namespace

RecipientsFit judge_recipients(const ContainerJob& job, const ResultPlace& place, Tried tried) {
  try {
    Input container(place.open(O_RDONLY), place.path);
    const ContainerHeader header = read_header(container);
    if (!has_recipients(header, job, tried)) return RecipientsFit::others;
    if (tried == Tried::all && !opens_as_asked(container, header, job)) return RecipientsFit::others;
    const auto is_unknown = [&](const Recipient& recipient) { return !is_tried(recipient, tried); };
    return std::ranges::any_of(job.recipients, is_unknown) ? RecipientsFit::unknown : RecipientsFit::as_wished;
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return RecipientsFit::others;
  }
}

std::optional<Sha256Digest> digest_of_opened_header(const ContainerJob& job, const ResultPlace& place) {
  Input container(place.open(O_RDONLY), place.path);
  const ContainerHeader header = read_header(container);
  std::vector<Identity> cheap = openers_for(job, *header.suite);
  std::erase_if(cheap,
                [](const Identity& identity) { return identity.kind == KeyKind::passphrase || identity.unwrap != nullptr; });
  if (cheap.empty()) return std::nullopt;
  try {
    const SecretBytes data_key = open_header(header, cheap, {}, job.binding, job.binding_names).data_key;
    static_cast<void>(read_body_prefix(container, header, data_key, job.binding.context, job.options));
    return digest_header(header.bytes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::authentication || error.code() == ErrorCode::runtime) throw;
    return std::nullopt;  // the container is for others, or bound otherwise, and the caller compares that
  }
}

std::optional<BodyFacts> put_recipients(const ContainerJob& job, const ResultPlace& place, const ProtectedFiles& needed,
                                        Progress& progress) {
  if (!can_open(job)) return std::nullopt;
  try {
    place.require_free();
    ProtectedFiles own(&needed);
    HeaderChange change(place.path, own, {});
    const auto open = [&](const ContainerHeader& header) {
      if (header.suite != job.suite)
        throw Error(ErrorCode::usage,
                    "it is sealed with " + std::string(header.suite->name) + ", and not as it is asked for");
      return open_for(job, header);
    };
    change.unlock({.read = read_header, .open = open, .context = job.binding.context}, job.options);
    RecipientChanges changes{.added = job.recipients};
    for (std::size_t number = 1; number <= change.header().wrapped_keys.size(); ++number) changes.removed.push_back(number);
    static_cast<void>(apply(change, changes, {}, progress));
    return change.facts();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return std::nullopt;
  }
}

}  // namespace phalanx

#include "files/container/recipients/header_change.hpp"

#include <algorithm>

#include "files/container/file/resume_record.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/file_identity.hpp"
#include "files/system/output/file_copy.hpp"
#include "files/system/output/leftover_file.hpp"
#include "files/system/output/sibling_path.hpp"
#include "files/system/path_safety.hpp"

namespace phalanx {
namespace {

using Beginning = std::vector<std::uint8_t>;

Beginning beginning_of(int descriptor, const std::string& name) {
  Beginning bytes(max_header_bytes + message_prefix_bytes);
  bytes.resize(read_at(descriptor, bytes, 0, name));
  return bytes;
}

// Returns the salt and the commitment behind a container's header, which belong to one message alone. Returns "" where it
// has none.
std::string prefix_in(const Beginning& beginning) {
  try {
    const std::size_t header_size = header_bytes(beginning);
    if (beginning.size() < header_size + message_prefix_bytes) return "";
    return {reinterpret_cast<const char*>(beginning.data()) + header_size, message_prefix_bytes};
  } catch (const Error&) {
    return "";
  }
}

// Says whether a file holds zeros, since files have their size before their bytes, or a header, whole or cut short.
bool holds_no_chunk(const Beginning& beginning, std::uint64_t file_bytes) {
  if (file_bytes > beginning.size()) return false;
  return std::ranges::all_of(beginning, [](std::uint8_t byte) { return byte == 0; }) ||
         is_header_alone(beginning, file_bytes);
}

// A killed change leaves FILE's message under another header, and loses nothing. Any other partial file may be worth going
// on with.
void refuse_partial_of_others(const Input& input, const std::string& path, const ProtectedFiles& needed,
                              const HeaderChangeNames& names) {
  const std::string partial = sibling_path(path, partial_suffix);
  const std::optional<LeftoverFile> left = open_leftover(partial, &needed);
  if (!left) return;
  const int descriptor = left->file.get();
  if (!lock_file(descriptor, partial)) throw Error(ErrorCode::usage, partial + " is in use: another run is writing it");
  const Beginning beginning = beginning_of(descriptor, partial);
  const std::string prefix = prefix_in(beginning);
  if (!prefix.empty() && prefix == prefix_in(beginning_of(input.descriptor(), input.name()))) return;
  const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, partial).size);
  if (holds_no_chunk(beginning, num_bytes) && !identity_at(sibling_path(path, record_suffix))) return;
  throw Error(ErrorCode::usage, partial + " is what another command left: finish that, with " + names.resume +
                                    " where it has it, or remove it");
}

// The partial file is locked by FILE's name, and FILE may have other names. Two changes through two of them would each write
// its own header over the other's. So FILE itself is locked as well, whatever its name. NFS locks only a file that may be
// written to; a user who may not write to it does not change it in place.
FileDescriptor lock_inode(const Input& input) {
  FileDescriptor file = open_for_writing(input);
  if (file.is_open() && !lock_file(file.get(), input.name())) {
    throw Error(ErrorCode::usage,
                input.name() + " is in use: another run is changing its recipients, by this name or another");
  }
  return file;
}

// These facts of FILE are known only once nobody else changes its recipients.
void require_same_file(const Input& input, const FileStamp& seen, const std::string& path) {
  const FileStamp now = stamp_of(input.descriptor(), input.name());
  if (now == seen && identity_at(path) == now.identity) return;
  throw Error(ErrorCode::usage, input.name() +
                                    " was changed by another program meanwhile: it is left as it is; give the "
                                    "command again");
}

}  // namespace

HeaderChange::HeaderChange(const std::string& file, ProtectedFiles& needed, const HeaderChangeNames& names)
    : path_(resolve_links(file)), input_(open_regular_file(path_)), seen_(input_.status()), names_(names) {
  needed.refuse(input_.status(), input_.name());
  needed.add(input_.status(), "FILE");
  locked_ = lock_inode(input_);
  refuse_partial_of_others(input_, path_, needed, names_);
  file_.emplace(path_, AtomicFileOptions{.replace = true,
                                         .modified = input_.status().st_mtim,
                                         .replaced = FileIdentity(input_.status()),
                                         .needed = &needed,
                                         .names = names_.output});
  require_same_file(input_, seen_, path_);
}

// Reading settles a killed rewrite. That changes the file's times, and nobody else may change them.
void HeaderChange::unlock(const HeaderOpening& opening, const EngineOptions& options) {
  HeaderOpening locked = opening;
  locked.is_locked = locked_.is_open();
  container_ = unlock_input(input_, locked);
  if (container_.settled) seen_ = stamp_of(input_.descriptor(), input_.name());
  cipher_.emplace(read_body_prefix(input_, header(), container_.data_key, opening.context, options));
  SeekableMessage(input_, *cipher_).authenticate_length();
  wrapped_keys_ = container_.header.wrapped_keys;
  header_bytes_ = container_.header.bytes;
}

BodyFacts HeaderChange::facts() const {
  const auto read = [&](std::uint64_t offset, MutableBytes out) {
    if (read_at(input_.descriptor(), out, offset, input_.name()) != out.size())
      throw Error(ErrorCode::runtime, input_.name() + " became shorter while it was read");
  };
  const std::uint64_t position = header().bytes.size();
  BodyFacts facts = authentic_body_facts(*cipher_, read, position, static_cast<std::uint64_t>(input_.status().st_size));
  facts.header = digest_header(header_bytes_);
  return facts;
}

void HeaderChange::remove(const std::set<std::size_t>& numbers) {
  const std::vector<WrappedKey>& old = container_.header.wrapped_keys;
  wrapped_keys_.clear();
  for (std::size_t i = 0; i < old.size(); ++i) {
    if (!numbers.contains(i + 1)) wrapped_keys_.push_back(old[i]);
  }
  num_removed_ = numbers.size();
  if (numbers.empty() || (*numbers.begin() != 0 && *numbers.rbegin() <= old.size())) return;
  const std::size_t wrong = *numbers.begin() == 0 ? 0 : *numbers.rbegin();
  throw Error(ErrorCode::usage, "there is no recipient " + std::to_string(wrong) + ": " + names_.list + " shows all " +
                                    std::to_string(old.size()));
}

bool HeaderChange::can_open_already(const Recipient& recipient, const CostLimits& limits) const {
  if (recipient.kind == KeyKind::public_key) return false;  // a stanza does not say whose it is
  const FixedPart fixed_part = header().fixed_part();
  const Identity identity = identity_of(recipient);
  const auto opened = std::ranges::find_if(
      wrapped_keys_, [&](const WrappedKey& wrapped) { return is_opened_by(fixed_part, wrapped, identity, limits); });
  if (opened == wrapped_keys_.end()) return false;
  trust_salt_of(fixed_part, *opened, identity);  // the header that it is of has been unlocked
  return true;
}

std::vector<std::size_t> HeaderChange::add(std::span<const Recipient> recipients, const CostLimits& limits) {
  std::vector<std::size_t> already;
  for (std::size_t i = 0; i < recipients.size(); ++i) {
    if (can_open_already(recipients[i], limits)) {
      already.push_back(i);
    } else {
      wrapped_keys_.push_back(wrap_data_key(header().fixed_part(), recipients[i], container_.data_key));
      ++num_added_;
    }
  }
  if (num_added_ != 0) check_labels_of(suite(), wrapped_keys_, recipients);
  if (wrapped_keys_.empty()) {
    throw Error(ErrorCode::usage, "nobody could open the file any more: keep a recipient, or add one");
  }
  return already;
}

std::optional<ChangedRecipients> HeaderChange::write_in_place(const ContainerHeader& header) {
  if (header.bytes.size() != container_.header.bytes.size()) return std::nullopt;
  std::optional<HeaderRewrite> rewrite = HeaderRewrite::open(input_, path_);
  if (!rewrite) return std::nullopt;
  require_same_file(input_, seen_, path_);
  rewrite->write(container_, header);
  if (identity_at(path_) != FileIdentity(input_.status())) {
    throw Error(ErrorCode::runtime, input_.name() +
                                        " was replaced, renamed or removed by another program meanwhile: what has " +
                                        "this name now was not changed; give the command again");
  }
  return ChangedRecipients{.num_recipients = header.wrapped_keys.size(), .in_place = true};
}

ChangedRecipients HeaderChange::write(Progress& progress) {
  const ContainerHeader header =
      make_header(this->header().fixed_part(), wrapped_keys_, container_.data_key, this->header().binding);
  header_bytes_ = header.bytes;
  if (std::optional<ChangedRecipients> changed = write_in_place(header)) return std::move(*changed);
  file_->append(header.bytes);
  file_->append(cipher_->prefix());
  copy_rest(input_, *file_, progress);
  require_same_file(input_, seen_, path_);
  file_->replace_only(seen_);
  file_->commit();
  return {.num_recipients = header.wrapped_keys.size(),
          .num_other_names = static_cast<std::uint64_t>(input_.status().st_nlink) - 1,
          .lost_attributes = file_->lost_attributes()};
}

std::set<std::size_t> removed_numbers(const ContainerHeader& header, const RecipientChanges& changes,
                                      const CostLimits& limits) {
  std::set<std::size_t> numbers(changes.removed.begin(), changes.removed.end());
  for (const Identity& identity : changes.removed_by) {
    const std::vector<std::size_t> found = recipients_opened_by(header, {&identity, 1}, limits);
    if (found.empty()) throw Error(ErrorCode::usage, "a key or passphrase that is to be removed is none of the recipients'");
    numbers.insert(found.begin(), found.end());
  }
  return numbers;
}

ChangedRecipients apply(HeaderChange& change, const RecipientChanges& changes, const CostLimits& limits,
                        Progress& progress) {
  change.remove(removed_numbers(change.header(), changes, limits));
  std::vector<std::size_t> already = change.add(changes.added, limits);
  ChangedRecipients changed{.num_recipients = change.header().wrapped_keys.size()};
  if (change.num_changes() != 0) changed = change.write(progress);
  changed.num_changes = change.num_changes();
  changed.already = std::move(already);
  return changed;
}

std::vector<std::size_t> recipients_opened_by(const ContainerHeader& header, std::span<const Identity> identities,
                                              const CostLimits& limits) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < header.wrapped_keys.size(); ++i) {
    const auto opens = [&](const Identity& identity) {
      return is_opened_by(header.fixed_part(), header.wrapped_keys[i], identity, limits);
    };
    if (std::ranges::any_of(identities, opens)) numbers.push_back(i + 1);
  }
  return numbers;
}

}  // namespace phalanx

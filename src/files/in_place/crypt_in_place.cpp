#include <phalanx/files/in_place.hpp>

#include "engine/library/argument_checks.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/in_place/in_place.hpp"
#include "files/pipeline/progress_call.hpp"

namespace phalanx {
namespace {

MessagePlan plan_in_place(const InPlaceFormat& format, Direction direction, const RunOptions& options) {
  ForeignFormat bare;
  bare.cipher = format.cipher;
  bare.padding = Padding::none;
  bare.key = format.key;
  bare.iv = format.iv;
  bare.sectors = format.sectors;
  if (format.key.empty()) throw Error(ErrorCode::usage, "a file is crypted in place under a key, and it is empty: give one");
  MessagePlan plan = plan_foreign(bare, options, direction);
  refuse_read_only(plan.cipher, "change a file of it in place");
  if (direction == Direction::encrypt && plan.job.mode == Mode::xts && has_equal_halves(format.key)) {
    throw Error(ErrorCode::policy, "the two halves of the XTS key are equal: choose another key");
  }
  return plan;
}

CryptedInPlace crypt_in_place(const std::string& path, const InPlaceFormat& format, Direction direction,
                              const InPlaceOptions& options) {
  RunOptions run(options.engine);
  run.policy = options.policy;
  const MessagePlan plan = plan_in_place(format, direction, run);
  const RawCipher cipher(plan.cipher.engine, format.key, plan.job.sectors.sector_bytes != 0, plan.options);
  ProgressCall progress(options.on_progress, options.cancellation);
  CryptedInPlace result;
  const ProtectedFiles needed;
  InPlaceFile file(file_named(path), needed,
                   {.needs_room = !options.allow_unmarked,
                    .option = "`allow_unmarked`",
                    .tell = [&](const std::string& warning) { result.warning = warning; }});
  const JournalUse journal{.key = format.key, .num_threads = options.engine.num_threads, .any_device = options.any_device};
  result.resumed_bytes = file.crypt(cipher, plan.job, journal, progress);
  result.file_bytes = file.size_bytes();
  return result;
}

}  // namespace

inline namespace PHALANX_VERSION_NAMESPACE {

CryptedInPlace encrypt_in_place(const std::string& path, const InPlaceFormat& format, const InPlaceOptions& options) {
  return crypt_in_place(path, format, Direction::encrypt, options);
}

CryptedInPlace decrypt_in_place(const std::string& path, const InPlaceFormat& format, const InPlaceOptions& options) {
  return crypt_in_place(path, format, Direction::decrypt, options);
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx

#include "files/foreign/search/data_units.hpp"

#include <algorithm>
#include <iterator>

#include "files/foreign/search/first_piece.hpp"
#include "files/recognition/plaintext_kind.hpp"

namespace phalanx {
namespace {

constexpr std::size_t unit_sizes[] = {openssl_unit_bytes, openssl_read_bytes, 0};
constexpr std::size_t looked_at_bytes = std::size_t{1} << 20;

struct Beginning {
  bool is_text = false;
  bool is_one_unit = false;  // of the likeliest size, and all of the file
};

// Tells whether the first piece is text, with its second unit. Other kinds show in the first unit, which is the same under
// every size.
Beginning look_at_beginning(const MessagePlan& plan, Bytes secret, Bytes derived, Input& input) {
  const std::uint64_t start = input.position();
  Beginning beginning;
  try {
    const FirstPiece first = decrypt_first_piece(plan, secret, derived, input, looked_at_bytes);
    const Piece& piece = first.piece;
    beginning.is_one_unit = piece.last && piece.size <= openssl_unit_bytes;
    beginning.is_text = is_text_at_sixteen_places(piece.content(), {.first = true, .last = piece.last});
  } catch (const Error& error) {
    input.seek(start);
    if (error.code() == ErrorCode::runtime) throw;  // else the length does not fit such units
    return {};
  }
  input.seek(start);
  return beginning;
}

}  // namespace

std::vector<std::size_t> other_unit_bytes(const CryptJob& job) {
  std::vector<std::size_t> others(std::begin(unit_sizes), std::end(unit_sizes));
  std::erase(others, job.restart_bytes);
  return others;
}

std::string name_of_units(std::size_t unit_bytes) {
  return unit_bytes == 0 ? "one data unit" : "data units of " + std::to_string(unit_bytes) + " bytes";
}

void settle_data_units(MatchedCandidate& choice, Bytes secret, Input& input) {
  MessagePlan& plan = choice.plan;
  if (plan.cipher.way != ForeignWay::restarted) return;
  std::size_t taken = openssl_unit_bytes;
  std::string why = "; nothing shows whether that is right beyond the first";
  if (input.remaining_bytes()) {
    std::size_t num_texts = 0;
    for (const std::size_t size : unit_sizes) {
      plan.job.restart_bytes = size;
      const Beginning beginning = look_at_beginning(plan, secret, choice.derived, input);
      if (beginning.is_one_unit) {
        plan.job.restart_bytes = openssl_unit_bytes;
        return;
      }
      if (!beginning.is_text) continue;
      if (num_texts++ == 0) taken = size;
    }
    if (num_texts == 1) why = ", which gives text";
  }
  plan.job.restart_bytes = taken;
  choice.with.note +=
      (choice.with.note.empty() ? "" : "; ") + full_name(plan.cipher) + " is read in " + name_of_units(taken) + why;
}

}  // namespace phalanx

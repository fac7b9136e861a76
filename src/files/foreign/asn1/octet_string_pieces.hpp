// The octets of an OCTET STRING in a file that is there in many pieces (X.690, section 8.7), read by any number of threads.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "files/pipeline/piece_reader.hpp"

namespace phalanx {

/// Where a string in pieces lies in a file.
struct OctetStringPlace {
  int file = -1;     ///< the caller's
  std::string name;  ///< for messages
  std::uint64_t position = 0;
  std::uint64_t end = 0;       ///< the string has no more than what stands before it
  bool has_end_mark = false;   ///< it ends with two zeros; else at `end`
  std::uint64_t file_end = 0;  ///< as it was when the file was opened
};

/// Gives pieces of the message as StreamPieces does. Where a piece begins follows from all pieces of the string before it.
/// So each thread reads where its piece probably begins. Where the pieces of the string are alike, as most programs write
/// them, it follows their lengths at once, and learns in its turn that it was right. A thread that was wrong follows them in
/// its turn.
class OctetStringPieces : public PieceReader {
 public:
  /// `piece_bytes` is a multiple of 16; `block_bytes` is the size of Piece::preceding.
  OctetStringPieces(OctetStringPlace place, std::size_t piece_bytes, std::size_t block_bytes);

  [[nodiscard]] bool in_order() const override { return false; }
  [[nodiscard]] std::optional<std::uint64_t> num_pieces() override { return std::nullopt; }
  [[nodiscard]] std::optional<std::uint64_t> expected_pieces() override;
  [[nodiscard]] std::size_t buffer_bytes() override;
  [[nodiscard]] bool has_piece(std::uint64_t number) override;
  /// Throws Error: runtime; truncated, where the file ends within the string; format, where it is none.
  bool read(Piece& piece) override;
  void stop() override;

  /// Return, once all was read, how many octets there are, and how many bytes of the file they and their lengths have. An
  /// end mark is not among them.
  [[nodiscard]] std::uint64_t num_bytes() const { return num_bytes_; }
  [[nodiscard]] std::uint64_t raw_bytes() const { return state_.position - place_.position; }

 private:
  struct OpenString {
    std::uint64_t end = 0;
    bool is_definite = true;
  };
  // A place in the file, between two octets or where the next length stands.
  struct State {
    std::uint64_t position = 0;
    std::uint64_t octets_left = 0;  // of the innermost piece
    std::vector<OpenString> open{};
    bool has_ended = false;
  };
  // A part of the file, which was read into a buffer.
  struct Window {
    Bytes bytes;
    std::size_t offset = 0;  // in the buffer
    std::uint64_t position = 0;
    bool is_short = false;  // the file ends with it
  };
  struct Span {
    std::size_t offset = 0, size = 0;
  };
  // The octets of a piece as they lie in its buffer, and what stands behind them in the file.
  struct Walk {
    State state;
    std::vector<Span> spans{};
    std::size_t num_bytes = 0;
  };

  // Where a piece probably begins.
  struct Guess {
    State state;
    bool is_likely = false;  // to be right to the byte
  };

  [[nodiscard]] Guess guess(std::uint64_t number);
  [[nodiscard]] std::condition_variable& place_of(std::uint64_t number) { return places_[number % places_.size()]; }
  void wake_all();
  [[nodiscard]] bool is_as_guessed(const State& guessed) const;
  [[nodiscard]] Window read_window(MutableBytes buffer, std::size_t offset, std::uint64_t position,
                                   std::size_t most_bytes) const;
  void collect(Walk& walk, Window& window, MutableBytes buffer, std::size_t num_bytes, std::size_t window_bytes) const;
  [[nodiscard]] bool follow(Walk& walk, const Window& window, std::size_t num_bytes) const;
  [[nodiscard]] bool begin_string(State& state, const Window& window) const;
  [[nodiscard]] bool end_string(State& state, bool has_mark) const;
  // A whole piece, and the state behind it.
  struct Found {
    Walk walk;
    bool is_last = false;
  };
  [[nodiscard]] Found find_piece(const State& from, Window window, MutableBytes buffer, std::size_t window_bytes) const;
  [[nodiscard]] std::optional<Found> find_early(const State& guessed, MutableBytes buffer) const;
  [[nodiscard]] Found find_in_turn(Window window, MutableBytes buffer) const;
  void give(Piece& piece, const Found& found, Bytes buffer);
  [[noreturn]] void refuse(const char* what) const;
  [[noreturn]] void refuse_end() const;
  static void gather(Walk& walk, MutableBytes buffer);
  static void trim(Walk& walk, std::size_t num_bytes);
  static void copy_last(const Walk& walk, Bytes buffer, MutableBytes out);

  OctetStringPlace place_;
  std::size_t piece_bytes_;
  std::size_t block_bytes_;
  std::mutex mutex_;
  std::array<std::condition_variable, 64> places_;  // where pieces wait: a turn wakes one, not all
  State state_;                                     // before the next piece
  std::uint64_t next_number_ = 0;
  std::uint64_t last_raw_bytes_ = 0;  // of the piece before it
  bool is_regular_ = false;           // the two pieces before it are alike
  std::uint64_t num_bytes_ = 0;
  ChainValue last_block_;
  bool is_over_ = false;  // the last piece was given
  bool is_stopped_ = false;
};

}  // namespace phalanx

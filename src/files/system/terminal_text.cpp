#include "files/system/terminal_text.hpp"

#include <algorithm>
#include <phalanx/error.hpp>

#include "engine/text/utf8.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx {

void TerminalText::append(Bytes in) {
  if (in.size() > most_bytes - num_bytes_) refuse();
  if (text_.size() == 0) text_ = SecretBytes(most_bytes);
  std::ranges::copy(in, text_.begin() + num_bytes_);
  num_bytes_ += in.size();
}

void TerminalText::show(int terminal) {
  const Bytes text = Bytes(text_).first(num_bytes_);
  if (!is_plain_text(text)) refuse();
  write_all(terminal, text, name_);
}

void TerminalText::refuse() const {
  throw Error(ErrorCode::usage, name_ +
                                    " is a terminal, and takes text of at most 1 MiB without control characters only: "
                                    "name a file as OUT, or redirect it");
}

}  // namespace phalanx

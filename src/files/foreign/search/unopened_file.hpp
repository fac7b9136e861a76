// These are files that cannot be opened because they are of another kind, and what is said of them.
#pragma once

#include <cstdint>
#include <string>

#include "files/foreign/message_plan.hpp"
#include "files/recognition/recognised_file.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// The file is not of the stated format, cut short, or not opened by any of the secrets.
class UndecryptableFile : public Error {
 public:
  using Error::Error;
};

/// The file is of another kind, and so says nothing about the keys.
class OtherFile : public UndecryptableFile {
 public:
  using UndecryptableFile::UndecryptableFile;
};

/// Everybody can read the file: there is nothing to open.
class PlaintextFile : public OtherFile {
 public:
  using OtherFile::OtherFile;
};

/// Throws PlaintextFile or OtherFile for a file whose kind is named. `name` is the file's.
[[noreturn]] void refuse_kind(const RecognisedFile& file, const std::string& name);

/// Throws UndecryptableFile for a text that holds the ciphertext in base64, which the plan does not say.
[[noreturn]] void refuse_unstated_base64(const MessagePlan& plan, const RecognisedFile& file, const std::string& name);

/// Judges a failure to open what begins at `start` under a plan. Where the failure is about the input and the file is of
/// another kind, it throws as the two above do. Where it may be of one, it throws the failure with that in its words.
/// Otherwise it returns. An input that cannot seek is not looked at. The input stands where it stood before.
/// `reads_base64`: base64 was looked for.
void explain_unopened(const Error& failure, const Input& input, std::uint64_t start, const MessagePlan& plan,
                      bool reads_base64);

}  // namespace phalanx

// GCM: the arguments, and what a tag that does not fit means.
#include "library/keyed_mode.hpp"

namespace phalanx {
namespace {

GcmMessage message_of(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out) {
  GcmMessage message;
  message.nonce = nonce;
  message.associated_data = associated_data;
  message.in = in.data();
  message.out = out.data();
  message.num_bytes = in.size();
  return message;
}

}  // namespace

void Cipher::seal(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, MutableBytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() != 16) fail_usage("the tag is 16 bytes, and room for " + std::to_string(tag.size()) + " was given");
  GcmMessage message = message_of(nonce, associated_data, in, out);
  message.tag = tag;
  state_->gcm->seal({&message, 1});
}

void Cipher::open(Bytes nonce, Bytes associated_data, Bytes in, MutableBytes out, Bytes tag) const {
  state_->check_gcm(nonce, in, out.size());
  if (tag.size() < 12 || tag.size() > 16) {  // section 5.2.1.2, without the 4 and 8 bytes of appendix C
    fail_usage("a tag has 12 to 16 bytes, and " + std::to_string(tag.size()) + " were given");
  }
  GcmMessage message = message_of(nonce, associated_data, in, out);
  message.expected_tag = tag;
  state_->gcm->open({&message, 1}, Unverified::never_written);
  if (!message.is_authentic) {
    throw Error(ErrorCode::authentication, "the tag does not verify: wrong key, nonce or associated data, or changed data");
  }
}

}  // namespace phalanx

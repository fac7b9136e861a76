// Writes the records of node's crypto module, and of Web Crypto in node: node node_crypto.js
const crypto = require("node:crypto");

const key = Buffer.from([...Array(32).keys()]);
const plaintext = Buffer.from([...Array(100).keys()].map((i) => (7 * i + 1) % 256));
const associated = Buffer.from("page 7");
const nonceOf = (size, first) => Buffer.from([...Array(size).keys()].map((i) => first + i));

function print(layout, fields) {
  const lines = { layout, program: `node ${process.versions.node} (OpenSSL ${process.versions.openssl})`, cipher: "aes-256-gcm", key, ...fields };
  for (const [name, value] of Object.entries(lines)) {
    console.log(`${name} = ${Buffer.isBuffer(value) ? value.toString("hex") : value}`);
  }
  console.log(`plaintext = ${plaintext.toString("hex")}\n`);
}

function seal(nonce, aad) {
  const cipher = crypto.createCipheriv("aes-256-gcm", key, nonce);
  if (aad) cipher.setAAD(aad);
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return { ciphertext, tag: cipher.getAuthTag() };
}

async function main() {
  const apart = seal(nonceOf(12, 0x40), associated);
  print("node, all apart", { nonce: nonceOf(12, 0x40), aad: associated, tag: apart.tag, file: apart.ciphertext });
  const joined = seal(nonceOf(16, 0x50));
  print("node, iv of 16 bytes and tag in front", { file: Buffer.concat([nonceOf(16, 0x50), joined.tag, joined.ciphertext]) });
  const short = crypto.createCipheriv("aes-256-gcm", key, nonceOf(12, 0x70), { authTagLength: 12 });
  const ciphertext = Buffer.concat([short.update(plaintext), short.final()]);
  print("node, tag of 12 bytes", { file: Buffer.concat([nonceOf(12, 0x70), ciphertext, short.getAuthTag()]) });
  const webKey = await crypto.webcrypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  const algorithm = { name: "AES-GCM", iv: nonceOf(12, 0x60), additionalData: associated };
  const sealed = Buffer.from(await crypto.webcrypto.subtle.encrypt(algorithm, webKey, plaintext));
  print("Web Crypto", { nonce: nonceOf(12, 0x60), aad: associated, file: sealed });
}

main();

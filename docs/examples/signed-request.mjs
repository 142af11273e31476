// Sends one authenticated request and verifies the response, in plain Node 20
// (docs/callers/authentication.md).
//
//   node signed-request.mjs http://127.0.0.1:8080 desk-1.key desk-1.token SERVICE_KEY AUTHORITY_KEY POST /api/v1/sign '{"platformId":…}'
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
const [base, keyFile, tokenFile, serviceKey, authorityKey, method, path, body = ''] = args;
if (args.length < 7 || args.length > 8) {
  process.stderr.write(
    'Usage: node signed-request.mjs URL KEY_FILE TOKEN_FILE SERVICE_KEY AUTHORITY_KEY METHOD PATH [BODY]\nThe two keys are public keys in base58. Quote the body: it is one argument.\n',
  );
  process.exit(1);
}

// Protocol buffers: number and wire type, length, value. Lengths here take one or two bytes.
const length = (n) => Buffer.from(n < 128 ? [n] : [(n % 128) + 128, n >> 7]);
const bytesField = (number, value) => Buffer.concat([Buffer.from([number * 8 + 2]), length(value.length), value]);
const doubleField = (number, value) => Buffer.concat([Buffer.from([number * 8 + 1]), double(value)]);
const double = (value) => (({ buffer }) => Buffer.from(buffer))(new Float64Array([value]));
const decodeFields = (message) => {
  const fields = {};
  for (let at = 0; at < message.length; ) {
    const number = message[at++] >> 3;
    const size = message[at] < 128 ? message[at++] : (message[at++] % 128) + message[at++] * 128;
    fields[number] = message.subarray(at, at + size);
    at += size;
  }
  return fields;
};

// Building blocks of signed content.
const uint32 = (n) => Buffer.from([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
const lengthPrefixed = (bytes) => Buffer.concat([uint32(bytes.length), bytes]);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const domain = (kind) => Buffer.from(`signing-service/v1/${kind}\0`);

// Private keys: a seed of 64 hex digits, or PKCS#8 PEM of openssl genpkey. Public keys: base58.
const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const base58 = (text) =>
  Buffer.from(
    [...text]
      .reduce((n, c) => n * 58n + BigInt(DIGITS.indexOf(c)), 0n)
      .toString(16)
      .padStart(64, '0'),
    'hex',
  );
const pkcs8Key = (text) =>
  /^[0-9a-f]{64}$/i.test(text)
    ? { key: Buffer.from(`302e020100300506032b657004220420${text}`, 'hex'), format: 'der', type: 'pkcs8' }
    : { key: text, format: 'pem' };
const privateKey = (file) => {
  const text = readFileSync(file, 'utf8').trim();
  try {
    const key = createPrivateKey(pkcs8Key(text));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The message below says what to do; OpenSSL's does not.
  }
  process.stderr.write(
    `${file} is not a usable Ed25519 private key: it must be 64 hex digits, or PKCS#8 PEM without a passphrase, as written by \`openssl genpkey -algorithm ed25519\`.\n`,
  );
  process.exit(1);
};
const publicKey = (bytes) =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' });

// The request.
const token = Buffer.from(readFileSync(tokenFile, 'utf8').trim(), 'base64');
const nonce = randomBytes(16);
const claims = Buffer.concat([
  bytesField(1, token),
  bytesField(2, base58(serviceKey)),
  doubleField(3, Date.now() / 1000),
  bytesField(4, nonce),
]);
const parts = [
  domain('request'),
  ...[claims, method, path].map((part) => lengthPrefixed(Buffer.from(part))),
  sha256(body),
];
const signature = sign(null, Buffer.concat(parts), privateKey(keyFile));
const message = Buffer.concat([claims, bytesField(5, signature)]);
const response = await fetch(base + path, {
  method,
  headers: { 'Signing-Request-Auth': message.toString('base64'), 'Content-Type': 'application/json' },
  ...(body !== '' && { body }),
});
const text = Buffer.from(await response.arrayBuffer());

// The response: a valid token of this service, signed by the authority; the same nonce; and a
// signature over request and response.
const info = decodeFields(Buffer.from(response.headers.get('Signing-Response-Auth') ?? '', 'base64'));
const service = decodeFields(info[1] ?? Buffer.alloc(0));
const tokenContent = Buffer.concat([
  domain('access-token'),
  ...[1, 2, 3].map((n) => bytesField(n, service[n] ?? Buffer.alloc(0))),
]);
const responseClaims = Buffer.concat([1, 2].map((n) => bytesField(n, info[n] ?? Buffer.alloc(0))));
const content = Buffer.concat([
  domain('response'),
  lengthPrefixed(responseClaims),
  sha256(message),
  uint32(response.status),
  sha256(text),
]);
const isTrusted =
  info[3] !== undefined &&
  service[2].equals(base58(serviceKey)) &&
  info[2].equals(nonce) &&
  Date.now() < Date.parse(service[3].toString()) &&
  verify(null, tokenContent, publicKey(base58(authorityKey)), service[4]) &&
  verify(null, content, publicKey(service[2]), info[3]);

process.stdout.write(
  `${response.status} ${isTrusted ? 'authenticated response' : 'UNAUTHENTICATED RESPONSE'}\n${text}\n`,
);
process.exitCode = response.ok && isTrusted ? 0 : 1;

// Sends one request as a client with an access token, and checks that the answer is the service's: docs/AUTHENTICATION.md in code, with nothing but Node 20.
//
//   node signed-request.mjs http://127.0.0.1:8080 desk-1.key desk-1.token SERVICE_KEY AUTHORITY_KEY POST /api/v1/sign '{"platformId":…}'
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';

const given = process.argv.slice(2);
const [base, keyFile, tokenFile, serviceKey, authorityKey, method, path, body = ''] = given;
if (given.length < 7 || given.length > 8) {
  process.stderr.write(
    'Usage: node signed-request.mjs URL KEY_FILE TOKEN_FILE SERVICE_KEY AUTHORITY_KEY METHOD PATH [BODY]\nThe two keys are public ones in base58; the body is one argument: quote it.\n',
  );
  process.exit(1);
}

// Protocol buffers: a field is its number and wire type, then its value; here every length is one or two bytes.
const length = (n) => Buffer.from(n < 128 ? [n] : [(n % 128) + 128, n >> 7]);
const bytesField = (number, value) => Buffer.concat([Buffer.from([number * 8 + 2]), length(value.length), value]);
const doubleField = (number, value) => Buffer.concat([Buffer.from([number * 8 + 1]), double(value)]);
const double = (value) => (({ buffer }) => Buffer.from(buffer))(new Float64Array([value]));
const fieldsOf = (message) => {
  const fields = {};
  for (let at = 0; at < message.length; ) {
    const number = message[at++] >> 3;
    const size = message[at] < 128 ? message[at++] : (message[at++] % 128) + message[at++] * 128;
    fields[number] = message.subarray(at, at + size);
    at += size;
  }
  return fields;
};

// What is signed.
const uint32 = (n) => Buffer.from([n >>> 24, (n >>> 16) & 255, (n >>> 8) & 255, n & 255]);
const withLength = (bytes) => Buffer.concat([uint32(bytes.length), bytes]);
const sha256 = (bytes) => createHash('sha256').update(bytes).digest();
const domain = (kind) => Buffer.from(`signing-service/v1/${kind}\0`);

// Keys: a seed of 64 hex digits, or PKCS#8 in PEM, as openssl genpkey writes it; public keys in base58.
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
    // What is no key, or under a passphrase, is told below: OpenSSL's message would not say what to do.
  }
  process.stderr.write(
    `${file} holds no Ed25519 private key that can be used: it has to be 64 hex digits, or PKCS#8 in PEM without a passphrase, as \`openssl genpkey -algorithm ed25519\` writes it.\n`,
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
const parts = [domain('request'), ...[claims, method, path].map((part) => withLength(Buffer.from(part))), sha256(body)];
const signature = sign(null, Buffer.concat(parts), privateKey(keyFile));
const message = Buffer.concat([claims, bytesField(5, signature)]);
const answer = await fetch(base + path, {
  method,
  headers: { 'Signing-Request-Auth': message.toString('base64'), 'Content-Type': 'application/json' },
  ...(body !== '' && { body }),
});
const text = Buffer.from(await answer.arrayBuffer());

// The answer: a token of the service that was asked, signed by the authority and still good; the same nonce; and a signature over this request and this answer.
const said = fieldsOf(Buffer.from(answer.headers.get('Signing-Response-Auth') ?? '', 'base64'));
const service = fieldsOf(said[1] ?? Buffer.alloc(0));
const tokenContent = Buffer.concat([
  domain('access-token'),
  ...[1, 2, 3].map((n) => bytesField(n, service[n] ?? Buffer.alloc(0))),
]);
const answerClaims = Buffer.concat([1, 2].map((n) => bytesField(n, said[n] ?? Buffer.alloc(0))));
const content = Buffer.concat([
  domain('response'),
  withLength(answerClaims),
  sha256(message),
  uint32(answer.status),
  sha256(text),
]);
const isBelieved =
  said[3] !== undefined &&
  service[2].equals(base58(serviceKey)) &&
  said[2].equals(nonce) &&
  Date.now() < Date.parse(service[3].toString()) &&
  verify(null, tokenContent, publicKey(base58(authorityKey)), service[4]) &&
  verify(null, content, publicKey(service[2]), said[3]);

process.stdout.write(
  `${answer.status} ${isBelieved ? 'from the service that was asked' : 'from nobody knows whom'}\n${text}\n`,
);
process.exitCode = answer.ok && isBelieved ? 0 : 1;

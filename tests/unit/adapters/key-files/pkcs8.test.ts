import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import { decodePkcs8, type PemCurve } from '../../../../src/adapters/key-files/pkcs8.ts';
import { decodedText, thrownBy } from './decoder-outcomes.ts';
import * as openssl from './openssl-keys.ts';

const decode = (text: string, curve?: PemCurve): string =>
  decodedText((input, output) => decodePkcs8(input, output, curve), text).toString('hex');
const refusal = (text: string, curve?: PemCurve): Error => thrownBy(() => decode(text, curve));
const derOf = (pem: string): Buffer => Buffer.from(pem.replace(/-----[A-Z0-9 ]+-----|\n/g, ''), 'base64');
const pemOf = (der: Buffer, label = 'PRIVATE KEY'): string =>
  `-----BEGIN ${label}-----\n${der.toString('base64')}\n-----END ${label}-----\n`;
const jwkPrivateKey = (key: KeyObject): string =>
  Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url').toString('hex');

/** RFC 8410 §10.3: the same private key without, and with attributes and public key. */
const RFC8410_PRIVATE_KEY = 'd4ee72dbf913584ad5b6d8f1f769f8ad3afe7c28cbf1d4fbe097a88f44755842';
const RFC8410_V1 = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
-----END PRIVATE KEY-----
`;
const RFC8410_V2 = `-----BEGIN PRIVATE KEY-----
MHICAQEwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC
oB8wHQYKKoZIhvcNAQkJFDEPDA1DdXJkbGUgQ2hhaXJzgSEAGb9ECWmEzf6FQbrB
Z9w7lshQhqowtrbLDFw4rXAxZuE=
-----END PRIVATE KEY-----
`;

describe('decodePkcs8', () => {
  it('reads the output of openssl', () => {
    expect(decode(openssl.ED25519_PKCS8)).to.equal(openssl.PRIVATE_KEYS.ed25519);
    expect(decode(openssl.SECP256K1_PKCS8)).to.equal(openssl.PRIVATE_KEYS.secp256k1Pkcs8);
    for (const pem of [
      openssl.SECP256K1_SEC1_WITH_PARAMETERS,
      openssl.SECP256K1_SEC1_COMPRESSED,
      openssl.SECP256K1_SEC1_WITHOUT_PUBLIC_KEY,
      openssl.SECP256K1_PKCS8_WITHOUT_PUBLIC_KEY,
    ]) {
      expect(decode(pem)).to.equal(openssl.PRIVATE_KEYS.secp256k1Sec1);
    }
  });

  it('reads P-256 keys of openssl, and rejects them where another curve is required', () => {
    expect(decode(openssl.P256_PKCS8, 'p256')).to.equal(jwkPrivateKey(createPrivateKey(openssl.P256_PKCS8)));
    for (const pem of [openssl.P256_SEC1, openssl.P256_SEC1_WITH_PARAMETERS]) {
      const sec1 = pem.slice(pem.indexOf('-----BEGIN EC PRIVATE'));
      expect(decode(pem)).to.equal(jwkPrivateKey(createPrivateKey(sec1)));
      expect(refusal(pem, 'secp256k1').message).to.contain('for P-256, but one for secp256k1');
    }
    expect(refusal(openssl.SECP256K1_PKCS8, 'p256').message).to.contain('for secp256k1, but one for P-256');
  });

  it('rejects a P-256 key with the public key of another one, or with the parameters of another curve', () => {
    const der = derOf(openssl.P256_SEC1);
    der[der.length - 1] = Number(der.at(-1)) ^ 1;
    expect(refusal(pemOf(der, 'EC PRIVATE KEY')).message).to.contain('does not belong to the private key');
    const start = openssl.SECP256K1_SEC1_WITH_PARAMETERS.split('-----BEGIN EC PRIVATE')[0];
    expect(refusal(`${start}${openssl.P256_SEC1}`).message).to.contain('names two different curves');
  });

  it('reads the examples of RFC 8410 §10.3', () => {
    expect(decode(RFC8410_V1)).to.equal(RFC8410_PRIVATE_KEY);
    expect(decode(RFC8410_V2)).to.equal(RFC8410_PRIVATE_KEY);
  });

  it('reads lines of any length with LF or CRLF, with or without a final newline', () => {
    for (const pem of [openssl.ED25519_PKCS8, openssl.SECP256K1_SEC1_WITH_PARAMETERS]) {
      const key = decode(pem);
      expect(decode(pem.trimEnd())).to.equal(key);
      expect(decode(pem.replaceAll('\n', '\r\n'))).to.equal(key);
    }
    expect(decode(pemOf(derOf(openssl.SECP256K1_PKCS8)))).to.equal(openssl.PRIVATE_KEYS.secp256k1Pkcs8);
  });

  it('reports that a key is encrypted', () => {
    expect(refusal(openssl.ED25519_ENCRYPTED).message).to.contain('encrypted').and.to.contain('decrypt it first');
    expect(refusal(openssl.SECP256K1_ENCRYPTED).message).to.contain('encrypted').and.to.contain('decrypt it first');
  });

  it('names the kind of key that it has, and the one that is required', () => {
    const exported = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1') =>
      key.export({ type, format: 'pem' }).toString();
    const curveKey = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve }).privateKey;
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
    const pss = generateKeyPairSync('rsa-pss', { modulusLength: 1024 }).privateKey;
    const kinds: readonly (readonly [string, string])[] = [
      ['for Ed25519', openssl.ED25519_PKCS8],
      ['for X25519', exported(generateKeyPairSync('x25519').privateKey, 'pkcs8')],
      ['for Ed448', exported(generateKeyPairSync('ed448').privateKey, 'pkcs8')],
      ['for RSA', exported(rsa, 'pkcs8')],
      ['for RSA', exported(rsa, 'pkcs1')],
      ['for RSA-PSS', exported(pss, 'pkcs8')],
      ['for P-384', exported(curveKey('P-384'), 'pkcs8')],
      ['for P-384', exported(curveKey('P-384'), 'sec1')],
      ['of another kind', exported(curveKey('brainpoolP256r1'), 'pkcs8')],
      ['of another kind', exported(curveKey('brainpoolP256r1'), 'sec1')],
    ];
    for (const [found, pem] of kinds) {
      expect(refusal(pem, 'secp256k1').message).to.equal(`it has a key ${found}, but one for secp256k1 is required`);
    }
  });

  it('names the curve of EC parameters, as openssl ecparam -genkey writes them', () => {
    // OID 1.3.132.0.34 (RFC 5480 §2.1.1.1).
    const parameters = pemOf(Buffer.from('06052b81040022', 'hex'), 'EC PARAMETERS');
    const key = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ type: 'sec1', format: 'pem' });
    expect(refusal(`${parameters}${key}`, 'secp256k1').message).to.equal(
      'it has a key for P-384, but one for secp256k1 is required',
    );
  });

  it('rejects parameters of the algorithm Ed25519, which has none', () => {
    const withNull = `3030020100300706032b6570050004220420${openssl.PRIVATE_KEYS.ed25519}`;
    expect(refusal(pemOf(Buffer.from(withNull, 'hex')), 'ed25519').message).to.contain('unusual parameters');
  });

  it('rejects every changed byte outside the private key', () => {
    for (const [pem, privateKey] of [
      [openssl.ED25519_PKCS8, openssl.PRIVATE_KEYS.ed25519],
      [openssl.SECP256K1_PKCS8_WITHOUT_PUBLIC_KEY, openssl.PRIVATE_KEYS.secp256k1Sec1],
    ] as const) {
      const der = derOf(pem);
      const start = der.indexOf(Buffer.from(privateKey, 'hex'));
      const structure = [...der.keys()].filter((index) => index < start || index >= start + 32);
      expect(structure).to.have.length(der.length - 32);
      for (const index of structure) {
        for (const bit of [1, 2, 128]) {
          const changed = Buffer.from(der);
          changed[index] = (der[index] ?? 0) ^ bit;
          expect(refusal(pemOf(changed)).name, `byte ${index}, bit ${bit}`).to.equal('MalformedSecretError');
        }
      }
    }
  });

  it('rejects DER that is truncated or has trailing bytes', () => {
    for (const [pem, label] of [
      [RFC8410_V2, 'PRIVATE KEY'],
      [openssl.SECP256K1_PKCS8, 'PRIVATE KEY'],
      [openssl.SECP256K1_SEC1_WITHOUT_PUBLIC_KEY, 'EC PRIVATE KEY'],
    ] as const) {
      const der = derOf(pem);
      for (let length = 0; length < der.length; length += 1) {
        expect(refusal(pemOf(der.subarray(0, length), label)).name, `${length} bytes`).to.equal('MalformedSecretError');
      }
      expect(refusal(pemOf(Buffer.concat([der, Buffer.alloc(1)]), label)).message).to.contain('malformed DER');
    }
  });

  it('rejects a length that is not in its shortest form', () => {
    const der = derOf(openssl.ED25519_PKCS8);
    for (const length of ['812e', '82002e', '8300002e', '80']) {
      const header = Buffer.from(`30${length}`, 'hex');
      expect(refusal(pemOf(Buffer.concat([header, der.subarray(2)]))).message).to.contain('malformed DER');
    }
  });

  it('rejects private keys of the wrong length', () => {
    const seed = openssl.PRIVATE_KEYS.ed25519;
    const short = `302d020100300506032b65700421041f${seed.slice(2)}`;
    const long = `302f020100300506032b657004230421${seed}00`;
    for (const hex of [short, long]) {
      expect(refusal(pemOf(Buffer.from(hex, 'hex'))).message).to.contain('does not have 32 bytes');
    }
  });

  it('rejects an Ed25519 public key that does not match the private key', () => {
    const der = derOf(RFC8410_V2);
    der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
    expect(refusal(pemOf(der)).message).to.contain('does not belong to the private key');
    const unusedBits = derOf(RFC8410_V2);
    unusedBits[der.length - 33] = 1;
    expect(refusal(pemOf(unusedBits)).message).to.contain('does not belong to the private key');
  });

  it('rejects a version 1 key with a public key', () => {
    const der = derOf(RFC8410_V2);
    der[4] = 0;
    expect(refusal(pemOf(der)).message).to.contain('malformed DER');
  });

  it('rejects a secp256k1 key that names P-256 inside, and one of version 1', () => {
    const inner = `30310201010420${openssl.PRIVATE_KEYS.secp256k1Sec1}a00a06082a8648ce3d030107`;
    const algorithm = '301006072a8648ce3d020106052b8104000a';
    const der = Buffer.from(`304a020100${algorithm}0433${inner}`, 'hex');
    expect(refusal(pemOf(der)).message).to.contain('names two different curves');
    const later = Buffer.from(`304e020101${algorithm}0433${inner}81020004`, 'hex');
    expect(refusal(pemOf(later)).message).to.contain('unknown version');
  });

  for (const [form, pem] of [
    ['PKCS#8', openssl.SECP256K1_PKCS8],
    [
      'SEC1',
      openssl.SECP256K1_SEC1_WITH_PARAMETERS.slice(
        openssl.SECP256K1_SEC1_WITH_PARAMETERS.indexOf('-----BEGIN EC PRIV'),
      ),
    ],
  ] as const) {
    it(`rejects a secp256k1 public key that does not match the private key, in ${form}`, () => {
      const label = form === 'SEC1' ? 'EC PRIVATE KEY' : 'PRIVATE KEY';
      const der = derOf(pem);
      expect(() => decodedText(decodePkcs8, pemOf(der, label), 32)).not.to.throw();
      der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
      expect(refusal(pemOf(der, label)).message).to.contain('does not belong to the private key');
    });
  }

  it('rejects a secp256k1 public key of unknown form', () => {
    const der = derOf(openssl.SECP256K1_PKCS8);
    const point = der.length - 65;
    der[point] = 5;
    expect(refusal(pemOf(der)).message).to.contain('public key in it is malformed');
  });

  it('rejects SEC1 without a curve name', () => {
    const der = Buffer.from(`30250201010420${openssl.PRIVATE_KEYS.secp256k1Sec1}`, 'hex');
    expect(refusal(pemOf(der, 'EC PRIVATE KEY')).message).to.contain('does not name the curve of its key');
  });

  it('rejects text around or inside the block', () => {
    const pem = openssl.ED25519_PKCS8;
    const [begin = '', body = '', end = ''] = pem.split('\n');
    const refused: readonly (readonly [string, string])[] = [
      ['nothing', ''],
      ['a newline in front', `\n${pem}`],
      ['a second newline behind', `${pem}\n`],
      ['parameters without a key', openssl.SECP256K1_SEC1_WITH_PARAMETERS.split('\n').slice(0, 3).join('\n')],
      [
        'parameters before another block',
        `${openssl.SECP256K1_SEC1_WITH_PARAMETERS.split('-----BEGIN EC PRIV')[0]}${pem}`,
      ],
      ['an empty line after the begin line', `${begin}\n\n${body}\n${end}\n`],
      ['a blank inside the body', `${begin}\n${body.slice(0, 8)} ${body.slice(8)}\n${end}\n`],
      ['a begin line that does not stand alone', `${begin}${body}\n${end}\n`],
      ['no body', `${begin}\n${end}\n`],
      ['base64 that is not padded', `${begin}\n${body.slice(0, -1)}\n${end}\n`],
    ];
    for (const [what, text] of refused) expect(refusal(text).name, what).to.equal('MalformedSecretError');
  });
});

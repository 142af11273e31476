import { expect } from 'chai';
import {
  computeAddress,
  concat,
  decodeRlp,
  encodeRlp,
  getBytes,
  hashAuthorization,
  hexlify,
  keccak256,
  recoverAddress,
  Signature,
  SigningKey,
  Transaction,
  TypedDataEncoder,
  toBeArray,
  toUtf8Bytes,
  verifyMessage,
} from 'ethers';
import fc from 'fast-check';
import { Secp256k1Signer } from '../../src/adapters/signing/secp256k1-signer.ts';
import type { JsonObject } from '../../src/domain/model/json.ts';
import type { PayloadRule } from '../../src/domain/model/payload.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { anyText } from './any-text.ts';
import { TRANSACTION_KINDS, unsignedTransaction } from './transaction-arbitraries.ts';

const KEY = Buffer.alloc(32, 7);
const SIGNERS = [new Secp256k1Signer('eip191'), new Secp256k1Signer('eip712'), new Secp256k1Signer('hyperliquid-l1')];
const [PERSONAL, TYPED] = SIGNERS as [Secp256k1Signer, Secp256k1Signer];
const ACCOUNT = computeAddress(PERSONAL.publicKey(KEY));

/** Recovering a signer takes milliseconds. */
const SOME = { numRuns: 2 };

const bytes = fc.uint8Array({ maxLength: 200 });

/** Typed data with one text and a domain name. */
const typedData = fc.record({ name: anyText(), text: anyText() });
const TYPES = { Note: [{ name: 'text', type: 'string' }] };

function signed(signer: Secp256k1Signer, rule: PayloadRule, data: JsonObject): string {
  const outcome = buildPayload(data, rule, payloadContext());
  if (!outcome.ok) throw new Error(`${outcome.refusal.path} ${outcome.refusal.message}`);
  return signer.sign(KEY, outcome.value.bytes, '0x-hex');
}

/** Signs hex with an eip191 account under the rule `raw`. */
function signedRaw(hex: string): string {
  return signed(PERSONAL, { rule: 'raw' }, { hex });
}

/** Signs a note with an eip712 account under the rule `typed-data`. */
function signedNote(name: string, text: string): string {
  const data = { domain: { name }, types: TYPES, primaryType: 'Note', message: { text } };
  return signed(TYPED, { rule: 'typed-data' }, data);
}

/**
 * Recovers both possible signers of a transaction (parity 0 and 1), since each kind encodes v
 * differently.
 */
function signersOf(transaction: Transaction, signature: string): readonly (string | null)[] {
  const { r, s } = Signature.from(signature);
  return ([0, 1] as const).map((yParity) => {
    const claimed = transaction.clone();
    claimed.signature = Signature.from({ r, s, yParity });
    return claimed.from;
  });
}

/**
 * A transaction's signature is over the Keccak-256 of an RLP list (legacy: first byte at least
 * 0xc0) or of a type and an RLP list (EIP-2718: types 0x00 to 0x7f). Messages signed here begin
 * with 0x19 0x45 or 0x19 0x01 (EIP-191). 0x19 begins no RLP list and is no known type, and neither
 * 0x45 nor 0x01 begins an RLP list. A signature valid for both needs a collision of Keccak-256.
 */
describe('Domain separation of secp256k1 accounts', () => {
  it('eip191 signs 0x19, "Ethereum Signed Message:", a newline, the length and the message', () => {
    fc.assert(
      fc.property(bytes, (message) => {
        const preimage = concat([toUtf8Bytes(`\x19Ethereum Signed Message:\n${message.length}`), message]);
        expect(recoverAddress(keccak256(preimage), PERSONAL.sign(KEY, message, '0x-hex'))).to.equal(ACCOUNT);
      }),
      SOME,
    );
  });

  it('eip712 signs 0x19 0x01 and two hashes, and rejects other messages', () => {
    fc.assert(
      fc.property(typedData, bytes, ({ name, text }, other) => {
        const preimage = TypedDataEncoder.encode({ name }, TYPES, { text });
        expect(preimage).to.match(/^0x1901[0-9a-f]{128}$/);
        expect(recoverAddress(keccak256(preimage), signedNote(name, text))).to.equal(ACCOUNT);
        expect(() => TYPED.sign(KEY, other, 'hex')).to.throw('Not a message that eip712 signs');
      }),
      SOME,
    );
  });

  it('no transaction type starts with the prefix of either message', () => {
    fc.assert(
      fc.property(fc.constantFrom('1945', '1901'), bytes, (beginning, rest) => {
        const preimage = concat([`0x${beginning}`, rest, '0x00']);
        expect(() => Transaction.from(preimage)).to.throw(/unsupported transaction type/);
        for (const given of [preimage, `0x${preimage.slice(4)}`]) {
          expect(isRlpList(given), given).to.equal(false);
        }
      }),
    );
  });

  for (const kind of TRANSACTION_KINDS) {
    describe(`a transaction, ${kind}`, () => {
      it('is signed as an RLP list, or as a type other than 0x19 and an RLP list', () => {
        fc.assert(
          fc.property(unsignedTransaction(kind), ({ type, unsignedSerialized }) => {
            const list = type === 0 ? unsignedSerialized : `0x${unsignedSerialized.slice(4)}`;
            expect(isRlpList(list)).to.equal(true);
            expect(getBytes(unsignedSerialized)[0]).to.satisfy((first: number) => first >= 0xc0 || first === type);
            expect(type).to.not.equal(0x19);
          }),
        );
      });

      it('has no valid signature of an eip191 account over its raw bytes or hash', () => {
        fc.assert(
          fc.property(unsignedTransaction(kind), (transaction) => {
            for (const given of [transaction.unsignedSerialized, transaction.unsignedHash]) {
              expect(signersOf(transaction, signedRaw(given))).to.not.include(ACCOUNT);
            }
            const right = new SigningKey(KEY).sign(transaction.unsignedHash).serialized;
            expect(signersOf(transaction, right), 'a signature that is valid').to.include(ACCOUNT);
          }),
          SOME,
        );
      });

      it('has no valid signature of an eip712 or hyperliquid-l1 account', () => {
        fc.assert(
          fc.property(unsignedTransaction(kind), (transaction) => {
            const { unsignedSerialized, unsignedHash } = transaction;
            for (const given of [unsignedSerialized, unsignedHash, concat(['0x1901', unsignedHash])]) {
              for (const signer of SIGNERS.slice(1))
                expect(() => signer.sign(KEY, getBytes(given), 'hex')).to.throw(Error);
            }
            expect(signersOf(transaction, signedNote(unsignedSerialized, unsignedHash))).to.not.include(ACCOUNT);
          }),
          SOME,
        );
      });
    });
  }

  it('an EIP-7702 authorization has no valid signature over its raw preimage or hash', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (chainId, nonce) => {
        const authorization = { chainId, nonce, address: `0x${'ab'.repeat(20)}` };
        const preimage = concat(['0x05', encodeRlp([toBeArray(chainId), authorization.address, toBeArray(nonce)])]);
        const hash = hashAuthorization(authorization);
        expect(keccak256(preimage)).to.equal(hash);
        for (const given of [preimage, hash]) expect(recoverAddress(hash, signedRaw(given))).to.not.equal(ACCOUNT);
      }),
      SOME,
    );
  });

  it('rule raw prefixes digests, personal messages and typed data for an eip191 account', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), typedData, (digest, { name, text }) => {
        const raw = signedRaw(hexlify(digest));
        expect(verifyMessage(digest, raw)).to.equal(ACCOUNT);
        expect(recoverAddress(digest, raw)).to.not.equal(ACCOUNT);
        expect(recoverAddress(keccak256(digest), raw)).to.not.equal(ACCOUNT);

        const personal = concat([toUtf8Bytes('\x19Ethereum Signed Message:\n32'), digest]);
        expect(verifyMessage(digest, signedRaw(personal))).to.not.equal(ACCOUNT);

        const encoded = TypedDataEncoder.encode({ name }, TYPES, { text });
        expect(recoverAddress(keccak256(encoded), signedRaw(encoded))).to.not.equal(ACCOUNT);
        expect(recoverAddress(keccak256(encoded), signedRaw(keccak256(encoded)))).to.not.equal(ACCOUNT);
      }),
      SOME,
    );
  });

  it('an eip712 account signs no personal message, not even one contained in typed data', () => {
    fc.assert(
      fc.property(typedData, ({ name, text }) => {
        const signature = signedNote(name, text);
        expect(verifyMessage(text, signature)).to.not.equal(ACCOUNT);
        const encoded = TypedDataEncoder.encode({ name }, TYPES, { text });
        for (const message of [encoded, keccak256(encoded)]) {
          expect(verifyMessage(getBytes(message), signature)).to.not.equal(ACCOUNT);
        }
      }),
      SOME,
    );
  });
});

function isRlpList(hex: string): boolean {
  try {
    return Array.isArray(decodeRlp(hex));
  } catch {
    return false;
  }
}

import { expect } from 'chai';
import { Ed25519Signer } from '../../../../src/adapters/signing/ed25519-signer.ts';
import { HmacSigner } from '../../../../src/adapters/signing/hmac-signer.ts';
import { bs58 } from '../../../harness/base58.ts';
import { readProjectFile } from '../../../project-root.ts';

/** A case of Project Wycheproof (https://github.com/C2SP/wycheproof), in hex: the fields in use. */
interface WycheproofCase {
  readonly tcId: number;
  readonly comment: string;
  readonly flags: readonly string[];
  readonly msg: string;
  readonly result: 'valid' | 'invalid';
}

interface MacGroup {
  /** Bits of the tags. */
  readonly tagSize: number;
  readonly tests: readonly (WycheproofCase & { readonly key: string; readonly tag: string })[];
}

interface EddsaGroup {
  readonly publicKey: string;
  readonly tests: readonly (WycheproofCase & { readonly sig: string })[];
}

interface WycheproofFile<Group> {
  readonly numberOfTests: number;
  readonly testGroups: readonly Group[];
}

function read<Group>(name: string): WycheproofFile<Group> {
  return JSON.parse(readProjectFile(`tests/vectors/${name}`));
}

function label({ tcId, flags, comment, result }: WycheproofCase): string {
  return `case ${tcId} (${flags.join(', ')}; ${comment}) is ${result}`;
}

describe('Project Wycheproof', () => {
  describe('HMAC-SHA256', () => {
    const { numberOfTests, testGroups } = read<MacGroup>('wycheproof-hmac-sha256.json');
    const cases = testGroups.flatMap(({ tagSize, tests }) => tests.map((test) => ({ ...test, tagSize })));
    const signer = new HmacSigner('hmac-sha256');

    it('has every valid tag, and accepts these alone, in full length', () => {
      expect(cases).to.have.length(numberOfTests).above(100);
      const wrong = cases.filter(({ key, msg, tag, tagSize, result }) => {
        const [secret, message] = [Buffer.from(key, 'hex'), Buffer.from(msg, 'hex')];
        const isMade = signer.sign(secret, message, 'hex').startsWith(tag);
        const isAccepted = signer.verifyWithSecret(secret, message, tag, 'hex');
        const isValid = result === 'valid';
        return isMade !== isValid || isAccepted !== (isValid && tagSize === 256);
      });
      expect(wrong.map(label)).to.deep.equal([]);
    });
  });

  describe('Ed25519', () => {
    const { numberOfTests, testGroups } = read<EddsaGroup>('wycheproof-ed25519.json');
    const cases = testGroups.flatMap(({ publicKey, tests }) => tests.map((test) => ({ ...test, publicKey })));
    const signer = new Ed25519Signer();

    it('accepts valid signatures and rejects malleable, truncated, extended and other invalid ones', () => {
      expect(cases).to.have.length(numberOfTests).above(100);
      const wrong = cases.filter(({ publicKey, msg, sig, result }) => {
        const key = bs58.encode(Buffer.from(publicKey, 'hex'));
        return signer.verify(key, Buffer.from(msg, 'hex'), sig, 'hex') !== (result === 'valid');
      });
      expect(wrong.map(label)).to.deep.equal([]);
    });
  });
});

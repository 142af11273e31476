import { expect } from 'chai';
import type { OpenedRing } from '../../../../../src/adapters/credentials/keyring/keyring.ts';
import { SealedKeyError } from '../../../../../src/adapters/credentials/sealed-key.ts';
import type { CredentialsContent } from '../../../../../src/domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { FixedWrappingKeys } from '../../../../doubles/fixed-wrapping-keys.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { plainLine, rejection, useWorkplace } from '../credentials-workplace.ts';
import { PROTECTED } from './protected-key-vector.ts';

const NONE = new Set<string>();
const EMPTY: CredentialsContent = { version: 1, platforms: [], accounts: [] };
const UNKNOWN = '0123456789abcdef';
const getId = (line: string) => line.split('.')[2] ?? '';

describe('Keyring', () => {
  const workplace = useWorkplace();
  const hexOf = (ring: OpenedRing, id: string) => ring.keyFor(id).use((key) => key.toString('hex'));

  it('opens every plain key of the ring by its id; the first one seals', async () => {
    const lines = [plainLine(), plainLine(), plainLine()];
    workplace().writeRing(...lines);
    const ids = workplace().ids();
    const ring = await workplace().keyring().openFor(NONE, 'do-not-ask');
    expect(ids.map((id) => hexOf(ring, id))).to.deep.equal(lines);
    expect((await workplace().keyring().openFirst(EMPTY)).id).to.equal(ids[0]);
  });

  it("names the ring's keys and the remedy for an unknown key", async () => {
    workplace().writeRing(plainLine(), plainLine());
    const ring = await workplace().keyring().openFor(NONE, 'do-not-ask');
    expect(ring.has(UNKNOWN)).to.equal(false);
    expect(() => ring.keyFor(UNKNOWN)).to.throw(
      SealedKeyError,
      `is sealed under master key ${UNKNOWN}, but ${workplace().masterKeyFile} contains ${workplace().ids().join(', ')}; after a rotation, deploy this file first`,
    );
  });

  it('keeps keys while they are in the ring, through refreshes, and forgets others', async () => {
    const keyring = workplace().keyring();
    const [first, second] = [plainLine(), plainLine()];
    workplace().writeRing(first, second);
    const before = await keyring.openFor(NONE, 'do-not-ask');
    const [kept, removed] = workplace()
      .ids()
      .map((id) => before.keyFor(id));
    await workplace().vault.refresh();
    workplace().writeRing(plainLine(), first);
    const after = await keyring.openFor(NONE, 'do-not-ask');
    expect(hexOf(after, kept?.id ?? '')).to.equal(first);
    expect(kept?.use((key) => key.toString('hex'))).to.equal(first);
    expect(() => removed?.use(() => undefined)).to.throw('does not have this key');
  });

  describe('of a wrapping key', () => {
    const wrappingKeys = new FixedWrappingKeys();
    const keyringOf = () => workplace().keyring(new TypedPassphrases(), wrappingKeys);
    beforeEach(() => {
      wrappingKeys.unavailable = null;
      wrappingKeys.decrypted = null;
    });

    /** Writes a ring of wrapped keys; returns their ids. */
    async function wrapRing(count = 1): Promise<readonly string[]> {
      const lines = await Promise.all(Array.from({ length: count }, () => workplace().wrappedLine(wrappingKeys)));
      workplace().writeRing(...lines);
      wrappingKeys.unwrapped = 0;
      return lines.map(getId);
    }

    it('calls the service once for each key that is needed, also while it is unavailable later', async () => {
      const [first = '', second = '', third = ''] = await wrapRing(3);
      const keyring = keyringOf();
      const ring = await keyring.openFor(new Set([first, third]), 'may-ask');
      expect(wrappingKeys.unwrapped).to.equal(2);
      expect(ring.keyFor(third).id).to.equal(third);
      expect(ring.has(second)).to.equal(true);
      wrappingKeys.unavailable = 'the service is down.';
      expect((await keyring.openFor(new Set([first]), 'do-not-ask')).keyFor(first).id).to.equal(first);
      const error = await rejection(keyring.openFor(new Set([second]), 'do-not-ask'));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.equal(`${workplace().masterKeyFile}: the service is down.`);
    });

    it('calls it at a reload under another master key, without a prompt', async () => {
      const keyring = keyringOf();
      await keyring.openFor(NONE, 'may-ask');
      const [id = ''] = await wrapRing();
      expect((await keyring.openFor(new Set([id]), 'do-not-ask')).keyFor(id).id).to.equal(id);
      expect(wrappingKeys.unwrapped).to.equal(1);
    });

    it('rejects another key than the line names, and another length', async () => {
      const [id = ''] = await wrapRing();
      for (const length of [32, 31]) {
        wrappingKeys.decrypted = Buffer.alloc(length, 7);
        const error = await rejection(keyringOf().openFor(new Set([id]), 'may-ask'));
        expect(error).to.be.instanceOf(OperatorError);
        expect(error.message).to.include(`decrypted master key ${id} to another master key`);
      }
    });
  });

  describe('with a passphrase', () => {
    const OTHER = 'quite another one';

    it('does not prompt when no sealed key needs it', async () => {
      workplace().writeRing(PROTECTED.text, plainLine());
      const [, plain = ''] = workplace().ids();
      const prompt = new TypedPassphrases(PROTECTED.passphrase);
      const ring = await workplace()
        .keyring(prompt)
        .openFor(new Set([plain]), 'may-ask');
      expect(ring.keyFor(plain).id).to.equal(plain);
      expect(prompt.questions).to.deep.equal([]);
    });

    it('does not prompt while serving: requires a restart and keeps opened keys', async () => {
      workplace().writeRing(PROTECTED.text);
      const prompt = new TypedPassphrases(PROTECTED.passphrase, OTHER);
      const keyring = workplace().keyring(prompt);
      await keyring.openFor(new Set([PROTECTED.id]), 'may-ask');
      const line = workplace().protectedLine(OTHER);
      for (const ring of [[line], [line, PROTECTED.text]]) {
        workplace().writeRing(...ring);
        const error = await rejection(keyring.openFor(new Set([getId(line)]), 'do-not-ask'));
        expect(error).to.be.instanceOf(OperatorError);
        expect(error.message)
          .to.include(`${workplace().masterKeyFile}: it contains master key ${getId(line)}`)
          .and.include('restart the service and type the passphrase');
      }
      const before = await keyring.openFor(new Set([PROTECTED.id]), 'do-not-ask');
      expect(hexOf(before, PROTECTED.id)).to.equal(PROTECTED.key.toString('hex'));
      expect(prompt.questions).to.have.lengthOf(1);
    });

    it('opens only the first key for sealing', async () => {
      workplace().writeRing(PROTECTED.text, workplace().protectedLine(OTHER));
      const prompt = new TypedPassphrases(PROTECTED.passphrase);
      expect((await workplace().keyring(prompt).openFirst(EMPTY)).id).to.equal(PROTECTED.id);
      expect(prompt.questions).to.have.lengthOf(1);
    });
  });
});

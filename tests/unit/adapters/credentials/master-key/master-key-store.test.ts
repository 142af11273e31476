import { chmodSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { MasterKeyRing } from '../../../../../src/adapters/credentials/master-key/master-key-ring.ts';
import { MasterKeyStore } from '../../../../../src/adapters/credentials/master-key/master-key-store.ts';
import { SealedKeyError } from '../../../../../src/adapters/credentials/sealed-key.ts';
import { KeyFileError } from '../../../../../src/adapters/key-files/secret-file.ts';
import { FixedWrappingKey } from '../../../../doubles/fixed-wrapping-key.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import {
  createMasterKeyFile,
  createWrappedKeyFile,
  loadMasterKey,
  rejection,
  useWorkplace,
  writeEnvelope,
} from '../credentials-workplace.ts';
import { WRAPPED } from './wrapped-key-vector.ts';

const NONE = new Set<string>();
const UNKNOWN = '0123456789abcdef';

describe('MasterKeyStore', () => {
  const workplace = useWorkplace();
  const rings: MasterKeyRing[] = [];
  afterEach(() => {
    for (const ring of rings.splice(0)) ring.close();
  });

  function kept(ring: MasterKeyRing): MasterKeyRing {
    rings.push(ring);
    return ring;
  }

  function idIn(file: string): string {
    const key = loadMasterKey(file);
    key.destroy();
    return key.id;
  }

  const bytesOf = (ring: MasterKeyRing, id: string) => ring.keyFor(id).use((key) => Buffer.from(key));

  /** Replaces the primary key by a wrapped one and returns its id. */
  function wrapPrimary(): string {
    writeFileSync(workplace().masterKeyFile, WRAPPED.text);
    return WRAPPED.id;
  }

  it('opens the primary, and a previous key in any encoding, by their ids', async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    const alone = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(alone.primaryId).to.equal(idIn(masterKeyFile));
    expect(bytesOf(alone, alone.primaryId).equals(readFileSync(masterKeyFile))).to.equal(true);
    writeFileSync(previousMasterKeyFile, `${WRAPPED.key.toString('hex')}\n`, { mode: 0o600 });
    const both = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(both.primaryId).to.equal(alone.primaryId);
    expect(bytesOf(both, WRAPPED.id).equals(WRAPPED.key)).to.equal(true);
  });

  it("names the files' ids and the remedy for an unknown key", async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    const alone = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(alone.isReadable(UNKNOWN)).to.equal(false);
    expect(() => alone.keyFor(UNKNOWN)).to.throw(
      SealedKeyError,
      `is sealed under master key ${UNKNOWN}, but ${masterKeyFile} contains ${alone.primaryId}; set SIGNING_MASTER_KEY_FILE to`,
    );
    expect(() => alone.keyFor(UNKNOWN)).to.throw(`put that key into ${previousMasterKeyFile}, which does not exist`);

    createMasterKeyFile(previousMasterKeyFile);
    const both = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(() => both.keyFor(UNKNOWN)).to.throw(
      SealedKeyError,
      `${masterKeyFile} contains ${alone.primaryId} and ${previousMasterKeyFile} contains ${idIn(previousMasterKeyFile)}; set SIGNING_PREVIOUS_MASTER_KEY_FILE`,
    );
  });

  const brokenPrevious: readonly (readonly [string, (file: string) => void, string])[] = [
    ['that holds no key', (file) => writeFileSync(file, 'not a key', { mode: 0o600 }), 'it contains no master key'],
    ['that is a link to nothing', (file) => symlinkSync('nowhere', file), 'it is a broken symbolic link'],
  ];
  for (const [name, make, message] of brokenPrevious) {
    it(`refuses a previous file ${name}, even if it is not needed`, async () => {
      const { previousMasterKeyFile } = workplace();
      make(previousMasterKeyFile);
      if (name.includes('others')) chmodSync(previousMasterKeyFile, 0o644);
      for (const open of [
        () => workplace().keeper().openFor(NONE, 'may-ask'),
        () => workplace().keeper().openPrimary(),
      ]) {
        const error = await rejection(open());
        expect(error).to.be.instanceOf(KeyFileError);
        expect(error.message).to.include(`${previousMasterKeyFile}: `).and.include(message);
      }
    });
  }

  it('does not replace a missing primary with the previous key, and names both', async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    renameSync(masterKeyFile, previousMasterKeyFile);
    const error = await rejection(workplace().keeper().openFor(NONE, 'may-ask'));
    expect(error).to.be.instanceOf(KeyFileError);
    expect(error.message)
      .to.include(`${masterKeyFile}: no master key; restore it`)
      .and.include(`${previousMasterKeyFile} exists, but contains the previous key`)
      .and.not.include('init');
  });

  it('returns the id of the current primary key without opening it', async () => {
    const masterKeys = workplace().keeper();
    expect(masterKeys.primaryId()).to.equal(idIn(workplace().masterKeyFile));
    wrapPrimary();
    expect(masterKeys.primaryId()).to.equal(WRAPPED.id);
  });

  describe('of a wrapping key', () => {
    const wrappingKey = new FixedWrappingKey();
    const keeper = () =>
      new MasterKeyStore(workplace().masterKeyFiles, new TypedPassphrases(), async () => wrappingKey);
    beforeEach(() => {
      wrappingKey.unwrapped = 0;
      wrappingKey.unavailable = null;
    });

    it('calls the service once, also while it is unavailable later', async () => {
      const id = await writeEnvelope(workplace().masterKeyFile, wrappingKey);
      wrappingKey.unwrapped = 0;
      const masterKeys = keeper();
      kept(await masterKeys.openFor(new Set([id]), 'may-ask'));
      wrappingKey.unavailable = 'the service is down';
      const again = kept(await masterKeys.openFor(new Set([id]), 'do-not-ask'));
      expect(again.primary.id).to.equal(id);
      expect(wrappingKey.unwrapped).to.equal(1);
      masterKeys.close();
      const error = await rejection(masterKeys.openFor(new Set([id]), 'do-not-ask'));
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message).to.equal(`${workplace().masterKeyFile}: the service is down`);
    });

    it('calls it again at a reload under another master key, without a prompt', async () => {
      const masterKeys = keeper();
      kept(await masterKeys.openFor(NONE, 'may-ask'));
      const id = await writeEnvelope(workplace().masterKeyFile, wrappingKey);
      wrappingKey.unwrapped = 0;
      expect(kept(await masterKeys.openFor(new Set([id]), 'do-not-ask')).primary.id).to.equal(id);
      expect(wrappingKey.unwrapped).to.equal(1);
      masterKeys.close();
    });
  });

  it('gives each ring its own keys', async () => {
    const masterKeys = workplace().keeper();
    const [first, second] = [await masterKeys.openPrimary(), kept(await masterKeys.openPrimary())];
    first.close();
    first.close();
    expect(() => first.primary.use((key) => key[0])).to.throw('freed');
    expect(second.primary.use((key) => key.length)).to.equal(32);
  });

  describe('with a passphrase', () => {
    it('prompts once when a sealed key needs it, and not again until it is closed', async () => {
      const id = wrapPrimary();
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const masterKeys = workplace().keeper(prompt);
      const ring = kept(await masterKeys.openFor(new Set([id]), 'may-ask'));
      kept(await masterKeys.openFor(new Set([id]), 'do-not-ask'));
      expect(prompt.questions).to.deep.equal([`Passphrase for ${workplace().masterKeyFile}: `]);
      for (let time = 0; time < 2; time += 1) masterKeys.close();
      expect(bytesOf(ring, id).equals(WRAPPED.key)).to.equal(true);
      expect(await rejection(masterKeys.openFor(new Set([id]), 'do-not-ask'))).to.be.instanceOf(KeyFileError);
    });

    it('does not prompt when no sealed key needs it', async () => {
      wrapPrimary();
      createMasterKeyFile(workplace().previousMasterKeyFile);
      const previousId = idIn(workplace().previousMasterKeyFile);
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const ring = kept(
        await workplace()
          .keeper(prompt)
          .openFor(new Set([previousId]), 'may-ask'),
      );
      expect(ring.keyFor(previousId).id).to.equal(previousId);
      expect(ring.isReadable(WRAPPED.id)).to.equal(true);
      expect(prompt.questions).to.deep.equal([]);
    });

    it('does not prompt while serving: requires a restart and keeps stored keys', async () => {
      const id = wrapPrimary();
      const prompt = new TypedPassphrases(WRAPPED.passphrase, 'never asked for');
      const masterKeys = workplace().keeper(prompt);
      kept(await masterKeys.openFor(new Set([id]), 'may-ask'));

      renameSync(workplace().masterKeyFile, workplace().previousMasterKeyFile);
      const newId = createWrappedKeyFile(workplace().masterKeyFile, 'never asked for');
      const error = await rejection(masterKeys.openFor(new Set([newId]), 'do-not-ask'));
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message)
        .to.include(`${workplace().masterKeyFile}: it contains master key ${newId}`)
        .and.include('restart the service and type the passphrase');

      const before = kept(await masterKeys.openFor(new Set([id]), 'do-not-ask'));
      expect(bytesOf(before, id).equals(WRAPPED.key)).to.equal(true);
      expect(prompt.questions).to.have.lengthOf(1);
      masterKeys.close();
    });

    it('opens only the primary for sealing', async () => {
      wrapPrimary();
      createWrappedKeyFile(workplace().previousMasterKeyFile, 'quite another one');
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const masterKeys = workplace().keeper(prompt);
      expect(kept(await masterKeys.openPrimary()).primary.id).to.equal(WRAPPED.id);
      expect(prompt.questions).to.have.lengthOf(1);
      masterKeys.close();
    });
  });
});

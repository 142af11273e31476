import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/master-key/master-key.ts';
import type { MasterKeyRing } from '../../../../../src/adapters/credentials/master-key/master-key-ring.ts';
import {
  MasterKeyStore,
  VaultedMasterKeys,
} from '../../../../../src/adapters/credentials/master-key/master-key-store.ts';
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

  it('opens only the primary if there is no previous key', async () => {
    const { masterKeyFile } = workplace();
    const ring = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(ring.primaryId).to.equal(idIn(masterKeyFile));
    expect(bytesOf(ring, ring.primaryId).equals(readFileSync(masterKeyFile))).to.equal(true);
    expect(ring.primary).to.equal(ring.keyFor(ring.primaryId));
  });

  it('opens both by their ids if there is a previous key, in any encoding', async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    writeFileSync(previousMasterKeyFile, `${WRAPPED.key.toString('hex')}\n`, { mode: 0o600 });
    const ring = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(ring.primaryId).to.equal(idIn(masterKeyFile));
    expect(bytesOf(ring, WRAPPED.id).equals(WRAPPED.key)).to.equal(true);
  });

  it('opens both when they hold the same key', async () => {
    writeFileSync(workplace().previousMasterKeyFile, readFileSync(workplace().masterKeyFile), { mode: 0o600 });
    const ring = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(bytesOf(ring, ring.primaryId).equals(readFileSync(workplace().masterKeyFile))).to.equal(true);
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
    ['that others may read', (file) => writeFileSync(file, WRAPPED.key), 'chmod 600'],
    ['that holds no key', (file) => writeFileSync(file, 'not a key', { mode: 0o600 }), 'it contains no master key'],
    ['that is empty', (file) => writeFileSync(file, '', { mode: 0o600 }), 'it is empty'],
    ['that is a folder', (file) => mkdirSync(file), 'it is a folder'],
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

  it('suggests init if both are missing', async () => {
    rmSync(workplace().masterKeyFile);
    const error = await rejection(workplace().keeper().openPrimary());
    expect(error.message).to.include('if it never existed, run `signing-service init`');
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

    it('does not call it for a key that nothing is sealed under', async () => {
      await writeEnvelope(workplace().previousMasterKeyFile, wrappingKey);
      wrappingKey.unwrapped = 0;
      const { masterKeyFile } = workplace();
      kept(await keeper().openFor(new Set([idIn(masterKeyFile)]), 'may-ask'));
      expect(wrappingKey.unwrapped).to.equal(0);
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
    it('prompts once when a sealed key needs it, and not again later', async () => {
      const id = wrapPrimary();
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const masterKeys = workplace().keeper(prompt);
      for (const policy of ['may-ask', 'do-not-ask', 'may-ask'] as const) {
        const ring = kept(await masterKeys.openFor(new Set([id]), policy));
        expect(bytesOf(ring, id).equals(WRAPPED.key)).to.equal(true);
      }
      expect(prompt.questions).to.deep.equal([`Passphrase for ${workplace().masterKeyFile}: `]);
      masterKeys.close();
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

    it('tries the primary passphrase on the previous file, and prompts again only if needed', async () => {
      const id = wrapPrimary();
      const same = createWrappedKeyFile(workplace().previousMasterKeyFile, WRAPPED.passphrase);
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const masterKeys = workplace().keeper(prompt);
      const ring = kept(await masterKeys.openFor(new Set([id, same]), 'may-ask'));
      expect([ring.keyFor(id).id, ring.keyFor(same).id]).to.deep.equal([id, same]);
      expect(prompt.questions).to.have.lengthOf(1);
      masterKeys.close();

      rmSync(workplace().previousMasterKeyFile);
      const other = createWrappedKeyFile(workplace().previousMasterKeyFile, 'quite another one');
      const twoPrompts = new TypedPassphrases(WRAPPED.passphrase, 'quite another one');
      const second = workplace().keeper(twoPrompts);
      kept(await second.openFor(new Set([id, other]), 'may-ask'));
      expect(twoPrompts.questions).to.deep.equal([
        `Passphrase for ${workplace().masterKeyFile}: `,
        `Passphrase for ${workplace().previousMasterKeyFile}: `,
      ]);
      second.close();
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

    it('fails when prompting is impossible', async () => {
      const id = wrapPrimary();
      const error = await rejection(
        workplace()
          .keeper()
          .openFor(new Set([id]), 'may-ask'),
      );
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message).to.include(workplace().masterKeyFile).and.include('Nobody is here');
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

    it('wipes stored keys on close, which is idempotent; open rings stay usable', async () => {
      const id = wrapPrimary();
      const masterKeys = workplace().keeper(new TypedPassphrases(WRAPPED.passphrase, WRAPPED.passphrase));
      const ring = kept(await masterKeys.openFor(new Set([id]), 'may-ask'));
      masterKeys.close();
      masterKeys.close();
      expect(bytesOf(ring, id).equals(WRAPPED.key)).to.equal(true);
      expect(await rejection(masterKeys.openFor(new Set([id]), 'do-not-ask'))).to.be.instanceOf(KeyFileError);
      kept(await masterKeys.openFor(new Set([id]), 'may-ask'));
      masterKeys.close();
    });
  });
});

describe('VaultedMasterKeys', () => {
  const filled = (byte: number) => MasterKey.fill((key) => key.fill(byte));
  const bytesOf = (key: MasterKey | undefined) => key?.use((bytes) => bytes.toString('hex'));

  it('returns each stored key, any number of times', () => {
    const held = new VaultedMasterKeys();
    const [first, second] = [filled(1), filled(2)];
    held.store(first);
    held.store(second);
    held.store(first);
    first.destroy();
    for (let time = 0; time < 2; time += 1) {
      const opened = held.open(first.id);
      expect(bytesOf(opened)).to.equal('01'.repeat(32));
      expect(opened?.id).to.equal(first.id);
      opened?.destroy();
    }
    expect(bytesOf(held.open(second.id))).to.equal('02'.repeat(32));
    expect([held.has(first.id), held.has(second.id)]).to.deep.equal([true, true]);
    held.close();
  });

  it('returns no unknown keys, and none after close', () => {
    const held = new VaultedMasterKeys();
    expect(held.open('0011223344556677')).to.equal(undefined);
    const key = filled(3);
    held.store(key);
    held.close();
    held.close();
    expect([held.has(key.id), held.open(key.id)]).to.deep.equal([false, undefined]);
  });

  it('can store keys again after close', () => {
    const held = new VaultedMasterKeys();
    held.close();
    const key = filled(4);
    held.store(key);
    expect(bytesOf(held.open(key.id))).to.equal('04'.repeat(32));
    held.close();
  });
});

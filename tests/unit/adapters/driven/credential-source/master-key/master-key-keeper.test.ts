import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import type { MasterKeyRing } from '../../../../../../src/adapters/driven/credential-source/master-key/master-key-ring.ts';
import { SealedKeyError } from '../../../../../../src/adapters/driven/credential-source/sealed-key.ts';
import { KeyFileError } from '../../../../../../src/secure-memory/key-file-error.ts';
import { TypedPassphrases } from '../../../../../doubles/typed-passphrases.ts';
import {
  createMasterKeyFile,
  createWrappedKeyFile,
  loadMasterKey,
  rejection,
  useWorkplace,
} from '../credentials-workplace.ts';
import { WRAPPED } from './wrapped-key-vector.ts';

const NONE = new Set<string>();
const UNKNOWN = '0123456789abcdef';

describe('MasterKeyKeeper', () => {
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

  /** Puts a wrapped key in the place of the primary and returns its id. */
  function wrapPrimary(): string {
    writeFileSync(workplace().masterKeyFile, WRAPPED.text);
    return WRAPPED.id;
  }

  it('opens the primary alone where there is no previous key', async () => {
    const { masterKeyFile } = workplace();
    const ring = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(ring.primaryId).to.equal(idIn(masterKeyFile));
    expect(bytesOf(ring, ring.primaryId).equals(readFileSync(masterKeyFile))).to.equal(true);
    expect(ring.primary).to.equal(ring.keyFor(ring.primaryId));
  });

  it('opens both by their ids where there is a previous key, in any form', async () => {
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

  it('says which ids the files hold, and what to do, about a key that neither has', async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    const alone = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(alone.isReadable(UNKNOWN)).to.equal(false);
    expect(() => alone.keyFor(UNKNOWN)).to.throw(
      SealedKeyError,
      `is sealed under master key ${UNKNOWN}, but ${masterKeyFile} holds ${alone.primaryId}; set SIGNING_MASTER_KEY_FILE to`,
    );
    expect(() => alone.keyFor(UNKNOWN)).to.throw(`put that key into ${previousMasterKeyFile}, where there is none`);

    createMasterKeyFile(previousMasterKeyFile);
    const both = kept(await workplace().keeper().openFor(NONE, 'do-not-ask'));
    expect(() => both.keyFor(UNKNOWN)).to.throw(
      SealedKeyError,
      `${masterKeyFile} holds ${alone.primaryId} and ${previousMasterKeyFile} holds ${idIn(previousMasterKeyFile)}; set SIGNING_PREVIOUS_MASTER_KEY_FILE`,
    );
  });

  const brokenPrevious: readonly (readonly [string, (file: string) => void, string])[] = [
    ['that others may read', (file) => writeFileSync(file, WRAPPED.key), 'chmod 600'],
    ['that holds no key', (file) => writeFileSync(file, 'not a key', { mode: 0o600 }), 'it holds no master key'],
    ['that is empty', (file) => writeFileSync(file, '', { mode: 0o600 }), 'it is empty'],
    ['that is a folder', (file) => mkdirSync(file), 'it is a folder'],
    ['that is a link to nothing', (file) => symlinkSync('nowhere', file), 'it is a symbolic link to nothing'],
  ];
  for (const [name, make, message] of brokenPrevious) {
    it(`refuses a previous file ${name}, though nothing needs it`, async () => {
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

  it('does not take the previous key for the primary when that is missing, and says what each is', async () => {
    const { masterKeyFile, previousMasterKeyFile } = workplace();
    renameSync(masterKeyFile, previousMasterKeyFile);
    const error = await rejection(workplace().keeper().openFor(NONE, 'may-ask'));
    expect(error).to.be.instanceOf(KeyFileError);
    expect(error.message)
      .to.include(`${masterKeyFile}: there is no master key; restore it`)
      .and.include(`${previousMasterKeyFile} is there, but it holds the key before that one`)
      .and.not.include('init');
  });

  it('says to run init where there is neither', async () => {
    rmSync(workplace().masterKeyFile);
    const error = await rejection(workplace().keeper().openPrimary());
    expect(error.message).to.include('if there never was one, run `signing-service init`');
  });

  it('names the primary key of the moment without opening it', async () => {
    const keeper = workplace().keeper();
    expect(keeper.primaryId()).to.equal(idIn(workplace().masterKeyFile));
    wrapPrimary();
    expect(keeper.primaryId()).to.equal(WRAPPED.id);
  });

  it('gives rings keys of their own', async () => {
    const keeper = workplace().keeper();
    const [first, second] = [await keeper.openPrimary(), kept(await keeper.openPrimary())];
    first.close();
    first.close();
    expect(() => first.primary.use((key) => key[0])).to.throw('freed');
    expect(second.primary.use((key) => key.length)).to.equal(32);
  });

  describe('with a passphrase', () => {
    it('asks for it when a sealed key needs it, once, and not again at later openings', async () => {
      const id = wrapPrimary();
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const keeper = workplace().keeper(prompt);
      for (const policy of ['may-ask', 'do-not-ask', 'may-ask'] as const) {
        const ring = kept(await keeper.openFor(new Set([id]), policy));
        expect(bytesOf(ring, id).equals(WRAPPED.key)).to.equal(true);
      }
      expect(prompt.questions).to.deep.equal([`Passphrase of ${workplace().masterKeyFile}: `]);
      keeper.close();
    });

    it('asks nobody when no sealed key needs it', async () => {
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

    it('tries what was typed for the primary on the previous file, and asks for another where it must', async () => {
      const id = wrapPrimary();
      const same = createWrappedKeyFile(workplace().previousMasterKeyFile, WRAPPED.passphrase);
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const keeper = workplace().keeper(prompt);
      const ring = kept(await keeper.openFor(new Set([id, same]), 'may-ask'));
      expect([ring.keyFor(id).id, ring.keyFor(same).id]).to.deep.equal([id, same]);
      expect(prompt.questions).to.have.lengthOf(1);
      keeper.close();

      rmSync(workplace().previousMasterKeyFile);
      const other = createWrappedKeyFile(workplace().previousMasterKeyFile, 'quite another one');
      const twoPrompts = new TypedPassphrases(WRAPPED.passphrase, 'quite another one');
      const second = workplace().keeper(twoPrompts);
      kept(await second.openFor(new Set([id, other]), 'may-ask'));
      expect(twoPrompts.questions).to.deep.equal([
        `Passphrase of ${workplace().masterKeyFile}: `,
        `Passphrase of ${workplace().previousMasterKeyFile}: `,
      ]);
      second.close();
    });

    it('does not ask while requests are served: it says to restart, and what is held stays', async () => {
      const id = wrapPrimary();
      const prompt = new TypedPassphrases(WRAPPED.passphrase, 'never asked for');
      const keeper = workplace().keeper(prompt);
      kept(await keeper.openFor(new Set([id]), 'may-ask'));

      renameSync(workplace().masterKeyFile, workplace().previousMasterKeyFile);
      const newId = createWrappedKeyFile(workplace().masterKeyFile, 'never asked for');
      const error = await rejection(keeper.openFor(new Set([newId]), 'do-not-ask'));
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message)
        .to.include(`${workplace().masterKeyFile}: it holds master key ${newId}`)
        .and.include('restart the service and type it');

      const before = kept(await keeper.openFor(new Set([id]), 'do-not-ask'));
      expect(bytesOf(before, id).equals(WRAPPED.key)).to.equal(true);
      expect(prompt.questions).to.have.lengthOf(1);
      keeper.close();
    });

    it('refuses when nobody can be asked', async () => {
      const id = wrapPrimary();
      const error = await rejection(
        workplace()
          .keeper()
          .openFor(new Set([id]), 'may-ask'),
      );
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message).to.include(workplace().masterKeyFile).and.include('Nobody is here');
    });

    it('opens the primary to seal with it, and not the previous', async () => {
      wrapPrimary();
      createWrappedKeyFile(workplace().previousMasterKeyFile, 'quite another one');
      const prompt = new TypedPassphrases(WRAPPED.passphrase);
      const keeper = workplace().keeper(prompt);
      expect(kept(await keeper.openPrimary()).primary.id).to.equal(WRAPPED.id);
      expect(prompt.questions).to.have.lengthOf(1);
      keeper.close();
    });

    it('forgets what it held when it is closed, which may happen twice, and rings that are open go on', async () => {
      const id = wrapPrimary();
      const keeper = workplace().keeper(new TypedPassphrases(WRAPPED.passphrase, WRAPPED.passphrase));
      const ring = kept(await keeper.openFor(new Set([id]), 'may-ask'));
      keeper.close();
      keeper.close();
      expect(bytesOf(ring, id).equals(WRAPPED.key)).to.equal(true);
      expect(await rejection(keeper.openFor(new Set([id]), 'do-not-ask'))).to.be.instanceOf(KeyFileError);
      kept(await keeper.openFor(new Set([id]), 'may-ask'));
      keeper.close();
    });
  });
});

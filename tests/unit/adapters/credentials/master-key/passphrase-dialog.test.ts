import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/credentials/master-key/master-key.ts';
import type { StoredWrappedKey } from '../../../../../src/adapters/credentials/master-key/master-key-file.ts';
import { PassphraseDialog } from '../../../../../src/adapters/credentials/master-key/passphrase-dialog.ts';
import {
  MIN_PASSPHRASE_COST,
  parseWrappedMasterKey,
} from '../../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { KeyFileError } from '../../../../../src/adapters/key-files/secret-file.ts';
import { UnusablePassphraseError } from '../../../../../src/adapters/passphrase/passphrase-prompt.ts';
import type { LockedBuffer } from '../../../../../src/adapters/vault/locked-buffer.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { rejection } from '../credentials-workplace.ts';
import { WRAPPED } from './wrapped-key-vector.ts';

const FILE = '/keys/master.key';
const QUESTION = `Passphrase for ${FILE}: `;
const UNUSABLE = new UnusablePassphraseError('An arrow was pressed.');

describe('PassphraseDialog', () => {
  const dialogs: PassphraseDialog[] = [];
  const keys: MasterKey[] = [];
  afterEach(() => {
    for (const dialog of dialogs.splice(0)) dialog.close();
    for (const key of keys.splice(0)) key.destroy();
  });

  function dialogOf(prompt: TypedPassphrases): PassphraseDialog {
    const dialog = new PassphraseDialog(prompt, MIN_PASSPHRASE_COST);
    dialogs.push(dialog);
    return dialog;
  }

  function stored(text: string, file = FILE): StoredWrappedKey {
    const wrapped = parseWrappedMasterKey(text.trim()) ?? expect.fail('It should be a wrapped key.');
    return { kind: 'wrapped', file, id: wrapped.id, wrapped };
  }

  const isFreed = (buffer: LockedBuffer) => {
    try {
      buffer.use(() => undefined);
      return false;
    } catch {
      return true;
    }
  };
  const textOf = (buffer: LockedBuffer) => buffer.use((bytes) => bytes.toString());

  async function unwrap(dialog: PassphraseDialog, target = stored(WRAPPED.text)) {
    const unwrapped = await dialog.unwrap(target);
    keys.push(unwrapped.key);
    return unwrapped;
  }

  it('prompts once for a correct passphrase, naming the file', async () => {
    const prompt = new TypedPassphrases(WRAPPED.passphrase);
    const { key, passphrase } = await unwrap(dialogOf(prompt));
    expect(key.use((bytes) => bytes.equals(WRAPPED.key))).to.equal(true);
    expect(textOf(passphrase)).to.equal(WRAPPED.passphrase);
    expect(prompt.questions).to.deep.equal([QUESTION]);
  });

  it('prompts up to three times and wipes wrong passphrases at once', async () => {
    const prompt = new TypedPassphrases('wrong', 'wrong again', WRAPPED.passphrase);
    await unwrap(dialogOf(prompt));
    expect(prompt.questions).to.deep.equal([QUESTION, ...Array(2).fill(`Wrong passphrase. ${QUESTION}`)]);
    expect(prompt.given.map(isFreed)).to.deep.equal([true, true, false]);
  });

  it('refuses after three wrong passphrases, naming the file but not the input', async () => {
    const prompt = new TypedPassphrases('wrong-1', 'wrong-2', 'wrong-3', WRAPPED.passphrase);
    const error = await rejection(dialogOf(prompt).unwrap(stored(WRAPPED.text)));
    expect(error).to.be.instanceOf(KeyFileError);
    expect(error.message).to.include(FILE).and.include('none of 3 passphrases').and.not.include('wrong');
    expect(prompt.questions).to.have.lengthOf(3);
    expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true]);
  });

  it('counts an unusable line as an attempt and explains it', async () => {
    const prompt = new TypedPassphrases(UNUSABLE, 'wrong', WRAPPED.passphrase);
    await unwrap(dialogOf(prompt));
    expect(prompt.questions).to.deep.equal([
      QUESTION,
      `An arrow was pressed. ${QUESTION}`,
      `Wrong passphrase. ${QUESTION}`,
    ]);
  });

  it('refuses after three failed attempts, naming the file and the issue with the last one', async () => {
    const prompt = new TypedPassphrases('wrong', UNUSABLE, UNUSABLE, WRAPPED.passphrase);
    const error = await rejection(dialogOf(prompt).unwrap(stored(WRAPPED.text)));
    expect(error).to.be.instanceOf(KeyFileError);
    expect(error.message).to.equal(`${FILE}: none of 3 attempts was the correct passphrase. An arrow was pressed.`);
    expect(prompt.questions).to.have.lengthOf(3);
  });

  it('keeps the prompt open from first use until the dialog is closed', async () => {
    const prompt = new TypedPassphrases(WRAPPED.passphrase);
    const dialog = dialogOf(prompt);
    await unwrap(dialog);
    expect(prompt.isOpen).to.equal(true);
    await rejection(dialog.choose(FILE));
    expect(prompt.isOpen).to.equal(true);
    dialog.close();
    expect(prompt.isOpen).to.equal(false);
  });

  it('names the file and why prompting failed', async () => {
    const error = await rejection(dialogOf(new TypedPassphrases()).unwrap(stored(WRAPPED.text)));
    expect(error).to.be.instanceOf(KeyFileError);
    expect(error.message).to.equal(
      `${FILE}: it requires a passphrase, and none is available. Nobody is here to type a passphrase.`,
    );
  });

  it('tries a passphrase that opened one file on the next before prompting', async () => {
    const prompt = new TypedPassphrases(WRAPPED.passphrase, 'another passphrase');
    const dialog = dialogOf(prompt);
    await unwrap(dialog);
    await unwrap(dialog, stored(WRAPPED.text, `${FILE}.previous`));
    expect(prompt.questions).to.deep.equal([QUESTION]);

    const other = MasterKey.generate();
    keys.push(other);
    const chooser = dialogOf(new TypedPassphrases('another passphrase', 'another passphrase'));
    const text = chooser.wrap(FILE, other, await chooser.choose(FILE)).toString();
    const { key } = await unwrap(dialog, stored(text, '/keys/other'));
    expect(key.id).to.equal(other.id);
    expect(prompt.questions).to.deep.equal([QUESTION, 'Passphrase for /keys/other: ']);
  });

  it('wipes all passphrases on close, which is idempotent', async () => {
    const prompt = new TypedPassphrases(WRAPPED.passphrase, 'twelve chars', 'twelve chars');
    const dialog = dialogOf(prompt);
    await unwrap(dialog);
    await dialog.choose(FILE);
    dialog.close();
    dialog.close();
    expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true]);
  });

  describe('choosing a new passphrase', () => {
    it('prompts twice and returns the exact bytes', async () => {
      const prompt = new TypedPassphrases(' twelve Ωchar ', ' twelve Ωchar ');
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal(' twelve Ωchar ');
      expect(prompt.questions).to.deep.equal([
        `New passphrase for ${FILE}, at least 12 characters: `,
        'Repeat the passphrase: ',
      ]);
    });

    it('starts over when the two differ', async () => {
      const prompt = new TypedPassphrases('passphrase one', 'passphrase two', 'passphrase two', 'passphrase two');
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal('passphrase two');
      expect(prompt.questions[2]).to.match(/^The passphrases do not match\. New passphrase for/);
    });

    it('counts an unusable line as an attempt, even at the second prompt', async () => {
      const prompt = new TypedPassphrases(UNUSABLE, 'passphrase one', UNUSABLE, 'passphrase two', 'passphrase two');
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal('passphrase two');
      expect(prompt.questions.map((question) => question.replace(/New passphrase for.*/, 'New'))).to.deep.equal([
        'New',
        'An arrow was pressed. New',
        'Repeat the passphrase: ',
        'An arrow was pressed. New',
        'Repeat the passphrase: ',
      ]);
    });

    it('counts characters, not bytes, and accepts twelve', async () => {
      const prompt = new TypedPassphrases('ΩΩΩΩΩΩΩΩΩΩΩ', 'ΩΩΩΩΩΩΩΩΩΩ漢😀', 'ΩΩΩΩΩΩΩΩΩΩ漢😀');
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal('ΩΩΩΩΩΩΩΩΩΩ漢😀');
      expect(prompt.questions[1]).to.match(/^The passphrase is too short\. New passphrase for/);
    });

    it('gives up after three attempts and keeps nothing', async () => {
      const prompt = new TypedPassphrases('short', 'passphrase one', 'passphrase two', 'elevenchars');
      const dialog = dialogOf(prompt);
      const error = await rejection(dialog.choose(FILE));
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message).to.include(FILE).and.include('3 attempts').and.not.include('passphrase one');
      dialog.close();
      expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true, true]);
    });
  });

  it('wraps a key as one line that the passphrase opens', async () => {
    const prompt = new TypedPassphrases('correct horse battery', 'correct horse battery');
    const dialog = dialogOf(prompt);
    const key = MasterKey.generate();
    keys.push(key);
    const content = dialog.wrap(FILE, key, await dialog.choose(FILE)).toString();
    expect(content).to.match(/^argon2id\.v1\.\S+\n$/);
    const again = await unwrap(dialogOf(new TypedPassphrases('correct horse battery')), stored(content));
    expect(again.key.id).to.equal(key.id);
  });
});

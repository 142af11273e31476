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

  it('prompts up to three times, counts an unusable line as an attempt, and wipes wrong passphrases at once', async () => {
    const prompt = new TypedPassphrases('wrong', UNUSABLE, WRAPPED.passphrase);
    await unwrap(dialogOf(prompt));
    expect(prompt.questions).to.deep.equal([
      QUESTION,
      `Wrong passphrase. ${QUESTION}`,
      `An arrow was pressed. ${QUESTION}`,
    ]);
    expect(prompt.given.map(isFreed)).to.deep.equal([true, false]);
  });

  it('refuses after three attempts, naming the file and the issue with the last one, but not the input', async () => {
    for (const [lines, message] of [
      [
        [UNUSABLE, UNUSABLE, 'wrong-3'],
        'none of 3 passphrases is correct; find the right one, or restore the file if it was altered',
      ],
      [[UNUSABLE, UNUSABLE, UNUSABLE], 'none of 3 attempts was the correct passphrase. An arrow was pressed.'],
    ] as const) {
      const prompt = new TypedPassphrases(...lines, WRAPPED.passphrase);
      const error = await rejection(dialogOf(prompt).unwrap(stored(WRAPPED.text)));
      expect(error).to.be.instanceOf(KeyFileError);
      expect(error.message).to.equal(`${FILE}: ${message}`);
      expect(prompt.questions).to.have.lengthOf(3);
      expect(prompt.given.map(isFreed)).to.not.include(false);
    }
  });

  it('keeps prompt and passphrases from first use until it is closed, twice at most', async () => {
    const prompt = new TypedPassphrases(WRAPPED.passphrase, 'twelve chars', 'twelve chars');
    const dialog = dialogOf(prompt);
    const { key, passphrase } = await unwrap(dialog);
    expect(key.use((bytes) => bytes.equals(WRAPPED.key))).to.equal(true);
    expect(textOf(passphrase)).to.equal(WRAPPED.passphrase);
    await dialog.choose(FILE);
    expect(prompt.isOpen).to.equal(true);
    for (let time = 0; time < 2; time += 1) dialog.close();
    expect(prompt.isOpen).to.equal(false);
    expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true]);
  });

  /** The text of a new key under that passphrase. */
  async function wrapNew(passphrase: string): Promise<string> {
    const dialog = dialogOf(new TypedPassphrases(passphrase, passphrase));
    const key = MasterKey.generate();
    keys.push(key);
    const content = dialog.wrap(FILE, key, await dialog.choose(FILE)).toString();
    expect(content).to.match(/^argon2id\.v1\.\S+\n$/);
    return content;
  }

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

    const other = await wrapNew('another passphrase');
    await unwrap(dialog, stored(other, '/keys/other'));
    expect(prompt.questions).to.deep.equal([QUESTION, 'Passphrase for /keys/other: ']);
  });

  describe('choosing a new passphrase', () => {
    it('prompts twice and returns the exact bytes, and starts over when the two differ', async () => {
      const typed = ['passphrase one', 'passphrase two', ' twelve Ωchar ', ' twelve Ωchar '];
      const prompt = new TypedPassphrases(...typed);
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal(' twelve Ωchar ');
      expect(prompt.questions.slice(0, 2)).to.deep.equal([
        `New passphrase for ${FILE}, at least 12 characters: `,
        'Repeat the passphrase: ',
      ]);
      expect(prompt.questions[2]).to.match(/^The passphrases do not match\. New passphrase for/);
    });

    it('starts over after an unusable line, even at the second prompt', async () => {
      const prompt = new TypedPassphrases(UNUSABLE, 'passphrase one', UNUSABLE, 'passphrase two', 'passphrase two');
      expect(textOf(await dialogOf(prompt).choose(FILE))).to.equal('passphrase two');
      expect(prompt.questions[3]).to.match(/^An arrow was pressed\. New passphrase/);
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
});

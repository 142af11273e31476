import { expect } from 'chai';
import { PassphraseDialog } from '../../../../../src/adapters/credentials/keyring/passphrase-dialog.ts';
import {
  MIN_PASSPHRASE_COST,
  parseProtectedKey,
} from '../../../../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { UnusablePassphraseError } from '../../../../../src/adapters/passphrase/passphrase-prompt.ts';
import type { LockedBuffer } from '../../../../../src/adapters/vault/locked-buffer.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import { rejection, useWorkplace } from '../credentials-workplace.ts';
import { PROTECTED } from './protected-key-vector.ts';

const FILE = '/keys/master.key';
const QUESTION = `Passphrase for master key ${PROTECTED.id} in ${FILE}: `;
const UNUSABLE = new UnusablePassphraseError('An arrow was pressed.');

describe('PassphraseDialog', () => {
  const workplace = useWorkplace();
  const dialogs: PassphraseDialog[] = [];
  afterEach(() => {
    for (const dialog of dialogs.splice(0)) dialog.close();
  });

  function dialogOf(prompt: TypedPassphrases): PassphraseDialog {
    const dialog = new PassphraseDialog(FILE, prompt, MIN_PASSPHRASE_COST);
    dialogs.push(dialog);
    return dialog;
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

  /** Opens the key of a line. */
  async function open(dialog: PassphraseDialog, text: string = PROTECTED.text): Promise<Buffer> {
    const stored = parseProtectedKey(text) ?? expect.fail('It should be a protected key.');
    let key = Buffer.alloc(0);
    await dialog.open(stored, (_, bytes) => {
      key = Buffer.from(bytes);
    });
    return key;
  }

  it('prompts up to three times, counts an unusable line as an attempt, and wipes wrong passphrases at once', async () => {
    const prompt = new TypedPassphrases('wrong', UNUSABLE, PROTECTED.passphrase);
    await open(dialogOf(prompt));
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
        'none of 3 passphrases is correct; find the right one, or restore the file if it was altered.',
      ],
      [[UNUSABLE, UNUSABLE, UNUSABLE], 'none of 3 attempts was the correct passphrase. An arrow was pressed.'],
    ] as const) {
      const prompt = new TypedPassphrases(...lines, PROTECTED.passphrase);
      const error = await rejection(open(dialogOf(prompt)));
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.equal(`${FILE}: ${message}`);
      expect(prompt.questions).to.have.lengthOf(3);
      expect(prompt.given.map(isFreed)).to.not.include(false);
    }
  });

  it('keeps prompt and passphrases from first use until it is closed, twice at most', async () => {
    const prompt = new TypedPassphrases(PROTECTED.passphrase, 'twelve chars', 'twelve chars');
    const dialog = dialogOf(prompt);
    expect((await open(dialog)).equals(PROTECTED.key)).to.equal(true);
    expect(textOf(dialog.passphraseOf(PROTECTED.id))).to.equal(PROTECTED.passphrase);
    await dialog.choose();
    expect(prompt.isOpen).to.equal(true);
    for (let time = 0; time < 2; time += 1) dialog.close();
    expect(prompt.isOpen).to.equal(false);
    expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true]);
  });

  it('names the file and why prompting failed', async () => {
    const error = await rejection(open(dialogOf(new TypedPassphrases())));
    expect(error).to.be.instanceOf(OperatorError);
    expect(error.message).to.equal(
      `${FILE}: it requires a passphrase, and none is available. Nobody is here to type a passphrase.`,
    );
  });

  it('tries a passphrase that opened one key on the next before prompting', async () => {
    const prompt = new TypedPassphrases(PROTECTED.passphrase, 'another passphrase');
    const dialog = dialogOf(prompt);
    await open(dialog);
    await open(dialog, workplace().protectedLine(PROTECTED.passphrase));
    expect(prompt.questions).to.deep.equal([QUESTION]);

    const other = workplace().protectedLine('another passphrase');
    await open(dialog, other);
    const [, , id = ''] = other.split('.');
    expect(prompt.questions).to.deep.equal([QUESTION, `Passphrase for master key ${id} in ${FILE}: `]);
    expect(textOf(dialog.passphraseOf(id))).to.equal('another passphrase');
  });

  it('protects a key with a passphrase that opens it', async () => {
    const dialog = dialogOf(new TypedPassphrases('another passphrase', 'another passphrase'));
    const { masterKey } = workplace();
    const text = dialog.protect(masterKey, await dialog.choose());
    expect(text).to.match(/^argon2id\.v1\.\S+$/);
    expect(masterKey.use((key) => key.toString('hex'))).to.equal((await open(dialog, text)).toString('hex'));
  });

  describe('choosing a new passphrase', () => {
    it('prompts twice and returns the exact bytes, and starts over when the two differ', async () => {
      const typed = ['passphrase one', 'passphrase two', ' twelve Ωchar ', ' twelve Ωchar '];
      const prompt = new TypedPassphrases(...typed);
      expect(textOf(await dialogOf(prompt).choose())).to.equal(' twelve Ωchar ');
      expect(prompt.questions.slice(0, 2)).to.deep.equal([
        `New passphrase for ${FILE}, at least 12 characters: `,
        'Repeat the passphrase: ',
      ]);
      expect(prompt.questions[2]).to.match(/^The passphrases do not match\. New passphrase for/);
    });

    it('starts over after an unusable line, even at the second prompt', async () => {
      const prompt = new TypedPassphrases(UNUSABLE, 'passphrase one', UNUSABLE, 'passphrase two', 'passphrase two');
      expect(textOf(await dialogOf(prompt).choose())).to.equal('passphrase two');
      expect(prompt.questions[3]).to.match(/^An arrow was pressed\. New passphrase/);
    });

    it('counts characters, not bytes, and accepts twelve', async () => {
      const prompt = new TypedPassphrases('ΩΩΩΩΩΩΩΩΩΩΩ', 'ΩΩΩΩΩΩΩΩΩΩ漢😀', 'ΩΩΩΩΩΩΩΩΩΩ漢😀');
      expect(textOf(await dialogOf(prompt).choose())).to.equal('ΩΩΩΩΩΩΩΩΩΩ漢😀');
      expect(prompt.questions[1]).to.match(/^The passphrase is too short\. New passphrase for/);
    });

    it('gives up after three attempts and keeps nothing', async () => {
      const prompt = new TypedPassphrases('short', 'passphrase one', 'passphrase two', 'elevenchars');
      const dialog = dialogOf(prompt);
      const error = await rejection(dialog.choose());
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include(FILE).and.include('3 attempts').and.not.include('passphrase one');
      dialog.close();
      expect(prompt.given.map(isFreed)).to.deep.equal([true, true, true, true]);
    });
  });
});

import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  readMasterKeyFile,
  removeStoredKey,
  type StoredMasterKey,
} from '../../../../../src/adapters/credentials/master-key/master-key-file.ts';
import { isMissingFile, KeyFileError } from '../../../../../src/adapters/key-files/secret-file.ts';
import { unprivileged } from '../../key-files/unprivileged.ts';
import { useWorkplace } from '../credentials-workplace.ts';
import { WRAPPED } from './wrapped-key-vector.ts';

const KEY = WRAPPED.key;
const hex = KEY.toString('hex');

describe('A master key file', () => {
  const workplace = useWorkplace();
  const held: StoredMasterKey[] = [];
  afterEach(() => {
    for (const stored of held.splice(0)) removeStoredKey(stored);
  });

  function read(content: string | Uint8Array, mode = 0o600): StoredMasterKey {
    const file = workplace().path('test.key');
    writeFileSync(file, content);
    chmodSync(file, mode);
    const stored = readMasterKeyFile(file);
    held.push(stored);
    return stored;
  }

  function keyIn(content: string | Uint8Array, mode?: number): Buffer {
    const stored = read(content, mode);
    if (stored.kind !== 'plain') return expect.fail('It should hold a plain key.');
    return stored.key.use((key) => Buffer.from(key));
  }

  const spellings: readonly (readonly [string, string | Uint8Array])[] = [
    ['32 raw bytes', KEY],
    ['32 raw bytes of which the last is a line feed', Buffer.concat([KEY.subarray(0, 31), Buffer.from('\n')])],
    ['64 hex digits', hex],
    ['64 hex digits and a line feed', `${hex}\n`],
    ['64 hex digits and a line break of two characters', `${hex}\r\n`],
    ['64 hex digits in upper case', hex.toUpperCase()],
  ];
  for (const [name, content] of spellings) {
    it(`holds a key as ${name}`, () => {
      const expected = content instanceof Uint8Array ? Buffer.from(content) : KEY;
      expect(keyIn(content).equals(expected)).to.equal(true);
    });
  }

  it('has the same key id in every encoding', () => {
    expect(read(KEY).id).to.equal(WRAPPED.id);
    expect(read(hex).id).to.equal(WRAPPED.id);
  });

  for (const [name, end] of [
    ['nothing', ''],
    ['a line feed', '\n'],
    ['a line break of two characters', '\r\n'],
  ] as const) {
    it(`may hold a wrapped key followed by ${name}, with its id known before it is opened`, () => {
      const stored = read(`${WRAPPED.text}${end}`);
      expect(stored.kind).to.equal('wrapped');
      expect(stored.id).to.equal(WRAPPED.id);
      expect(stored.file).to.equal(workplace().path('test.key'));
    });
  }

  const wrongs: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['31 bytes', KEY.subarray(1)],
    ['33 bytes', Buffer.concat([KEY, Buffer.from('\n')])],
    ['63 hex digits', hex.slice(1)],
    ['63 hex digits and a line feed', `${hex.slice(1)}\n`],
    ['65 hex digits', `${hex}0`],
    ['64 characters that are no hex digits', `${hex.slice(1)}g`],
    ['0x and 62 hex digits', `0x${hex.slice(2)}`],
    ['two line feeds behind hex digits', `${hex}\n\n`],
    ['32 hex digits, which are 16 bytes', hex.slice(0, 32)],
    ['a half of a wrapped key', WRAPPED.text.slice(0, 80)],
    ['a wrapped key without its last character', WRAPPED.text.slice(0, -1)],
    ['a wrapped key and more', `${WRAPPED.text}A`],
    ['two lines of wrapped keys', `${WRAPPED.text}\n${WRAPPED.text}\n`],
    ['much more', 'f'.repeat(100_000)],
  ];
  for (const [name, content] of wrongs) {
    it(`is rejected with ${name}, naming the file without its content`, () => {
      const file = workplace().path('test.key');
      expect(() => read(content))
        .to.throw(KeyFileError)
        .with.property('message')
        .that.includes(file)
        .and.does.not.match(/0f1011|ffffff|AAECAwQ/);
    });
  }

  it('is rejected as altered if its cost makes the passphrase easy to guess', () => {
    expect(() => read(WRAPPED.text.replace('.67108864.', '.8192.'))).to.throw(KeyFileError, 'it was modified');
  });

  it('is reported as missing only if nothing exists at its path', () => {
    const readAt = (path: string) => {
      try {
        return readMasterKeyFile(path);
      } catch (error) {
        return error;
      }
    };
    expect(isMissingFile(readAt(workplace().path('missing.key')))).to.equal(true);
    expect(isMissingFile(readAt(workplace().folder))).to.equal(false);
    expect(isMissingFile(readAt(workplace().path('master.key/below')))).to.equal(false);
    expect(isMissingFile(new Error('something else'))).to.equal(false);
  });

  it('is refused when it is a folder', () => {
    mkdirSync(workplace().path('folder.key'));
    expect(() => readMasterKeyFile(workplace().path('folder.key'))).to.throw(KeyFileError, 'it is a folder');
  });

  it('is refused when this user may not read it', () => {
    const file = workplace().path('test.key');
    writeFileSync(file, KEY, { mode: 0o600 });
    chmodSync(workplace().folder, 0o755);
    chmodSync(file, 0o000);
    expect(() => unprivileged(() => readMasterKeyFile(file))).to.throw(KeyFileError, 'may not read it');
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666, 0o444, 0o644]) {
    it(`is refused with mode ${mode.toString(8)}, with the remedy for files and for mounted secrets`, () => {
      const file = workplace().path('test.key');
      expect(() => read(KEY, mode))
        .to.throw(KeyFileError)
        .with.property('message')
        .that.includes(`its mode is 0${mode.toString(8)}`)
        .and.includes(`run \`chmod 600 ${file}\``)
        .and.includes('`defaultMode: 0400` of a Kubernetes volume')
        .and.includes('`mode: 0400` and `uid` of a Docker Swarm secret');
    });
  }

  it('is refused with a command that is quoted for any path', () => {
    const file = workplace().path("it's a key");
    writeFileSync(file, KEY);
    chmodSync(file, 0o644);
    expect(() => readMasterKeyFile(file)).to.throw(KeyFileError, "it'\\''s a key'`");
  });

  it('is checked at the target of a symbolic link, as in a Kubernetes volume', () => {
    const [file, link] = [workplace().path('test.key'), workplace().path('link.key')];
    read(KEY);
    symlinkSync(file, link);
    const stored = readMasterKeyFile(link);
    held.push(stored);
    expect(stored.id).to.equal(WRAPPED.id);
    chmodSync(file, 0o644);
    expect(() => readMasterKeyFile(link)).to.throw(KeyFileError, 'its mode is 0644');
  });

  for (const mode of [0o600, 0o400]) {
    it(`is read with mode ${mode.toString(8)}`, () => {
      expect(keyIn(KEY, mode).equals(KEY)).to.equal(true);
    });
  }

  describe('that belongs to another user', () => {
    const geteuid = process.geteuid;
    beforeEach(() => {
      process.geteuid = () => (geteuid?.() ?? 0) + 1;
    });
    afterEach(() => {
      if (geteuid) process.geteuid = geteuid;
    });

    it('is read with mode 440, as systemd and Kubernetes mount secrets', () => {
      expect(keyIn(KEY, 0o440).equals(KEY)).to.equal(true);
    });
    for (const mode of [0o460, 0o444, 0o644]) {
      it(`is refused with mode ${mode.toString(8)}`, () => {
        expect(() => read(KEY, mode)).to.throw(KeyFileError, '0440 if the file belongs to another user');
      });
    }
  });
});

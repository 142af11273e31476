import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  readMasterKeyFile,
  removeStoredKey,
  type StoredMasterKey,
} from '../../../../../src/adapters/credentials/master-key/master-key-file.ts';
import { KeyFileError } from '../../../../../src/adapters/key-files/secret-file.ts';
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
    ['64 hex digits and a line feed', `${hex}\n`],
  ];
  it('holds a key as 32 raw bytes or 64 hex digits', () => {
    for (const [name, content] of spellings) {
      const expected = content instanceof Uint8Array ? Buffer.from(content) : KEY;
      expect(keyIn(content).equals(expected), name).to.equal(true);
    }
  });

  it('may hold a wrapped key, whose id is known before it is opened', () => {
    for (const end of ['', '\n', '\r\n']) {
      const stored = read(`${WRAPPED.text}${end}`);
      expect([stored.kind, stored.id, stored.file]).to.deep.equal([
        'wrapped',
        WRAPPED.id,
        workplace().path('test.key'),
      ]);
    }
  });

  const wrongs: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['33 bytes', Buffer.concat([KEY, Buffer.from('\n')])],
    ['64 characters that are no hex digits', `${hex.slice(1)}g`],
    ['a half of a wrapped key', WRAPPED.text.slice(0, 80)],
    ['much more', 'f'.repeat(100_000)],
  ];
  it('is rejected with anything else, naming the file without its content', () => {
    const file = workplace().path('test.key');
    for (const [name, content] of wrongs) {
      expect(() => read(content), name)
        .to.throw(KeyFileError)
        .with.property('message')
        .that.includes(file)
        .and.does.not.match(/0f1011|ffffff|AAECAwQ/);
    }
  });

  it('is refused if others have access, with the remedy for files and for mounted secrets', () => {
    const file = workplace().path('test.key');
    for (const mode of [0o640, 0o602]) {
      expect(() => read(KEY, mode))
        .to.throw(KeyFileError)
        .with.property('message')
        .that.includes(`its mode is 0${mode.toString(8)}`)
        .and.includes(`run \`chmod 600 ${file}\``)
        .and.includes('`defaultMode: 0400` of a Kubernetes volume')
        .and.includes('`mode: 0400` and `uid` of a Docker Swarm secret');
    }
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

  describe('that belongs to another user', () => {
    const geteuid = process.geteuid;
    beforeEach(() => {
      process.geteuid = () => (geteuid?.() ?? 0) + 1;
    });
    afterEach(() => {
      if (geteuid) process.geteuid = geteuid;
    });

    it('is read with mode 440, as systemd and Kubernetes mount secrets, and refused with more', () => {
      expect(keyIn(KEY, 0o440).equals(KEY)).to.equal(true);
      for (const mode of [0o460, 0o444]) {
        expect(() => read(KEY, mode)).to.throw(KeyFileError, '0440 if the file belongs to another user');
      }
    });
  });
});

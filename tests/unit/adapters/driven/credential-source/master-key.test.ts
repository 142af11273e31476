import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { MasterKey } from '../../../../../src/adapters/driven/credential-source/master-key.ts';
import { KeyFileError, KeyFileExistsError } from '../../../../../src/secure-memory/key-file-error.ts';
import { useWorkplace } from './credentials-workplace.ts';

const KEY = Buffer.from('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1eff', 'hex');
/** `printf %s signing-service/master-key-id/v1`, BLAKE2b of 32 bytes under KEY, by another implementation (Python's hashlib.blake2b). */
const KEY_ID = '5585bb72d90715a0';

describe('MasterKey', () => {
  const workplace = useWorkplace();

  function load(content: string | Uint8Array, mode = 0o600): MasterKey {
    const file = workplace().path('test.key');
    writeFileSync(file, content);
    chmodSync(file, mode);
    return MasterKey.load(file);
  }

  function bytesOf(masterKey: MasterKey): Buffer {
    try {
      return masterKey.use((key) => Buffer.from(key));
    } finally {
      masterKey.destroy();
    }
  }

  const hex = KEY.toString('hex');
  const spellings: readonly (readonly [string, string | Uint8Array])[] = [
    ['32 raw bytes', KEY],
    ['32 raw bytes of which the last is a line feed', Buffer.concat([KEY.subarray(0, 31), Buffer.from('\n')])],
    ['64 hex digits', hex],
    ['64 hex digits and a line feed', `${hex}\n`],
    ['64 hex digits and a line break of two characters', `${hex}\r\n`],
    ['64 hex digits in upper case', hex.toUpperCase()],
  ];
  for (const [name, content] of spellings) {
    it(`is read from ${name}`, () => {
      const expected = content instanceof Uint8Array ? Buffer.from(content) : KEY;
      expect(bytesOf(load(content)).equals(expected)).to.equal(true);
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
    ['much more', 'f'.repeat(100_000)],
  ];
  for (const [name, content] of wrongs) {
    it(`is refused in a file of ${name}, by the name of the file and without its content`, () => {
      const file = workplace().path('test.key');
      expect(() => load(content))
        .to.throw(KeyFileError)
        .with.property('message')
        .that.includes(file)
        .and.does.not.match(/0f1011|ffffff/);
    });
  }

  it('is refused when there is no file, with what to do', () => {
    const file = workplace().path('missing.key');
    expect(() => MasterKey.load(file)).to.throw(KeyFileError, `${file}: there is no master key; restore it`);
  });

  it('is refused when it is a folder', () => {
    expect(() => MasterKey.load(workplace().folder)).to.throw(KeyFileError);
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o610, 0o601, 0o666]) {
    it(`is refused with mode ${mode.toString(8)}, with what to do`, () => {
      expect(() => load(KEY, mode)).to.throw(KeyFileError, 'run `chmod 600` on it');
    });
  }

  for (const mode of [0o600, 0o400]) {
    it(`is read with mode ${mode.toString(8)}`, () => {
      load(KEY, mode).destroy();
    });
  }

  describe('in a file that belongs to another user', () => {
    const geteuid = process.geteuid;
    beforeEach(() => {
      process.geteuid = () => (geteuid?.() ?? 0) + 1;
    });
    afterEach(() => {
      if (geteuid) process.geteuid = geteuid;
    });

    it('is read with mode 440, as systemd and Kubernetes mount secrets', () => {
      load(KEY, 0o440).destroy();
    });
    for (const mode of [0o460, 0o444, 0o644]) {
      it(`is refused with mode ${mode.toString(8)}`, () => {
        expect(() => load(KEY, mode)).to.throw(KeyFileError, 'mode 0440');
      });
    }
  });

  it('has an id that another implementation of BLAKE2b computes, the same for every spelling of the key', () => {
    for (const content of [KEY, hex]) {
      const masterKey = load(content);
      expect(masterKey.id).to.equal(KEY_ID);
      masterKey.destroy();
    }
  });

  it('has another id for another key', () => {
    const masterKey = load(createHash('sha256').update(KEY).digest());
    expect(masterKey.id)
      .to.match(/^[0-9a-f]{16}$/)
      .and.not.equal(KEY_ID);
    masterKey.destroy();
  });

  it('can not be used after destroy, which may be called twice', () => {
    const masterKey = load(KEY);
    masterKey.destroy();
    masterKey.destroy();
    expect(() => masterKey.use((key) => key[0])).to.throw('freed');
  });

  it('does not show its bytes to those who print it', () => {
    const masterKey = load(KEY);
    expect(JSON.stringify(masterKey)).to.equal(JSON.stringify({ id: KEY_ID }));
    masterKey.destroy();
  });

  describe('create', () => {
    it('makes 32 bytes, new ones each time, in a file of mode 600 that load reads', () => {
      const [first, second] = ['first.key', 'second.key'].map((name) => workplace().path(name)) as [string, string];
      MasterKey.create(first);
      MasterKey.create(second);
      expect(readFileSync(first)).to.have.lengthOf(32);
      expect(readFileSync(first).equals(readFileSync(second))).to.equal(false);
      expect(statSync(first).mode & 0o7777).to.equal(0o600);
      expect(bytesOf(MasterKey.load(first)).equals(readFileSync(first))).to.equal(true);
    });

    it('leaves a file that is there as it is', () => {
      const { masterKeyFile } = workplace();
      const before = readFileSync(masterKeyFile);
      expect(() => MasterKey.create(masterKeyFile)).to.throw(KeyFileExistsError, masterKeyFile);
      expect(readFileSync(masterKeyFile).equals(before)).to.equal(true);
    });

    it('makes nothing in a folder that is not there', () => {
      const file = workplace().path('missing/master.key');
      expect(() => MasterKey.create(file)).to.throw(KeyFileError, file);
      expect(existsSync(file)).to.equal(false);
    });
  });
});

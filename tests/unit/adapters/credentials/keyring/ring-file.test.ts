import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import {
  keepFirstKey,
  putKeyInFront,
  type RingLineText,
  readRing,
} from '../../../../../src/adapters/credentials/keyring/ring-file.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { plainLine, rejection, useWorkplace } from '../credentials-workplace.ts';
import { PROTECTED } from './protected-key-vector.ts';

const KEY = PROTECTED.key;
const hex = KEY.toString('hex');
const WRAPPED = 'vault-transit.v1.0123456789abcdef.transit/k.AAAA';
const WRAPPED_ID = '0123456789abcdef';

describe('A keyring', () => {
  const workplace = useWorkplace();
  const ringFile = () => workplace().path('test.key');

  function put(content: string | Uint8Array, mode = 0o600): string {
    writeFileSync(ringFile(), content);
    chmodSync(ringFile(), mode);
    return ringFile();
  }

  /** Sources and ids of a ring, and its plain keys. */
  function read(content: string | Uint8Array, mode?: number) {
    const keys: Buffer[] = [];
    const lines = readRing(put(content, mode), (_, key) => keys.push(Buffer.from(key)));
    return { lines: lines.map(({ source, id }) => [source, id]), keys };
  }

  const spellings: readonly (readonly [string, string | Uint8Array])[] = [
    ['32 raw bytes', KEY],
    ['32 raw bytes of which the last is a line feed', Buffer.concat([KEY.subarray(0, 31), Buffer.from('\n')])],
    ['64 hex digits', hex],
    ['64 hex digits in upper case and a line feed', `${hex.toUpperCase()}\n`],
    ['64 hex digits and CRLF', `${hex}\r\n`],
  ];
  it('may have one key, as 32 raw bytes or 64 hex digits', () => {
    for (const [name, content] of spellings) {
      const { lines, keys } = read(content);
      expect(lines, name).to.have.lengthOf(1);
      const expected = content instanceof Uint8Array ? Buffer.from(content) : KEY;
      expect(keys[0]?.equals(expected), name).to.equal(true);
    }
  });

  it('has keys of every kind in order, one a line, whose ids are known before they are opened', () => {
    const expected = [
      ['vault-transit', WRAPPED_ID],
      ['file', PROTECTED.id],
      ['passphrase', 'aaaaaaaaaaaaaaaa'],
    ];
    const lines = [WRAPPED, hex, PROTECTED.text.replace(PROTECTED.id, 'aaaaaaaaaaaaaaaa')];
    for (const text of [lines.join('\n'), `${lines.join('\n')}\n`, `${lines.join('\r\n')}\r\n`]) {
      const ring = read(text);
      expect(ring.lines).to.deep.equal(expected);
      expect(ring.keys.map((key) => key.equals(KEY))).to.deep.equal([true]);
    }
  });

  it('has at most 10 keys', () => {
    const lines = Array.from({ length: 11 }, plainLine);
    expect(read(lines.slice(1).join('\n')).lines).to.have.lengthOf(10);
    expect(() => read(lines.join('\n'))).to.throw(OperatorError, 'it has more than 10 lines');
  });

  it('is rejected with two lines of the same key, in whatever form', () => {
    for (const text of [`${hex}\n${plainLine()}\n${hex.toUpperCase()}`, `${PROTECTED.text}\n${hex}\n`]) {
      expect(() => read(text)).to.throw(OperatorError, `it has master key ${PROTECTED.id} twice`);
    }
  });

  const wrongs: readonly (readonly [string, string | Uint8Array, number])[] = [
    ['33 bytes', Buffer.concat([KEY, Buffer.from('\n')]), 1],
    ['32 hex digits', hex.slice(32), 1],
    ['64 characters that are no hex digits', `${hex.slice(1)}g`, 1],
    ['a key with 0x', `0x${hex.slice(2)}`, 1],
    ['half a protected key', PROTECTED.text.slice(0, 80), 1],
    ['a space behind a key', `${hex} \n`, 1],
    ['a blank line', `${hex}\n\n${plainLine()}\n`, 2],
    ['a blank line at the end', `${hex}\n\n`, 2],
    ['a comment', `${hex}\n# from the first day\n`, 2],
    ['an unknown source', `${hex}\n${WRAPPED.replace('vault', 'safe')}`, 2],
    ['a wrapped key of another version', `${hex}\n${WRAPPED.replace('.v1.', '.v2.')}`, 2],
    ['a wrapped key with padding', `${hex}\n${WRAPPED}=`, 2],
    ['a wrapping key that its source does not have', `${hex}\n${WRAPPED.replace('vault-transit', 'aws-kms')}`, 2],
  ];
  it('is rejected with any other line, naming file and line without content', () => {
    for (const [name, content, line] of wrongs) {
      expect(() => read(content), name)
        .to.throw(OperatorError)
        .with.property('message')
        .that.includes(`${ringFile()}: line ${line} contains no master key`)
        .and.does.not.match(/0f1011|ffffff|AAECAwQ|first day/);
    }
  });

  it('is rejected if it is empty or too large', () => {
    expect(() => read('')).to.throw(OperatorError, 'it is empty');
    expect(() => read('f'.repeat(100_000))).to.throw(OperatorError, 'it is too large');
  });

  it('is refused if others have access, with the remedy for files and for mounted secrets', () => {
    for (const mode of [0o640, 0o602]) {
      expect(() => read(hex, mode))
        .to.throw(OperatorError)
        .with.property('message')
        .that.includes(`its mode is 0${mode.toString(8)}`)
        .and.includes(`run \`chmod 600 ${ringFile()}\``)
        .and.includes('`defaultMode: 0400` of a Kubernetes volume')
        .and.includes('`mode: 0400` and `uid` of a Docker Swarm secret');
    }
  });

  it('is checked at the target of a symbolic link, as in a Kubernetes volume', () => {
    const link = workplace().path('link.key');
    symlinkSync(put(hex), link);
    expect(readRing(link)[0].id).to.equal(PROTECTED.id);
    put(hex, 0o644);
    expect(() => readRing(link)).to.throw(OperatorError, 'its mode is 0644');
  });

  it('that is missing is reported with the remedy', () => {
    expect(() => readRing(workplace().path('missing.key'))).to.throw(
      OperatorError,
      'no master key; restore it, or set SIGNING_MASTER_KEY_FILE to its path; if it never existed, run `signing-service init`',
    );
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
      expect(read(hex, 0o440).lines).to.deep.equal([['file', PROTECTED.id]]);
      for (const mode of [0o460, 0o444]) {
        expect(() => read(hex, mode)).to.throw(OperatorError, '0440 if the file belongs to another user');
      }
    });
  });

  const added: RingLineText = (use) => use(Buffer.from(`${WRAPPED}\n`));

  it('is not rewritten if another process changed it since it was read', async () => {
    const before = readRing(put(`${PROTECTED.text}\n${plainLine()}\n`));
    const text = `${plainLine()}\n${PROTECTED.text}\n`;
    for (const replace of [
      () => keepFirstKey(put(text), before),
      () => putKeyInFront(put(text), before, WRAPPED_ID, added),
    ]) {
      const error = await rejection(replace());
      expect(error).to.be.instanceOf(OperatorError);
      expect(error.message).to.include(`${ringFile()} was changed by another process`);
      expect(readFileSync(ringFile(), 'utf8')).to.equal(text);
    }
  });

  it('is written with a line feed behind every key, whatever it was read with', async () => {
    const inFront = async (content: Buffer | string) => {
      await putKeyInFront(put(content), readRing(ringFile()), WRAPPED_ID, added);
      return readFileSync(ringFile(), 'utf8');
    };
    const firstOnly = async (content: Buffer | string) => {
      await keepFirstKey(put(content), readRing(ringFile()));
      return readFileSync(ringFile(), 'utf8');
    };
    expect(await inFront(KEY)).to.equal(`${WRAPPED}\n${hex}\n`);
    expect(await firstOnly(KEY)).to.equal(`${hex}\n`);
    const other = plainLine();
    for (const content of [`${PROTECTED.text}\r\n${other}`, `${PROTECTED.text}\n${other}\n`]) {
      expect(await inFront(content)).to.equal(`${WRAPPED}\n${PROTECTED.text}\n${other}\n`);
      expect(await firstOnly(content)).to.equal(`${PROTECTED.text}\n`);
    }
  });
});

import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { AuditKey } from '../../../../../../src/adapters/driven/audit-sink/audit-key/audit-key.ts';
import { OperatorError } from '../../../../../../src/domain/model/errors.ts';
import { RFC_8032_VECTORS } from '../../../../../vectors/rfc-8032.ts';
import { useTemporaryFolder } from '../../../../secure-memory/temporary-folder.ts';
import { unprivileged } from '../../../../secure-memory/unprivileged.ts';

const SEED = Buffer.from(RFC_8032_VECTORS[0]?.seed ?? '', 'hex');
const HEX = SEED.toString('hex');

describe('AuditKey', () => {
  const folder = useTemporaryFolder();
  const opened: AuditKey[] = [];
  afterEach(() => {
    for (const key of opened.splice(0)) key.destroy();
  });

  function open(content: string | Uint8Array, mode = 0o600): AuditKey {
    const file = folder.file('audit.key', content);
    chmodSync(file, mode);
    const key = AuditKey.open(file);
    opened.push(key);
    return key;
  }

  function refusal(action: () => unknown): string {
    try {
      action();
    } catch (error) {
      expect(error).to.be.instanceOf(OperatorError);
      return (error as OperatorError).message;
    }
    return expect.fail('It should have been refused.');
  }

  for (const { name, seed, publicKey, message, signature } of RFC_8032_VECTORS) {
    it(`has the public key and makes the signature of ${name} of RFC 8032`, () => {
      const key = open(`${seed}\n`);
      expect(key.publicKey.toString('hex')).to.equal(publicKey);
      expect(key.sign(Buffer.from(message, 'hex')).toString('hex')).to.equal(signature);
    });
  }

  it('makes signatures that OpenSSL verifies with its public key, as often as asked', () => {
    const key = open(randomBytes(32).toString('hex'));
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.publicKey.toString('base64url') };
    const publicKey = createPublicKey({ key: jwk, format: 'jwk' });
    for (let round = 0; round < 20; round += 1) {
      const message = randomBytes(round * 7);
      const signature = key.sign(message);
      expect(signature).to.have.length(64);
      expect(verify(null, message, publicKey, signature)).to.equal(true);
      expect(verify(null, Buffer.concat([message, Buffer.from('x')]), publicKey, signature)).to.equal(false);
    }
  });

  it('signs no more when it is destroyed, which may be done twice', () => {
    const key = open(HEX);
    key.destroy();
    key.destroy();
    expect(() => key.sign(Buffer.from('x'))).to.throw('freed');
  });

  it('shows its public half alone', () => {
    const key = open(HEX);
    const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key);
    expect(shown)
      .to.include('publicKey')
      .and.not.include(HEX)
      .and.not.include([...SEED.subarray(0, 4)].join(','));
    expect(Object.keys(key)).to.deep.equal(['publicKey']);
  });

  const spellings: readonly (readonly [string, string | Uint8Array])[] = [
    ['64 lower-case hex digits and a line feed', `${HEX}\n`],
    ['64 hex digits', HEX],
    ['64 hex digits and a line break of two characters', `${HEX}\r\n`],
    ['64 hex digits in upper case', HEX.toUpperCase()],
    ['32 raw bytes', SEED],
  ];
  for (const [name, content] of spellings) {
    it(`is read from ${name}`, () => {
      expect(open(content).publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
    });
  }

  const wrongs: readonly (readonly [string, string | Uint8Array])[] = [
    ['nothing', ''],
    ['31 bytes', SEED.subarray(1)],
    ['64 raw bytes, as libsodium has them', Buffer.concat([SEED, SEED])],
    ['63 hex digits', HEX.slice(1)],
    ['65 hex digits', `${HEX}0`],
    ['64 characters that are no hex digits', `${HEX.slice(1)}g`],
    ['0x and 62 hex digits', `0x${HEX.slice(2)}`],
    ['32 hex digits, which are 16 bytes', HEX.slice(0, 32)],
    ['two lines', `${HEX}\n${HEX}\n`],
    ['much more', 'f'.repeat(100_000)],
  ];
  for (const [name, content] of wrongs) {
    it(`is refused with ${name}, by file, setting and remedy, and without the content`, () => {
      expect(refusal(() => open(content)))
        .to.include(folder.path('audit.key'))
        .and.include('SIGNING_AUDIT_KEY_FILE')
        .and.include('run `signing-service init`, which makes only what is missing')
        .and.not.match(/9d61b19d|ffffff/);
    });
  }

  it('is refused where it is missing, with the command that makes it', () => {
    const message = refusal(() => AuditKey.open(folder.path('missing.key')));
    expect(message)
      .to.include(`${folder.path('missing.key')}: there is no such file`)
      .and.include('set SIGNING_AUDIT_KEY_FILE to where it is')
      .and.include('run `signing-service init`, which makes only what is missing');
  });

  it('is refused where a folder stands, and where this user may not read it', () => {
    mkdirSync(folder.path('folder.key'));
    expect(refusal(() => AuditKey.open(folder.path('folder.key')))).to.include('it is a folder');
    const file = folder.file('closed.key', HEX);
    chmodSync(folder.path('.'), 0o755);
    chmodSync(file, 0o000);
    expect(refusal(() => unprivileged(() => AuditKey.open(file)))).to.include('may not read it');
  });

  for (const mode of [0o640, 0o604, 0o620, 0o602, 0o644, 0o666]) {
    it(`is refused with mode ${mode.toString(8)}, with the chmod to run`, () => {
      expect(refusal(() => open(HEX, mode)))
        .to.include(`access to the audit key (its mode is 0${mode.toString(8)})`)
        .and.include(`run \`chmod 600 ${folder.path('audit.key')}\``);
    });
  }

  it('is judged by the file to which a link leads', () => {
    open(HEX);
    symlinkSync('audit.key', folder.path('link.key'));
    const key = AuditKey.open(folder.path('link.key'));
    opened.push(key);
    expect(key.publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
    chmodSync(folder.path('audit.key'), 0o644);
    expect(refusal(() => AuditKey.open(folder.path('link.key')))).to.include('its mode is 0644');
  });

  describe('that belongs to another user', () => {
    const geteuid = process.geteuid;
    beforeEach(() => {
      process.geteuid = () => (geteuid?.() ?? 0) + 1;
    });
    afterEach(() => {
      if (geteuid) process.geteuid = geteuid;
    });

    it('may be read by its group, as systemd and Kubernetes mount secrets, and by nobody else', () => {
      expect(open(HEX, 0o440).publicKey.toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
      expect(refusal(() => open(HEX, 0o444))).to.include('chmod 440');
    });
  });
});

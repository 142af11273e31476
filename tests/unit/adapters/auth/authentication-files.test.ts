import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { AuthenticationFiles } from '../../../../src/adapters/auth/authentication-files.ts';
import { ServiceKey } from '../../../../src/adapters/auth/service-key.ts';
import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { issueToken, TestKey } from '../../../authentication/parties.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { bs58 } from '../../../harness/base58.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

const AUTHORITY = new TestKey(0xa1);
const OTHER = new TestKey(0xa2);
const SERVICE = new TestKey(0x5e);

describe('AuthenticationFiles', () => {
  const folder = useTemporaryFolder();
  let key: ServiceKey;
  let clock: FixedClock;
  let log: RecordingServiceLog;

  const tokenText = (given: object = {}, authority = AUTHORITY) => {
    const claims = {
      username: 'signing-service',
      publicKey: SERVICE.publicKey,
      expirationTime: '2027-01-01T00:00:00Z',
    };
    return `${issueToken(authority, { ...claims, ...given }).toString('base64')}\n`;
  };
  const listOf = (...keys: readonly TestKey[]) => keys.map(({ publicKey }) => `${bs58.encode(publicKey)}\n`).join('');
  const write = (list = listOf(AUTHORITY), token = tokenText()) => {
    folder.file('authorities.txt', list);
    folder.file('token.txt', token);
  };
  const open = () => {
    const [authoritiesFile, tokenFile] = [folder.path('authorities.txt'), folder.path('token.txt')];
    return new AuthenticationFiles({
      authoritiesFile,
      tokenFile,
      key,
      verifier: new SodiumSignatureVerifier(),
      clock,
      log,
      production: false,
      expiryWarningDays: 14,
    });
  };
  beforeEach(() => {
    key = new ServiceKey(Buffer.from(SERVICE.seed));
    clock = new FixedClock();
    log = new RecordingServiceLog();
    write();
  });
  afterEach(() => key.destroy());

  it('reads authorities in base58 and hex, with comments, blank lines and LF or CRLF', () => {
    const hex = OTHER.publicKey.toString('hex');
    write(`# ours\r\n\r\n${bs58.encode(AUTHORITY.publicKey)}  # since 2026\r\n${hex}\r\n${hex.toUpperCase()}\n\n`);
    expect(open().current.map((each) => each.toString('hex'))).to.deep.equal([
      AUTHORITY.publicKey.toString('hex'),
      hex,
      hex,
    ]);
  });

  const broken: readonly [title: string, list: string, token: string, reason: RegExp][] = [
    ['a list without keys', '# none\n', tokenText(), /SIGNING_AUTH_AUTHORITIES_FILE.*1 to 16/],
    ['a list of 17 keys', listOf(...Array.from({ length: 17 }, () => AUTHORITY)), tokenText(), /it contains 17/],
    ['a line that is no key', `${listOf(AUTHORITY)}nonsense\n`, tokenText(), /line 2/],
    ['a key of small order', `01${'00'.repeat(31)}\n`, tokenText(), /line 1/],
    ['an invalid token', listOf(AUTHORITY), 'nonsense\n', /SIGNING_AUTH_TOKEN_FILE.*token issue --service/],
    ['a token of another key', listOf(AUTHORITY), tokenText({ publicKey: OTHER.publicKey }), /not for the key/],
    ['a token of another authority', listOf(AUTHORITY), tokenText({}, OTHER), /not signed by an authority/],
    ['a token that has expired', listOf(AUTHORITY), tokenText({ expirationTime: '2026-11-20T08:49:00Z' }), /expired/],
  ];
  for (const [title, list, token, reason] of broken) {
    it(`refuses to start with ${title}, and keeps its state when a reload finds it`, () => {
      const files = open();
      const before = [files.current, files.token];
      write(list, token);
      expect(open).to.throw(OperatorError, reason);
      files.reload('signal');
      expect([files.current, files.token]).to.deep.equal(before);
      expect(log.events.filter(({ level }) => level === 'error')[0]?.message).to.match(/stays active\. .+/);
    });
  }

  it('stops trusting a removed authority that issued its own token, and logs the remedy', () => {
    const files = open();
    write(listOf(OTHER));
    files.reload('signal');
    expect(files.current).to.have.length(1);
    expect(files.current[0]?.equals(OTHER.publicKey)).to.equal(true);
    expect(log.events.at(-1)?.level).to.equal('error');
    expect(log.events.at(-1)?.message).to.include('issue another');
  });

  it('keeps trusting its only authority while the list is missing, until a new list replaces it', () => {
    const files = open();
    rmSync(folder.path('authorities.txt'));
    files.reload('signal');
    expect(files.current.map((each) => each.equals(AUTHORITY.publicKey))).to.deep.equal([true]);
    write(listOf(OTHER), tokenText({}, OTHER));
    files.reload('signal');
    expect(files.current.map((each) => each.equals(OTHER.publicKey))).to.deep.equal([true]);
  });

  it('warns from 14 days before the token expires, and logs an error after it has expired', () => {
    const files = open();
    const last = () => log.events.at(-1);
    files.check();
    expect(log.events).to.deep.equal([]);
    clock.set('2026-12-19T00:00:00Z');
    files.check();
    expect(last()?.level).to.equal('warn');
    expect(last()?.facts).to.include({ daysLeft: 13, expirationTime: '2027-01-01T00:00:00Z' });
    clock.set('2027-01-01T00:00:01Z');
    files.check();
    expect(last()?.level).to.equal('error');
    expect(last()?.message).to.include('expired');
  });
});

describe('ServiceKey', () => {
  const folder = useTemporaryFolder();

  it('names the file, setting and remedy if the key is missing or malformed, without showing it', () => {
    expect(() => ServiceKey.open(folder.path('auth.key'))).to.throw(
      OperatorError,
      /SIGNING_AUTH_KEY_FILE.*auth\.key.*token issue --service/,
    );
    const file = folder.file('auth.key', 'correct-h0rse');
    expect(() => ServiceKey.open(file))
      .to.throw(OperatorError, /SIGNING_AUTH_KEY_FILE/)
      .and.not.match(/h0rse/);
  });
});

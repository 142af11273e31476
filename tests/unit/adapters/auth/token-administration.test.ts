import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { expect } from 'chai';
import sodium from 'sodium-native';
import { readAuthorities } from '../../../../src/adapters/auth/authorities-file.ts';
import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import {
  TokenAdministration,
  type TokenAdministrationParts,
} from '../../../../src/adapters/auth/token-administration.ts';
import type { TokenSpec, TokenSubject } from '../../../../src/domain/model/authentication.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { requestContent, requestFields, TestKey } from '../../../authentication/parties.ts';
import { bytesField } from '../../../authentication/wire.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { bs58 } from '../../../harness/base58.ts';
import { useTemporaryFolder } from '../secret-files/temporary-folder.ts';

const DAY_MS = 86_400_000;
const CLIENT = new TestKey(0xc1);

/** 64 hex digits that are also a valid public key: about one in sixteen. */
function usableSeed(): string {
  for (let first = 0; ; first += 1) {
    const bytes = Buffer.alloc(32, first);
    if (sodium.crypto_core_ed25519_is_valid_point(bytes)) return bytes.toString('hex');
  }
}

describe('TokenAdministration', () => {
  const folder = useTemporaryFolder();
  const make = (given: Partial<TokenAdministrationParts> = {}) =>
    new TokenAdministration({
      authoritiesFile: folder.path('config/authorities.txt'),
      keyFile: folder.path('config/auth.key'),
      tokenFile: folder.path('config/token.txt'),
      verifier: new SodiumSignatureVerifier(),
      clock: new FixedClock(),
      ...given,
    });
  let tokens: TokenAdministration;
  const keyFile = () => folder.path('authority.key');
  beforeEach(() => {
    tokens = make();
  });

  const spec = (given: Partial<TokenSpec> = {}): TokenSpec => ({
    username: 'desk-1',
    validity: { forMs: 90 * DAY_MS },
    authorityKeyFile: keyFile(),
    subject: { kind: 'public-key', text: CLIENT.publicKey.toString('hex') },
    outFile: null,
    ...given,
  });

  it('creates a trusted authority, and issues tokens from it', () => {
    const authority = tokens.createAuthority(keyFile(), true);
    const issued = tokens.issue(spec());
    expect(issued).to.include({ username: 'desk-1', expirationTime: '2027-02-18T08:49:00Z', isBelieved: true });
    expect(issued).to.include({ keyFile: null, isNewKey: false, tokenFile: null });
    expect(tokens.inspect(issued.token)).to.deep.equal({
      message: 'AccessToken',
      username: 'desk-1',
      publicKey: issued.publicKey,
      expirationTime: '2027-02-18T08:49:00Z',
      hasExpired: false,
      issuer: authority.publicKey,
      request: null,
    });
  });

  it('creates a key for the bearer, and one for the service that it reuses', () => {
    tokens.createAuthority(keyFile(), true);
    const made = tokens.issue(spec({ subject: { kind: 'new-key-file', file: folder.path('desk.key') } }));
    expect(made).to.include({ keyFile: folder.path('desk.key'), isNewKey: true });
    const [first, second] = [0, 1].map(() => tokens.issue(spec({ subject: { kind: 'service' } })));
    expect(first?.isNewKey).to.equal(true);
    expect(second?.isNewKey).to.equal(false);
    expect(second?.publicKey).to.equal(first?.publicKey);
  });

  it('keeps an explicit expiration time as given', () => {
    tokens.createAuthority(keyFile(), true);
    const until = '2027-01-31T00:00:00Z';
    expect(tokens.issue(spec({ validity: { until } })).expirationTime).to.equal(until);
  });

  it('shows the content of a request message', () => {
    tokens.createAuthority(keyFile(), true);
    const token = Buffer.from(tokens.issue(spec()).token, 'base64');
    const claims = { token, servicePublicKey: CLIENT.publicKey, time: 1795164541.5, nonce: Buffer.alloc(16, 9) };
    const signature = CLIENT.sign(requestContent(claims, { method: 'GET', target: '/', body: '' }));
    const message = Buffer.concat([requestFields(claims), bytesField(5, signature)]).toString('base64');
    const { message: kind, username, request } = tokens.inspect(`${message}\n`);
    expect({ kind, username }).to.deep.equal({ kind: 'RequestAuthInfo', username: 'desk-1' });
    expect(request).to.include({ time: '2026-11-20T08:49:01.500Z', nonce: '09'.repeat(16) });
  });

  const refused: readonly [title: string, action: (tokens: TokenAdministration) => unknown, reason: RegExp][] = [
    ['the username of those who have none', (all) => all.issue(spec({ username: 'anonymous' })), /anonymous/],
    ['an expiry in the past', (all) => all.issue(spec({ validity: { until: '2026-11-20T08:49:00Z' } })), /in the past/],
    ['an invalid expiry', (all) => all.issue(spec({ validity: { until: '2027-02-29' } })), /2027-01-31T00:00:00Z/],
    ['no public key', (all) => all.issue(spec({ subject: { kind: 'public-key', text: 'x' } })), /public key/],
    [
      'an authority that is not there',
      (all) => all.issue(spec({ authorityKeyFile: folder.path('none.key') })),
      /none\.key/,
    ],
    [
      'an existing key file',
      (all) => all.issue(spec({ subject: { kind: 'new-key-file', file: keyFile() } })),
      /authority\.key/,
    ],
    ['an existing token file', (all) => all.issue(spec({ outFile: keyFile() })), /authority\.key/],
    ['another authority in the same file', (all) => all.createAuthority(keyFile(), true), /authority\.key/],
    ['to show an invalid message', (all) => all.inspect('AAAA'), /AccessToken/],
  ];
  for (const [title, action, reason] of refused) {
    it(`refuses ${title}, and reports why`, () => {
      tokens.createAuthority(keyFile(), true);
      expect(() => action(tokens)).to.throw(OperatorError, reason);
    });
  }

  const issue = (subject: TokenSubject, outFile: string | null = null, given: Partial<TokenAdministrationParts> = {}) =>
    make(given).issue({
      username: 'desk-1',
      validity: { forMs: 1000 },
      authorityKeyFile: folder.path('authority.key'),
      subject,
      outFile,
    });
  const configured = (name: string, text: string) => {
    mkdirSync(folder.path('config'), { recursive: true });
    return folder.file(`config/${name}`, text);
  };
  const modeOf = (name: string) => statSync(folder.path(name)).mode & 0o777;

  it('writes keys readable by their owner only, and public files readable by all', () => {
    make().createAuthority(folder.path('authority.key'), true);
    issue({ kind: 'service' });
    const { token } = issue({ kind: 'service' });
    expect(readFileSync(folder.path('config/token.txt'), 'utf8')).to.equal(`${token}\n`);
    issue({ kind: 'new-key-file', file: folder.path('new/desk.key') }, folder.path('desk.token'));
    for (const name of ['authority.key', 'config/auth.key', 'new/desk.key']) {
      expect(modeOf(name), name).to.equal(0o600);
      expect(readFileSync(folder.path(name), 'utf8')).to.match(/^[0-9a-f]{64}\n$/);
    }
    for (const name of ['config/authorities.txt', 'config/token.txt', 'desk.token']) {
      expect(modeOf(name) & 0o444, name).to.equal(0o444);
    }
  });

  it('appends to the authority list, adds a missing line break and keeps existing text', () => {
    const tokens = make();
    const { publicKey: first } = tokens.createAuthority(folder.path('authority.key'), true);
    folder.file('config/authorities.txt', `# of the trading desk\n${first} # since 2026`);
    const { publicKey: second } = tokens.createAuthority(folder.path('other.key'), true);
    const text = readFileSync(folder.path('config/authorities.txt'), 'utf8');
    expect(text).to.equal(`# of the trading desk\n${first} # since 2026\n${second}\n`);
  });

  it('creates no authority for a full list, and leaves the list unchanged', () => {
    const keys = Array.from({ length: 16 }, (_, index) => new TestKey(index + 1).publicKey.toString('hex'));
    const list = configured('authorities.txt', `${keys.slice(0, 15).join('\n')}\n`);
    expect(make().createAuthority(folder.path('sixteenth.key'), true).authoritiesFile).to.equal(list);
    expect(readAuthorities(list, false)).to.have.length(16);
    const full = readFileSync(list, 'utf8');
    const add = () => make().createAuthority(folder.path('new/other.key'), true);
    expect(add).to.throw(OperatorError, list).with.property('message').that.includes('Remove one');
    expect(existsSync(folder.path('new'))).to.equal(false);
    expect(readFileSync(list, 'utf8')).to.equal(full);
    expect(make().createAuthority(folder.path('other.key'), false).authoritiesFile).to.equal(null);
  });

  it('creates no authority for a malformed list, or if another line would exceed its size limit', () => {
    const { publicKey } = make().createAuthority(folder.path('authority.key'), true);
    for (const [text, reason] of [
      ['nonsense\n', 'line 1'],
      [`${publicKey}\n#${'x'.repeat(65_536 - publicKey.length - 12)}`, 'Shorten'],
    ] as const) {
      folder.file('config/authorities.txt', text);
      expect(() => make().createAuthority(folder.path('other.key'), true)).to.throw(OperatorError, reason);
      expect(existsSync(folder.path('other.key'))).to.equal(false);
    }
  });

  it('keeps no key of an authority that could not be put on the list or in its folder', () => {
    folder.file('file', 'x');
    const tokens = make({ authoritiesFile: folder.path('file/authorities.txt') });
    expect(() => tokens.createAuthority(folder.path('new/authority.key'), true)).to.throw(OperatorError, 'file');
    expect(existsSync(folder.path('new'))).to.equal(false);
    expect(() => make().createAuthority(folder.path('file/authority.key'), true)).to.throw(OperatorError, 'file');
  });

  it('keeps the service token and creates no key if the authority is not on the list', () => {
    const { publicKey } = make().createAuthority(folder.path('authority.key'), false);
    for (const list of [null, `${new TestKey(1).publicKey.toString('hex')}\n`]) {
      if (list !== null) configured('authorities.txt', list);
      configured('token.txt', 'as it was');
      expect(() => issue({ kind: 'service' }))
        .to.throw(OperatorError, publicKey)
        .with.property('message')
        .that.includes(folder.path('config/authorities.txt'));
      expect(readFileSync(folder.path('config/token.txt'), 'utf8')).to.equal('as it was');
      expect(existsSync(folder.path('config/auth.key'))).to.equal(false);
    }
    const ofClient = { kind: 'public-key', text: CLIENT.publicKey.toString('hex') } as const;
    expect(issue(ofClient).isBelieved).to.equal(false);
    folder.file('config/authorities.txt', publicKey);
    expect(issue({ kind: 'service' }).isBelieved).to.equal(true);
  });

  it('leaves no key, folder or partial file if the token cannot be written', () => {
    make().createAuthority(folder.path('authority.key'), true);
    const desk = { kind: 'new-key-file', file: folder.path('new/desk.key') } as const;
    for (const outFile of [folder.path('none/desk.token'), folder.path('authority.key/desk.token'), desk.file]) {
      expect(() => issue(desk, outFile), outFile).to.throw(OperatorError, outFile);
      expect(existsSync(folder.path('new')), outFile).to.equal(false);
    }
    const tokenFile = folder.path('config');
    expect(() => issue({ kind: 'service' }, null, { tokenFile })).to.throw(OperatorError);
    expect(existsSync(folder.path('config/auth.key'))).to.equal(false);
    expect(existsSync(`${tokenFile}.tmp`)).to.equal(false);
  });

  it('accepts an Ed25519 public key in PEM, as OpenSSL writes it, and no other type', () => {
    make().createAuthority(folder.path('authority.key'), true);
    const { publicKey } = generateKeyPairSync('ed25519');
    const file = folder.file('desk.pub', publicKey.export({ type: 'spki', format: 'pem' }));
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    expect(issue({ kind: 'public-key-file', file }).publicKey).to.equal(bs58.encode(raw));
    const other = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' });
    const wrong = folder.file('other.pub', other);
    expect(() => issue({ kind: 'public-key-file', file: wrong })).to.throw(OperatorError, 'public key');
  });

  it('refuses a public key file that only its owner can read, without showing its content', () => {
    make().createAuthority(folder.path('authority.key'), true);
    const seed = usableSeed();
    const file = folder.file('desk.key', `${seed}\n`);
    for (const mode of [0o600, 0o622]) {
      chmodSync(file, mode);
      const refused = expect(() => issue({ kind: 'public-key-file', file })).to.throw(
        OperatorError,
        'looks like a private key',
      );
      refused.with.property('message').that.includes('chmod 644').and.does.not.include(seed.slice(0, 8));
    }
    for (const mode of [0o640, 0o604]) {
      chmodSync(file, mode);
      expect(issue({ kind: 'public-key-file', file }).publicKey).to.equal(bs58.encode(Buffer.from(seed, 'hex')));
    }
  });

  it('accepts a PEM public key from an owner-only file: no private key has that header', () => {
    make().createAuthority(folder.path('authority.key'), true);
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const file = folder.file('desk.pub', publicKey.export({ type: 'spki', format: 'pem' }));
    chmodSync(file, 0o600);
    issue({ kind: 'public-key-file', file });
    const own = folder.file('desk.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }));
    chmodSync(own, 0o600);
    expect(() => issue({ kind: 'public-key-file', file: own })).to.throw(OperatorError, 'looks like a private key');
  });

  it('reports that an invalid point may be a private key, without showing it', () => {
    make().createAuthority(folder.path('authority.key'), true);
    // y = 2 is on no point of the curve (RFC 8032 §5.1.3).
    const seed = `02${'00'.repeat(31)}`;
    const file = folder.file('desk.key', seed);
    chmodSync(file, 0o644);
    for (const subject of [
      { kind: 'public-key-file', file },
      { kind: 'public-key', text: seed },
    ] as const) {
      const refused = expect(() => issue(subject)).to.throw(OperatorError, 'may be a private key');
      refused.with.property('message').that.does.not.include('0000');
    }
  });

  it('refuses an authority key that others can read', () => {
    make().createAuthority(folder.path('authority.key'), true);
    chmodSync(folder.path('authority.key'), 0o644);
    expect(() => issue({ kind: 'service' })).to.throw(OperatorError, 'chmod 600');
    expect(existsSync(folder.path('config/auth.key'))).to.equal(false);
  });
});

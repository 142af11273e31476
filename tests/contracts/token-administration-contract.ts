import { expect } from 'chai';
import type { TokenAdministration } from '../../src/adapters/auth/token-administration.ts';
import type { TokenSpec } from '../../src/domain/model/authentication.ts';
import { EditRefusedError } from '../../src/domain/model/errors.ts';
import { requestContent, requestFields, TestKey } from '../authentication/parties.ts';
import { bytesField } from '../authentication/wire.ts';

const DAY_MS = 86_400_000;
const CLIENT = new TestKey(0xc1);
const SMALL_ORDER = `01${'00'.repeat(31)}`;

/**
 * Contract of every TokenAdministration.
 * @param make one without authorities, at 2026-11-20T08:49:00Z
 * @param path of a file that does not exist, by name
 */
export function describeTokenAdministrationContract(
  name: string,
  make: () => TokenAdministration,
  path: (name: string) => string,
): void {
  describe(`TokenAdministration contract: ${name}`, () => {
    let tokens: TokenAdministration;
    const keyFile = () => path('authority.key');
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

    it('creates an untrusted authority if requested', () => {
      expect(tokens.createAuthority(keyFile(), false).authoritiesFile).to.equal(null);
      const issued = tokens.issue(spec());
      expect(issued.isBelieved).to.equal(false);
      expect(tokens.inspect(issued.token).issuer).to.equal(null);
    });

    it('trusts a second authority next to the first', () => {
      const first = tokens.createAuthority(keyFile(), true);
      const second = tokens.createAuthority(path('other.key'), true);
      const issuers = [keyFile(), path('other.key')].map((authorityKeyFile) => {
        return tokens.inspect(tokens.issue(spec({ authorityKeyFile })).token).issuer;
      });
      expect(issuers).to.deep.equal([first.publicKey, second.publicKey]);
    });

    it('accepts a public key as hex or base58', () => {
      tokens.createAuthority(keyFile(), true);
      const { publicKey } = tokens.issue(spec());
      expect(tokens.issue(spec({ subject: { kind: 'public-key', text: publicKey } })).publicKey).to.equal(publicKey);
    });

    it('creates a key for the bearer, and one for the service that it reuses', () => {
      tokens.createAuthority(keyFile(), true);
      const made = tokens.issue(spec({ subject: { kind: 'new-key-file', file: path('desk.key') } }));
      expect(made).to.include({ keyFile: path('desk.key'), isNewKey: true });
      const [first, second] = [0, 1].map(() => tokens.issue(spec({ subject: { kind: 'service' } })));
      expect(first?.isNewKey).to.equal(true);
      expect(second?.isNewKey).to.equal(false);
      expect(second?.publicKey).to.equal(first?.publicKey);
    });

    it('refuses a service token of an untrusted authority, names its key, and creates none', () => {
      tokens.createAuthority(keyFile(), true);
      const other = path('other.key');
      const { publicKey } = tokens.createAuthority(other, false);
      const service = spec({ subject: { kind: 'service' } });
      expect(() => tokens.issue({ ...service, authorityKeyFile: other })).to.throw(EditRefusedError, publicKey);
      // Otherwise the key would already exist.
      expect(tokens.issue(service)).to.include({ isNewKey: true, isBelieved: true });
    });

    it('creates no key if the token cannot be written, so that the call can be retried', () => {
      tokens.createAuthority(keyFile(), true);
      const desk = spec({ subject: { kind: 'new-key-file', file: path('desk.key') } });
      expect(() => tokens.issue({ ...desk, outFile: path('none/desk.token') })).to.throw(EditRefusedError, 'none');
      expect(tokens.issue({ ...desk, outFile: path('desk.token') }).isNewKey).to.equal(true);
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
      ['an invalid username', (all) => all.issue(spec({ username: 'desk*' })), /username/],
      ['the username of those who have none', (all) => all.issue(spec({ username: 'anonymous' })), /anonymous/],
      [
        'an expiry in the past',
        (all) => all.issue(spec({ validity: { until: '2026-11-20T08:49:00Z' } })),
        /in the past/,
      ],
      ['an invalid expiry', (all) => all.issue(spec({ validity: { until: '2027-02-29' } })), /2027-01-31T00:00:00Z/],
      ['no public key', (all) => all.issue(spec({ subject: { kind: 'public-key', text: 'x' } })), /public key/],
      [
        'a key of small order',
        (all) => all.issue(spec({ subject: { kind: 'public-key', text: SMALL_ORDER } })),
        /public key/,
      ],
      ['an authority that is not there', (all) => all.issue(spec({ authorityKeyFile: path('none.key') })), /none\.key/],
      [
        'an existing key file',
        (all) => all.issue(spec({ subject: { kind: 'new-key-file', file: keyFile() } })),
        /authority\.key/,
      ],
      ['an existing token file', (all) => all.issue(spec({ outFile: keyFile() })), /authority\.key/],
      ['another authority in the same file', (all) => all.createAuthority(keyFile(), true), /authority\.key/],
      ['to show an invalid message', (all) => all.inspect('AAAA'), /AccessToken/],
      ['to show malformed base64', (all) => all.inspect('no token'), /base64/],
    ];
    for (const [title, action, reason] of refused) {
      it(`refuses ${title}, and reports why`, () => {
        tokens.createAuthority(keyFile(), true);
        expect(() => action(tokens)).to.throw(EditRefusedError, reason);
      });
    }
  });
}

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { issueToken, signRequest } from '../authentication/parties.ts';
import { AUTHORITY, CLIENT, SERVICE } from '../harness/authenticated-service.ts';
import { bs58 } from '../harness/base58.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

describe('token', () => {
  const place = useWorkplace();
  const run = (...args: readonly string[]) => place.commandHere('token', ...args);
  const keyFile = () => ['--authority-key-file', place.path('authority.key')];
  const desk = () => ['--username', 'desk-1', '--new-key-file', place.path('desk.key'), '--out', place.path('desk')];
  let authority = '';

  before(async () => {
    for (const [setting, file] of [
      ['SIGNING_AUTH_AUTHORITIES_FILE', 'authorities'],
      ['SIGNING_AUTH_KEY_FILE', 'auth.key'],
      ['SIGNING_AUTH_TOKEN_FILE', 'auth.token'],
    ] as const) {
      place.environment[setting] = place.path(file);
    }
    const { stdout } = await run('authority', ...keyFile());
    authority = /^public key {2}(\w+)\n/.exec(stdout)?.[1] ?? '';
    expect(stdout).to.include(`key         ${place.path('authority.key')}\nlisted in   ${place.path('authorities')}\n`);
    await place.prepare('token', 'issue', ...keyFile(), ...desk(), '--expires-in', '1d');
  });

  it('authority leaves the list alone with --no-believe, whose tokens are then issued with a warning', async () => {
    const other = ['--authority-key-file', place.path('other.key')];
    const { stdout } = await run('authority', ...other, '--no-believe');
    expect(stdout).to.include('listed in   nowhere; add it to SIGNING_AUTH_AUTHORITIES_FILE');
    expect(readFileSync(place.path('authorities'), 'utf8')).to.equal(`${authority}\n`);
    const options = ['--username', 'a', '--new-key-file', place.path('a.key'), '--out', place.path('a')];
    const issued = await run('issue', ...other, ...options, '--expires', '2099-01-31T00:00:00Z');
    expect(issued.stdout)
      .to.match(/^username {4}a\n/)
      .and.include('\nexpires     2099-01-31T00:00:00Z\n');
    expect(issued.stdout).to.include('\nwarning: this service does not trust the authority');
    const inspected = await run('inspect', place.path('a'));
    expect(inspected.exitCode).to.equal(2);
    expect(inspected.stdout).to.include('authority   not trusted (SIGNING_AUTH_AUTHORITIES_FILE)');
  });

  it('issue prints only the token if it is not written to a file, so that it can be piped', async () => {
    const options = ['--username', 'desk-2', '--public-key', authority, '--expires-in', '30m'];
    const { stdout } = await run('issue', ...keyFile(), ...options);
    expect(stdout).to.match(/^[A-Za-z0-9+/]+=*\n$/);
  });

  it("issue gives the service's own token its default name", async () => {
    const { stdout } = await run('issue', ...keyFile(), '--service', '--expires-in', '12h', '--json');
    const document = JSON.parse(stdout);
    expect(document).to.include({ username: 'signing-service', isBelieved: true, tokenFile: place.path('auth.token') });
    expect((Date.parse(document.expirationTime) - Date.now()) / 3_600_000).to.be.within(11.9, 12.1);
  });

  for (const [options, reason] of [
    [['--username', 'a', '--expires-in', '1d'], /exactly one of --public-key/],
    [['--service', '--username', 'a', '--expires-in', '1d', '--public-key', 'x'], /exactly one of --public-key/],
    [['--username', 'a', '--public-key', 'x'], /--expires-in and --expires/],
    [['--public-key', 'x', '--expires-in', '1d'], /--username is required/],
    [['--service', '--expires-in', '1d', '--out', 'x'], /--out cannot be combined with --service/],
    [['--service', '--expires-in', '0d'], /30m, 12h or 90d/],
    [['--service', '--expires-in', '3661d'], /30m, 12h or 90d/],
  ] as const) {
    it(`issue refuses ${options.join(' ')}`, async () => {
      const { stdout, stderr, exitCode } = await run('issue', ...keyFile(), ...options);
      expect([stdout, exitCode]).to.deep.equal(['', 2]);
      expect(stderr).to.match(reason);
    });
  }

  it('inspect shows a token of a trusted authority', async () => {
    const { stdout, exitCode } = await run('inspect', place.path('desk'));
    expect(exitCode).to.equal(0);
    expect(stdout).to.match(/^message {5}AccessToken\nusername {4}desk-1\n/);
    expect(stdout).to.match(new RegExp(`\\nauthority {3}${authority}\\n$`));
  });

  it('inspect shows the header of a request, and exits as a refusal if its token is expired', async () => {
    appendFileSync(place.path('authorities'), `${bs58.encode(AUTHORITY.publicKey)}\n`);
    const claims = { username: 'desk-3', publicKey: CLIENT.publicKey, expirationTime: '2020-01-31T00:00:00Z' };
    const token = issueToken(AUTHORITY, claims);
    const sent = { token, servicePublicKey: SERVICE.publicKey, time: 1, nonce: Buffer.alloc(16, 7) };
    const header = signRequest(CLIENT, sent, { method: 'GET', target: '/', body: '' });
    writeFileSync(place.path('header'), header.toString('base64'));
    const { stdout, exitCode } = await run('inspect', place.path('header'));
    expect(exitCode).to.equal(2);
    expect(stdout).to.match(/^message {5}RequestAuthInfo\nusername {4}desk-3\n/);
    expect(stdout).to.include('\nexpires     2020-01-31T00:00:00Z (expired)\n');
    expect(stdout).to.match(/\nservice {5}\w+\ntime {8}1970-01-01T00:00:01\.000Z\nnonce {7}(?:07){16}\n$/);
  });

  it('inspect names a file that cannot be read', async () => {
    const { stderr, exitCode } = await run('inspect', place.path('none.token'));
    expect(exitCode).to.equal(2);
    expect(stderr).to.include('none.token').and.include('ENOENT');
  });
});

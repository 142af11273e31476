import { expect } from 'chai';
import { tokenAuthorityCommand } from '../../../../../src/adapters/cli/token/authority-command.ts';
import { tokenInspectCommand } from '../../../../../src/adapters/cli/token/inspect-command.ts';
import { tokenIssueCommand } from '../../../../../src/adapters/cli/token/issue-command.ts';
import type { IssuedToken, TokenInspection, TokenSpec } from '../../../../../src/domain/model/authentication.ts';
import { OperatorError } from '../../../../../src/domain/model/errors.ts';
import { useTemporaryFolder } from '../../secret-files/temporary-folder.ts';
import { runCommand } from '../run-command.ts';

const ISSUED: IssuedToken = {
  token: 'dG9rZW4=',
  username: 'desk-1',
  publicKey: 'PublicKey',
  expirationTime: '2027-01-01T00:00:00Z',
  keyFile: 'desk.key',
  isNewKey: true,
  tokenFile: 'desk.token',
  isBelieved: true,
};

const FOUND: TokenInspection = {
  message: 'AccessToken',
  username: 'desk-1',
  publicKey: 'PublicKey',
  expirationTime: '2027-01-01T00:00:00Z',
  hasExpired: false,
  issuer: 'Authority',
  request: null,
};

describe('token authority', () => {
  const run = (...args: readonly string[]) => {
    const requested: unknown[] = [];
    const createAuthority = (keyFile: string, believe: boolean) => {
      requested.push([keyFile, believe]);
      return { publicKey: 'PublicKey', keyFile, authoritiesFile: believe ? 'authorities.txt' : null };
    };
    const tokens = async () => ({ createAuthority }) as never;
    return runCommand(tokenAuthorityCommand, args, undefined, { tokens }).then((result) => ({
      ...result,
      asked: requested,
    }));
  };

  it('leaves the list alone with --no-believe', async () => {
    const { asked: requested, stdout } = await run('--authority-key-file', 'a.key', '--no-believe', '--json');
    expect(requested).to.deep.equal([['a.key', false]]);
    expect(JSON.parse(stdout)).to.deep.equal({ publicKey: 'PublicKey', keyFile: 'a.key', authoritiesFile: null });
  });
});

describe('token issue', () => {
  const run = (issued: IssuedToken, ...args: readonly string[]) => {
    const specs: TokenSpec[] = [];
    const issue = (spec: TokenSpec) => {
      specs.push(spec);
      return issued;
    };
    const tokens = async () => ({ issue }) as never;
    return runCommand(tokenIssueCommand, ['--authority-key-file', 'a.key', ...args], undefined, { tokens }).then(
      (result) => ({ ...result, wishes: specs }),
    );
  };

  it('prints only the token if it is not written to a file, so that it can be piped', async () => {
    const options = ['--username', 'desk-1', '--expires', '2027-01-01T00:00:00Z', '--public-key-file', 'desk.pub'];
    const { wishes: specs, stdout } = await run({ ...ISSUED, tokenFile: null }, ...options);
    expect(stdout).to.equal('dG9rZW4=\n');
    expect(specs[0]).to.deep.include({
      validity: { until: '2027-01-01T00:00:00Z' },
      subject: { kind: 'public-key-file', file: 'desk.pub' },
      outFile: null,
    });
  });

  it("requests the service's own token under its default name", async () => {
    const { wishes: specs } = await run(ISSUED, '--service', '--expires-in', '12h');
    expect(specs[0]).to.deep.include({
      username: 'signing-service',
      validity: { forMs: 12 * 3_600_000 },
      subject: { kind: 'service' },
    });
  });

  it('warns when this service will not accept the token', async () => {
    const options = ['--username', 'desk-1', '--expires-in', '1d', '--new-key-file', 'desk.key', '--out', 'desk.token'];
    const { stdout } = await run({ ...ISSUED, isBelieved: false }, ...options);
    expect(stdout).to.include('warning: this service does not trust the authority');
  });

  for (const [options, reason] of [
    [['--username', 'a', '--expires-in', '1d'], /exactly one of --public-key/],
    [['--username', 'a', '--public-key', 'x'], /--expires-in and --expires/],
    [['--public-key', 'x', '--expires-in', '1d'], /--username is required/],
    [['--service', '--expires-in', '1d', '--out', 'x'], /--out cannot be combined with --service/],
    [['--service', '--expires-in', '0d'], /30m, 12h or 90d/],
    [['--service', '--expires-in', '3661d'], /30m, 12h or 90d/],
  ] as const) {
    it(`refuses ${options.join(' ')}`, async () => {
      const { wishes: specs, stderr } = await run(ISSUED, ...options);
      expect(specs).to.deep.equal([]);
      expect(stderr).to.match(reason);
    });
  }
});

describe('token inspect', () => {
  const folder = useTemporaryFolder();
  const run = (found: TokenInspection, ...args: readonly string[]) => {
    const texts: string[] = [];
    const inspect = (text: string) => {
      texts.push(text);
      return found;
    };
    const tokens = async () => ({ inspect }) as never;
    return runCommand(tokenInspectCommand, args, undefined, { tokens }).then((result) => ({ ...result, texts }));
  };

  it('exits as a refusal for a token that is expired or from an unknown authority', async () => {
    const file = folder.file('desk.token', 'dG9rZW4=');
    const unknown = await run({ ...FOUND, issuer: null }, file);
    expect(unknown.stdout).to.include('not trusted (SIGNING_AUTH_AUTHORITIES_FILE)');
    expect(unknown.endedAsRefused).to.equal(true);
    const expired = await run({ ...FOUND, hasExpired: true }, file, '--json');
    expect(JSON.parse(expired.stdout)).to.include({ hasExpired: true });
    expect(expired.endedAsRefused).to.equal(true);
  });

  it('names a file that cannot be read', async () => {
    const { error, texts } = await run(FOUND, folder.path('none.token'));
    expect(error).to.be.instanceOf(OperatorError);
    expect(String(error)).to.include('none.token').and.include('ENOENT');
    expect(texts).to.deep.equal([]);
  });
});

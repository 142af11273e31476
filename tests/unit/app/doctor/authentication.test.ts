import { chmodSync, rmSync } from 'node:fs';
import { expect } from 'chai';
import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import { TokenAdministration } from '../../../../src/adapters/auth/token-administration.ts';
import { checkAuthentication } from '../../../../src/app/doctor/authentication.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { useTemporaryFolder } from '../../adapters/secret-files/temporary-folder.ts';

const DAY_MS = 86_400_000;

describe('checkAuthentication', () => {
  const folder = useTemporaryFolder();
  const now = Date.parse('2026-11-20T08:49:00Z');
  const files = () => ({
    authoritiesFile: folder.path('authorities.txt'),
    keyFile: folder.path('auth.key'),
    tokenFile: folder.path('token.txt'),
  });
  const check = (production = false) =>
    checkAuthentication({ ...readSettings({}), auth: { mode: 'required', ...files() }, production }, now);
  const last = async () => (await check()).at(-1);

  function setUp(forMs = 90 * DAY_MS): void {
    const parts = { ...files(), verifier: new SodiumSignatureVerifier(), clock: { now: () => now } };
    const tokens = new TokenAdministration(parts);
    const authorityKeyFile = folder.path('authority.key');
    tokens.createAuthority(authorityKeyFile, true);
    const subject = { kind: 'service' } as const;
    tokens.issue({ username: 'signing-service', validity: { forMs }, authorityKeyFile, subject, outFile: null });
  }

  it('accepts valid files, and reports identity and expiration of the service', async () => {
    setUp();
    expect(new Set((await check()).map(({ state }) => state))).to.deep.equal(new Set(['ok']));
    expect((await last())?.message).to.match(
      /^required; public key of the service: \w+; token valid until 2027-02-18T08:49:00Z; authorities: 1; nonces: separate/,
    );
  });

  it('warns when the token of the service expires soon', async () => {
    setUp(29 * DAY_MS);
    expect(await last()).to.include({
      state: 'warning',
      remedy: 'Issue another token: `signing-service token issue --service`.',
    });
  });

  it('fails for anything that prevents the service from starting, with the remedy', async () => {
    expect(await last()).to.include({ check: 'authentication', state: 'fail' });
    expect((await last())?.message)
      .to.include('SIGNING_AUTH_KEY_FILE')
      .and.include('token issue --service');
    setUp();
    rmSync(files().tokenFile);
    expect((await last())?.state).to.equal('fail');
    expect((await last())?.message).to.include('SIGNING_AUTH_TOKEN_FILE');
  });

  it('fails for a key that others can read and a list that others can write, but not only read', async () => {
    setUp();
    chmodSync(files().keyFile, 0o640);
    expect((await check())[0]?.state).to.equal('fail');
    chmodSync(files().keyFile, 0o600);
    chmodSync(files().authoritiesFile, 0o664);
    expect((await check())[1]).to.include({ check: 'auth-file', state: 'warning' });
    expect((await check())[1]?.remedy).to.include('chmod go-w');
    chmodSync(files().authoritiesFile, 0o644);
    expect((await check())[1]?.state).to.equal('ok');
  });
});

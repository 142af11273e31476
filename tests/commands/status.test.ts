import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { TIME_WINDOW_MS } from '../../src/domain/model/authentication.ts';
import { data, refusal, ScriptedServer, type Step, text } from '../client/scripted-server.ts';
import { type SecuredService, startSecuredService } from '../client/secured-service.ts';
import { ACTIVITY, CONTROL_CHARACTERS, poison, READY, STATUS } from '../doubles/status-data.ts';
import { type Ended, type ServiceHere, Workplace } from '../harness/service-process.ts';

describe('status', () => {
  const place = new Workplace();
  let service: ServiceHere;
  before(async () => {
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any', '--algorithm', 'ed25519');
    service = await place.startHere();
  });
  after(async () => {
    await service.stop();
    place.remove();
  });

  const status = (...args: readonly string[]) => place.commandHere('status', ...args);

  it('exits with 4 and names the check while the service is not ready, with 0 once it is', async () => {
    const before = await status('--url', service.url);
    expect(before).to.include({ exitCode: 4, stderr: '' });
    expect(before.stdout).to.match(/^Readiness +Not ready\n +Accounts failed: /m);

    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main');
    await service.reload();
    const after = await status('--url', service.url);
    expect(after).to.include({ exitCode: 0, stderr: '' });
    expect(after.stdout).to.match(/^Readiness +Ready$/m);
    expect(after.stdout).to.match(/^Accounts +1: alpha 1$/m);
    expect(after.stdout).to.match(/^Audit +.*audit\.jsonl, head \d+ \(sha256:[0-9a-f]{12}…\), /m);
  });

  it('prints one JSON document', async () => {
    const { stdout, exitCode } = await status('--url', service.url, '--json');
    expect(exitCode).to.equal(0);
    const document = JSON.parse(stdout);
    expect(document).to.include({ url: service.url, ready: true, problem: null });
    expect(document.checks.keys).to.deep.equal({ ok: true, detail: 'accounts: 1' });
    expect(document.status.accounts).to.deep.equal({ total: 1, byPlatform: { alpha: 1 } });
  });

  it("calls the operators' port of the settings, else the main port", async () => {
    const { port } = new URL(service.url);
    const call = (settings: { readonly [name: string]: string }) => {
      Object.assign(place.environment, settings);
      return status('--json');
    };
    const main = await call({ SIGNING_HOST: '0.0.0.0', SIGNING_PORT: port });
    expect(JSON.parse(main.stdout)).to.include({ url: `http://127.0.0.1:${port}`, ready: true });
    const admin = await call({ SIGNING_PORT: '1', SIGNING_ADMIN_HOST: '127.0.0.1', SIGNING_ADMIN_PORT: port });
    expect(JSON.parse(admin.stdout)).to.include({ url: `http://127.0.0.1:${port}`, ready: true });
    const free = await call({ SIGNING_ADMIN_PORT: '0' });
    expect(free).to.include({ exitCode: 2 });
    expect(free.stderr).to.include('use --url');
  });

  it('exits with 5 if nothing listens, and prints the problem with --json too', async () => {
    const closed = new ScriptedServer();
    const url = await closed.listen();
    await closed.close();
    const plain = await status('--url', url);
    expect(plain).to.include({ exitCode: 5, stdout: '' });
    expect(plain.stderr).to.match(/^error: Cannot reach the service at http:\S+\. Connection refused: .*--url/);
    const json = await status('--url', url, '--json');
    expect(json.exitCode).to.equal(5);
    expect(JSON.parse(json.stdout).problem.kind).to.equal('unreachable');
    expect(JSON.parse(json.stderr).error.exitCode).to.equal(5);
  });

  it('exits with 2 for an option that is wrong', async () => {
    const wrong: { readonly [message: string]: readonly string[] } = {
      'Cannot read nowhere.pem (ENOENT)': ['--url', 'https://signer', '--ca', 'nowhere.pem'],
      '--cert and --key must be set together': ['--url', 'https://signer', '--cert', place.path('credentials.json')],
      '--url is not https': ['--url', 'http://signer', '--ca', place.path('credentials.json')],
      '--url is not a valid URL': ['--url', 'signer'],
      '--token, --token-key, --service-key and --authority together': ['--url', 'http://signer', '--token', 'x'],
      "option '--watch' cannot be used with option '--json'": ['--json', '--watch'],
    };
    for (const [message, args] of Object.entries(wrong)) {
      const ended = await status(...args);
      expect(ended.exitCode, message).to.equal(2);
      expect(ended.stderr).to.include(message);
    }
  });
});

describe('status of a service with HTTPS', () => {
  let place: Workplace;
  let service: ServiceHere;

  /** Starts it with a certificate of this name; the command has its settings, and its port. */
  async function start(subjectAltName: string, issuer: readonly string[] = []): Promise<void> {
    const [certFile, keyFile] = [place.path('tls.crt'), place.path('tls.key')];
    makeCertificateOf('tls', subjectAltName, issuer);
    const tls = { SIGNING_HOST: '0.0.0.0', SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile };
    Object.assign(place.environment, tls);
    service = await place.startHere();
    place.environment['SIGNING_PORT'] = new URL(service.url).port;
  }

  function makeCertificateOf(name: string, subjectAltName: string, issuer: readonly string[]): void {
    const files = ['-keyout', place.path(`${name}.key`), '-out', place.path(`${name}.crt`)];
    const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${subjectAltName}`];
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    execFileSync('openssl', ['req', '-x509', ...key, ...subject, '-days', '30', ...files, ...issuer], {
      stdio: 'pipe',
    });
  }

  beforeEach(async () => {
    place = new Workplace();
    await place.prepare('init');
    await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any', '--algorithm', 'ed25519');
    await place.prepare('account', 'add', '--platform', 'alpha', '--account', 'main');
  });
  afterEach(() => place.remove());

  it('needs nothing but the settings, with a self-signed certificate for another name', async () => {
    await start('DNS:*.signers.internal');
    const { exitCode, stdout, stderr } = await place.commandHere('status', '--json');
    expect([exitCode, stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(stdout).url).to.equal(`https://127.0.0.1:${new URL(service.url).port}`);
  });

  it('needs nothing but the settings, with a certificate that an authority issued', async () => {
    makeCertificateOf('ca', 'DNS:ca.internal', []);
    await start('DNS:signer-1.internal', ['-CA', place.path('ca.crt'), '-CAkey', place.path('ca.key')]);
    expect((await place.commandHere('status')).exitCode).to.equal(0);
  });

  it('does not trust another certificate than that of the settings', async () => {
    await start('DNS:localhost,IP:127.0.0.1');
    makeCertificateOf('other', 'DNS:localhost,IP:127.0.0.1', []);
    place.environment['SIGNING_TLS_CERT_FILE'] = place.path('other.crt');
    const { exitCode, stderr } = await place.commandHere('status');
    expect(exitCode).to.equal(5);
    expect(stderr).to.include('Its certificate is not trusted.');
    place.environment['SIGNING_TLS_CERT_FILE'] = place.path('tls.key');
    expect((await place.commandHere('status')).stderr).to.include('has no certificate in PEM');
  });
});

describe('status of other servers', () => {
  const server = new ScriptedServer();
  const place = new Workplace();
  let url = '';
  before(async () => {
    url = await server.listen();
  });
  after(async () => {
    await server.close();
    place.remove();
  });

  /** Responds to both requests of the command. */
  function responding(ready: Step, status: (target: string) => Step, ...options: readonly string[]): Promise<Ended> {
    server.play((response, request) => {
      const step = request.target === '/readyz' ? ready : status(request.target);
      step(response, request);
    });
    return place.commandHere('status', '--url', url, ...options);
  }

  it('prints no control character of a hostile server, and keeps values as JSON', async () => {
    const hostile = poison({ ...STATUS, activity: ACTIVITY });
    const json = await responding(data(READY), () => data(hostile), '--json');
    expect(json.stdout).to.not.match(CONTROL_CHARACTERS);
    expect(JSON.parse(json.stdout).status).to.deep.equal(hostile);

    const details = poison({ reason: 'NO_PERMISSION' });
    const refused = await responding(data(READY), () => refusal(403, poison('FORBIDDEN'), details));
    expect(refused.stderr).to.not.match(CONTROL_CHARACTERS);
    expect(refused.stderr).to.include('NO_PERMISSION\\u{1b}');
    const document = await responding(data(READY), () => refusal(403, poison('FORBIDDEN'), details), '--json');
    expect(`${document.stdout}${document.stderr}`).to.not.match(CONTROL_CHARACTERS);
  });

  it('calls an older service, which refuses the parameter, without it', async () => {
    const { stdout, exitCode } = await responding(data(READY), (target) =>
      target === '/api/v1/status' ? data(STATUS) : refusal(400, 'INVALID_DATA_FORMAT', { issues: [] }),
    );
    expect(exitCode).to.equal(0);
    expect(stdout)
      .to.match(/^Signatures +no rate: this version/m)
      .and.not.match(/REFUSED|undefined/);
  });

  it('takes the readiness from the status if a proxy hides /readyz', async () => {
    const hidden = text(404, 'Not Found', {});
    expect((await responding(hidden, () => data(STATUS))).exitCode).to.equal(0);
    const degraded = await responding(hidden, () => data({ ...STATUS, status: 'degraded' }));
    expect(degraded.exitCode).to.equal(4);
    expect(degraded.stdout).to.match(/Not ready\n +Status degraded$/m);
  });

  const refusals: { readonly [name: string]: readonly [Step, RegExp] } = {
    'an unknown caller': [
      refusal(401, 'UNAUTHENTICATED', { reason: 'NO_TOKEN' }),
      /401.*NO_TOKEN[\s\S]*--cert and --key/,
    ],
    'a caller without permission': [refusal(403, 'FORBIDDEN', { reason: 'x' }), /403[\s\S]*the permission `status`/],
    'a port without the status': [refusal(404, 'NOT_FOUND'), /404[\s\S]*SIGNING_ADMIN_HOST and SIGNING_ADMIN_PORT/],
    'another server': [text(200, '<html>', { 'Content-Type': 'text/html' }), /is not JSON\. Does --url name/],
  };
  for (const [name, [step, message]] of Object.entries(refusals)) {
    it(`exits with 5, with advice: ${name}`, async () => {
      const ended = await responding(data(READY), () => step);
      expect(ended.exitCode).to.equal(5);
      expect(ended.stderr).to.match(message);
      expect(ended.stdout).to.match(/^Readiness +Ready$/m);
    });
  }
});

describe('status of a service with HTTPS, client certificates and access tokens', () => {
  let secured: SecuredService;
  let keyFile = '';
  const now = Date.now;
  before(async () => {
    secured = await startSecuredService();
    keyFile = secured.place.path('bot.key.pem');
    writeFileSync(keyFile, String(secured.tls.key));
  });
  after(async () => {
    Date.now = now;
    await secured.service.stop();
    secured.place.remove();
  });

  const file = (source: unknown) => (source as { readonly file: string }).file;
  const status = (...args: readonly string[]) => secured.place.commandHere('status', ...args);
  const ca = () => ['--ca', file(secured.tls.ca)];
  const certificate = () => ['--cert', file(secured.tls.cert), '--key', keyFile];
  const token = () => {
    const { token, privateKey, serviceKey, authorityKeys } = secured.authentication;
    const authorities = authorityKeys.flatMap((key) => ['--authority', key]);
    return ['--token', file(token), '--token-key', file(privateKey), '--service-key', serviceKey, ...authorities];
  };

  it('exits with 4 while requests are refused because the service is not ready', async () => {
    const ended = await status('--url', secured.service.adminUrl ?? '', ...ca(), ...certificate(), ...token());
    expect(ended.exitCode).to.equal(4);
    expect(ended.stdout).to.match(/^Readiness +Not ready\n +Authentication failed: Nonces /m);
    expect(ended.stderr).to.match(
      /^error: The service refuses the status with 503 NOT_READY: .*REPLAY_GUARD_UNAVAILABLE/,
    );
    // The service rejects requests made before it started, give or take the window.
    Date.now = () => now() + TIME_WINDOW_MS + 1000;
  });

  it('shows certificate and access token of the service to a caller that has both', async () => {
    const ended = await status('--url', secured.service.adminUrl ?? '', ...ca(), ...certificate(), ...token());
    expect(ended).to.include({ exitCode: 0, stderr: '' });
    expect(ended.stdout).to.match(/^Certificate +expires \S+, (?:29|30) days left$/m);
    expect(ended.stdout).to.match(/^Access token +expires \S+, [01] days? left: renew it$/m);
  });

  it('explains a missing client certificate or access token', async () => {
    const url = ['--url', secured.service.adminUrl ?? '', ...ca()];
    for (const args of [
      [...url, ...token()],
      [...url, ...certificate()],
    ]) {
      const ended = await status(...args);
      expect(ended.exitCode).to.equal(5);
      expect(ended.stderr).to.match(/--cert and --key/);
    }
  });

  it("explains that the main port has no status if there is an operators' port", async () => {
    const ended = await status('--url', secured.service.url, ...ca(), ...certificate(), ...token());
    expect(ended.exitCode).to.equal(5);
    expect(ended.stderr).to.include('SIGNING_ADMIN_PORT');
  });

  it('never prints a key', async () => {
    const wrong = ['--token', keyFile, '--token-key', keyFile, '--service-key', 'x', '--authority', 'y'];
    const ended = await status('--url', secured.service.adminUrl ?? '', ...ca(), ...wrong);
    expect(ended.exitCode).to.equal(2);
    expect(ended.stderr).to.match(/^error: --token-key must be an Ed25519 private key/);
    expect(ended.stderr).to.not.include(readFileSync(keyFile, 'utf8').split('\n')[1]);
  });
});

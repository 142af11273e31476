import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeCertificate } from '../harness/certificates.ts';
import { addAccount } from '../harness/run-command.ts';
import { Authority } from '../harness/test-authority.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const FILES = ['credentials.json', 'authorities.txt', 'clients.crt', 'fingerprints.txt'];

describe('Files that control access', () => {
  const place = useWorkplace(['platform add --platform desk --format any'], { SIGNING_ADMIN_PORT: '0' });

  before(async () => {
    await addAccount(place.environment, 'desk', 'main', 'ed25519');
    Object.assign(place.environment, {
      SIGNING_AUTH_AUTHORITIES_FILE: place.path('authorities.txt'),
      SIGNING_AUTH_KEY_FILE: place.path('auth.key'),
      SIGNING_AUTH_TOKEN_FILE: place.path('auth-token.txt'),
    });
    const authority = ['--authority-key-file', place.path('authority.key')];
    await place.prepare('token', 'authority', ...authority);
    await place.prepare('token', 'issue', '--service', '--expires-in', '1d', ...authority);
    const { certFile, keyFile } = makeCertificate(place.folder, 'service', 30);
    const clients = new Authority(place.folder, 'clients');
    writeFileSync(place.path('fingerprints.txt'), `${'0'.repeat(64)}\n`);
    Object.assign(place.environment, {
      NODE_ENV: 'production',
      SIGNING_AUTH: 'optional',
      SIGNING_TLS_CERT_FILE: certFile,
      SIGNING_TLS_KEY_FILE: keyFile,
      SIGNING_TLS_CLIENT_CA_FILE: clients.certFile,
      SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: place.path('fingerprints.txt'),
    });
  });
  beforeEach(() => {
    place.environment['NODE_ENV'] = 'production';
    for (const name of FILES) chmodSync(place.path(name), 0o644);
  });

  for (const name of FILES) {
    it(`prevent startup in production, and fail doctor, while others can write them: ${name}`, async () => {
      const file = place.path(name);
      chmodSync(file, 0o664);
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text).to.include(file).and.include('(its mode is 0664)').and.include(`run \`chmod go-w ${file}\``);
      const doctor = await place.commandHere('doctor', '--json');
      expect(doctor.exitCode).to.equal(2);
      const { findings } = JSON.parse(doctor.stdout);
      const failed = findings.filter(({ state }: { readonly state: string }) => state === 'fail');
      expect(JSON.stringify(failed)).to.include(`run \`chmod go-w ${file}\``);
    });
  }

  it('prevent startup in production behind a link that others can replace', async () => {
    const open = place.path('open');
    const chain = place.path('chain.json');
    mkdirSync(open);
    chmodSync(open, 0o777);
    symlinkSync(place.path('credentials.json'), place.path('open/link.json'));
    symlinkSync('open/link.json', chain);
    place.environment['SIGNING_CREDENTIALS_FILE'] = chain;
    try {
      const { exitCode, text } = await place.refusalHere();
      expect(exitCode).to.equal(2);
      expect(text).to.include(chain).and.include(`run \`chmod o-w ${open}\``);
      const { stdout } = await place.commandHere('doctor', '--json');
      expect(stdout).to.include(`every user can replace it (folder ${open}, mode 0777)`);
    } finally {
      place.environment['SIGNING_CREDENTIALS_FILE'] = place.path('credentials.json');
      rmSync(open, { recursive: true });
      rmSync(chain);
    }
  });

  it('are rejected by a reload while others can write them; the old configuration stays active', async () => {
    const service = await place.start();
    try {
      for (const name of FILES) chmodSync(place.path(name), 0o664);
      service.process.signal('SIGHUP');
      await service.process.waitForLine(/"message":"Credentials could not be loaded\."/);
      const errors = service.process.stdout.split('\n').filter((line) => line.includes('"level":"error"'));
      // Only the first rejected file of client certificates is named.
      for (const name of ['credentials.json', 'authorities.txt', 'clients.crt']) {
        expect(errors.join('\n')).to.include(`chmod go-w ${place.path(name)}`);
      }
    } finally {
      await service.process.kill();
    }
  });

  it('are accepted outside production', async () => {
    place.environment['NODE_ENV'] = 'development';
    for (const name of FILES) chmodSync(place.path(name), 0o666);
    await (await place.startHere()).stop();
  });
});

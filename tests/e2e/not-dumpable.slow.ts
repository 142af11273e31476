import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { hardeningReport, type ServiceProcess, Workplace } from '../harness/service-process.ts';
import { START_OPTIONS } from '../harness/start-options.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

/** The image's user. */
const IMAGE_USER = 10_001;

/**
 * Lays out the built service in `folder` as the Dockerfile does, owned by root; others can execute
 * but not read node. Needs root.
 * @returns a Workplace launcher that starts programs from there, as the image's user with the
 * image's options
 */
function layOutImage(folder: string): readonly string[] {
  // Parent folders may be closed to others.
  chmodSync(folder, 0o755);
  const node = join(folder, 'node');
  copyService(join(folder, 'app'));
  copyFileSync(process.execPath, node);
  chownSync(node, 0, 0);
  chmodSync(node, 0o711);
  // setpriv keeps root's capabilities until its exec, and node would be readable; the exec of env
  // drops them.
  const user = `setpriv --reuid ${IMAGE_USER} --regid ${IMAGE_USER} --clear-groups env`;
  const program = `${folder}/app/dist/\${program##*/}`;
  return [
    '/bin/sh',
    '-c',
    `program=$2; shift 2; exec ${user} ${node} ${START_OPTIONS.join(' ')} "${program}" "$@"`,
    'sh',
  ];
}

/** `npm prune --omit=dev` without a network. */
function copyService(app: string): void {
  mkdirSync(app);
  const { packages } = JSON.parse(readProjectFile('package-lock.json'));
  const needed = Object.entries(packages as { [path: string]: { readonly dev?: true } })
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path]) => path);
  for (const path of ['package.json', 'dist', ...needed]) {
    // Packages of other platforms, or nested ones, may be absent.
    if (existsSync(join(PROJECT_ROOT, path))) cpSync(join(PROJECT_ROOT, path), join(app, path), { recursive: true });
  }
  // Independent of the umask.
  execFileSync('chmod', ['-R', 'a+rX', app]);
}

/** Reads a byte of a process's own files as another program of the image's user. */
function readAsSameUser(file: string) {
  return spawnSync('setpriv', [
    `--reuid=${IMAGE_USER}`,
    `--regid=${IMAGE_USER}`,
    '--clear-groups',
    'head',
    '-c',
    '1',
    file,
  ]);
}

// Only root can change the user; only Linux exposes memory as a file.
if (process.platform === 'linux' && process.geteuid?.() === 0) {
  describe('The service with a node binary that its user can execute but not read, as in the image,', () => {
    const image = mkdtempSync(join(tmpdir(), 'signing-service-image-'));
    const place = new Workplace({ NODE_ENV: 'production' });
    let service: ServiceProcess;

    before(async function () {
      this.timeout(120_000);
      place.launcher = layOutImage(image);
      chownSync(place.folder, IMAGE_USER, IMAGE_USER);
      await place.done('init');
      await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
      for (const algorithm of ['ed25519', 'eip191']) {
        await place.prepare('account', 'add', '--platform', 'alpha', '--account', algorithm, '--algorithm', algorithm);
      }
      // Root ran these commands.
      chownSync(place.path('credentials.json'), IMAGE_USER, IMAGE_USER);
      service = await place.start();
    });

    after(async () => {
      await place.remove();
      rmSync(image, { recursive: true });
    });

    it('runs as that user, who can read neither the binary nor the process memory', () => {
      const { pid } = service.process;
      // The folder always shows the user.
      expect(statSync(`/proc/${pid}`).uid).to.equal(IMAGE_USER);
      for (const file of ['mem', 'environ']) {
        expect(statSync(`/proc/${pid}/${file}`).uid, file).to.equal(0);
        const { status, stderr } = readAsSameUser(`/proc/${pid}/${file}`);
        expect(status, file).to.not.equal(0);
        expect(String(stderr), file).to.include('Permission denied');
      }
      expect(readAsSameUser(join(image, 'node')).status).to.not.equal(0);
    });

    it('signs, reloads and is healthy', async () => {
      for (const accountId of ['ed25519', 'eip191']) {
        const { status } = await service.post('/sign', { platformId: 'alpha', accountId, data: { a: 1 } });
        expect(status, accountId).to.equal(200);
      }
      expect((await service.post('/config/reload')).status).to.equal(200);
      place.environment['SIGNING_PORT'] = new URL(service.url).port;
      const health = await place.spawn('healthcheck.js', []).ended();
      place.environment['SIGNING_PORT'] = '0';
      expect(health).to.deep.equal({ stdout: '', stderr: '', exitCode: 0 });
    });

    it('logs that it is hardened in every respect it controls', async () => {
      const { missing = [], ...facts } = await hardeningReport(service);
      expect(facts['dumpable']).to.match(/^not dumpable/);
      expect(facts['core-dumps']).to.match(/^none/);
      expect(facts['memory']).to.equal('locked');
      for (const check of ['dumpable', 'core-dumps', 'node-options', 'memory']) expect(missing).to.not.include(check);
    });

    it('passes doctor, which can run the checks it needs', async () => {
      const { stdout, exitCode } = await place.command('doctor', '--json');
      const { findings } = JSON.parse(stdout);
      const states = Object.fromEntries(
        findings.map(({ check, state }: { check: string; state: string }) => [check, state]),
      );
      expect(states).to.deep.include({
        ...{ dumpable: 'ok', 'core-dumps': 'ok', 'node-options': 'ok', debugging: 'ok', memlock: 'ok', settings: 'ok' },
        ...{ production: 'ok', 'native-modules': 'ok', credentials: 'ok', 'master-key': 'ok', 'audit-file': 'ok' },
      });
      expect(exitCode).to.equal(0);
    });

    it('shuts down gracefully', async () => {
      const { exitCode, stderr } = await service.stop();
      expect(stderr).to.equal('');
      expect(exitCode).to.equal(0);
    });

    it('is dumpable if the binary is readable, and logs it (control)', async () => {
      chmodSync(join(image, 'node'), 0o755);
      const open = await place.start();
      const { missing, dumpable } = await hardeningReport(open);
      expect(dumpable).to.match(/^dumpable/);
      expect(missing).to.include('dumpable');
      expect(statSync(`/proc/${open.process.pid}/mem`).uid).to.equal(IMAGE_USER);
      await open.stop();
    });
  }).timeout(60_000);
}

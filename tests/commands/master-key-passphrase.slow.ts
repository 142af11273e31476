import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { MasterKey } from '../../src/adapters/credentials/keyring/master-key.ts';
import {
  MIN_PASSPHRASE_COST,
  openProtectedKey,
  parseProtectedKey,
  protectMasterKey,
} from '../../src/adapters/credentials/keyring/passphrase-protected-key.ts';
import { SodiumKeyStore } from '../../src/adapters/vault/sodium-key-store.ts';
import { writeAuthFiles } from '../harness/authenticated-caller.ts';
import { EXEMPT } from '../harness/locked-memory.ts';
import { Workplace } from '../harness/service-process.ts';
import { searchMemory } from '../process-memory/search.ts';
import { secretOf } from '../process-memory/secrets.ts';
import { whileStopped } from '../process-memory/stop.ts';
import { PROJECT_ROOT } from '../project-root.ts';
import { TerminalSession } from '../unit/adapters/passphrase/terminal-session.ts';

const DIST = join(PROJECT_ROOT, 'dist');
const PASSPHRASE = 'correct horse Ωmega battery';

// Needs script(1) of util-linux and Linux's process memory.
if (process.platform === 'linux') {
  describe('A master key with a passphrase', () => {
    const place = new Workplace();
    const sessions: TerminalSession[] = [];
    /** Content and mode of the new file. */
    let initial: { readonly text: string; readonly mode: number };
    let key: Buffer;

    before(async function () {
      this.timeout(60_000);
      Object.assign(place.environment, writeAuthFiles(place.folder), { SIGNING_AUTH: 'optional' });
      const session = at('cli.js init --passphrase');
      await type(session, /New passphrase for .*: /, PASSPHRASE);
      await type(session, /Repeat the passphrase: /, PASSPHRASE);
      await session.shows(/ended with 0\./);
      const file = place.path('master.key');
      initial = { text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 };
      key = protectCheaply();
      await place.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
      const adding = at('cli.js account add --platform alpha --account main --algorithm ed25519');
      await type(adding, /Passphrase for .*: /, PASSPHRASE);
      await adding.shows(/ended with 0\./);
    });
    after(() => place.remove());
    afterEach(() => {
      for (const session of sessions.splice(0)) session.close();
    });

    /**
     * Runs a program on a terminal, within 64 KiB of locked memory; prints process id and exit
     * code.
     */
    function at(command: string): TerminalSession {
      const limited = `sh -c 'echo "process $$."; ulimit -l 64; exec "$@"' sh ${EXEMPT.join(' ')}`;
      return open(`${limited} ${shellCommand(command)}; echo "ended with $?."`);
    }

    function open(command: string): TerminalSession {
      const session = new TerminalSession(command);
      sessions.push(session);
      return session;
    }

    function shellCommand(command: string): string {
      const settings = Object.entries(place.environment).map(([name, value]) => `${name}='${value}'`);
      const [program, ...args] = command.split(' ');
      return ['env', ...settings, process.execPath, `${DIST}/${program}`, ...args].join(' ');
    }

    async function type(session: TerminalSession, question: RegExp, line: string): Promise<void> {
      await session.shows(question);
      session.type(`${line}\r`);
    }

    /** Protects the key at minimum cost, for fast attempts; returns the key. */
    function protectCheaply(): Buffer {
      const stored = parseProtectedKey(initial.text.trim()) ?? expect.fail('It should be protected.');
      const bytes = Buffer.alloc(32);
      const isOpened = openProtectedKey(stored, Buffer.from(PASSPHRASE), (_, opened) => bytes.set(opened));
      expect(isOpened).to.equal(true);
      const vault = new SodiumKeyStore();
      const masterKey = MasterKey.fill(vault, (target) => bytes.copy(target));
      const text = protectMasterKey(masterKey, Buffer.from(PASSPHRASE), MIN_PASSPHRASE_COST);
      writeFileSync(place.path('master.key'), `${text}\n`);
      vault.purge();
      return bytes;
    }

    async function post(url: string, path: string, body: object = {}): Promise<number> {
      const headers = { 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
      await response.arrayBuffer();
      return response.status;
    }

    it('is stored as one line, mode 600, that reveals nothing of the passphrase', () => {
      expect(initial.text).to.match(/^argon2id\.v1\.[0-9a-f]{16}\.3\.268435456\.[\w-]{22}\.[\w-]{32}\.[\w-]{64}\n$/);
      expect(initial.mode).to.equal(0o600);
    });

    it('is prompted for at startup, and not again on reload', async () => {
      const session = at('main.js');
      const pid = Number((await session.shows(/process (\d+)\./))[1]);
      await type(session, /Passphrase for .*master\.key: /, PASSPHRASE);
      const url = (await session.shows(/http:\/\/127\.0\.0\.1:\d+/))[0];
      const request = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };
      expect(await post(url, '/sign', request)).to.equal(200);
      expect(await post(url, '/config/reload')).to.equal(200);
      expect(await post(url, '/sign', request)).to.equal(200);
      expect(session.output.match(/Passphrase for/g)).to.have.lengthOf(1);
      expect(session.output).to.not.include(PASSPHRASE);

      const sought = [secretOf('passphrase', 'text', Buffer.from(PASSPHRASE)), secretOf('master key', 'key', key)];
      const traces = whileStopped(pid, () => searchMemory(pid, sought).traces);
      // The master key stays in memory for reloads, encrypted.
      expect(traces.map(({ secret, place: where }) => `${secret.owner} in ${where}`)).to.deep.equal([]);
      process.kill(pid, 'SIGTERM');
      await session.shows(/ended with 0\./);
    }).timeout(60_000);

    it('is not echoed if typed while a wrong one is tried, and the terminal is restored at listen', async () => {
      // Full cost leaves time to type.
      const cheap = readFileSync(place.path('master.key'));
      writeFileSync(place.path('master.key'), initial.text);
      const session = at('main.js');
      const pid = Number((await session.shows(/process (\d+)\./))[1]);
      await type(session, /Passphrase for .*master\.key: /, 'not the right one');
      await session.shows(/Passphrase for .*master\.key: \r\n/);
      session.type(`${PASSPHRASE}\r`);
      await session.shows(/http:\/\/127\.0\.0\.1:\d+/);
      session.type('shown again\r');
      await session.shows(/shown again/);
      process.kill(pid, 'SIGTERM');
      await session.shows(/ended with 0\./);
      expect(session.output).to.not.include('right one').and.not.include(PASSPHRASE);
      expect(session.output.match(/Wrong passphrase/g)).to.have.lengthOf(1);
      writeFileSync(place.path('master.key'), cheap);
    }).timeout(60_000);

    it('aborts the command on Ctrl-C, with code 2', async () => {
      const session = at('cli.js account add --platform alpha --account never --algorithm ed25519');
      await type(session, /Passphrase for .*: /, 'not the right one');
      await type(session, /Wrong passphrase\. .*: /, '\x03');
      await session.shows(/ended with 2\./);
      expect(session.output).to.include('the prompt was canceled');
    }).timeout(60_000);

    it('terminates the command by SIGHUP, without a crash, when the terminal is closed', async () => {
      const adding = shellCommand('cli.js account add --platform alpha --account never --algorithm ed25519');
      const session = open(`trap '' HUP; ${adding}; echo "ended with $?." >'${place.path('end')}'`);
      await session.shows(/Passphrase for .*: /);
      session.close();
      while (!existsSync(place.path('end')) || readFileSync(place.path('end')).length === 0) await setTimeout(20);
      expect(readFileSync(place.path('end'), 'utf8')).to.equal('ended with 129.\n');
    }).timeout(60_000);

    it('is rejected after three wrong attempts, with code 2 and the remedy', async () => {
      const session = at('main.js');
      await type(session, /Passphrase for .*master\.key: /, 'not the right one');
      await type(session, /Wrong passphrase\. .*: /, 'nor is this');
      await type(session, /(Wrong passphrase\. .*){2}: /s, 'and not this');
      await session.shows(/ended with 2\./);
      expect(session.output)
        .to.include('none of 3 passphrases is correct')
        .and.not.match(/^\s+at /m);
    }).timeout(60_000);

    it('is rejected without a terminal, with code 2 and the remedy', async () => {
      place.launcher = ['setsid', '--wait'];
      const { stderr, exitCode } = await place.spawn('main.js', []).ended();
      place.launcher = [];
      expect(exitCode, stderr).to.equal(2);
      expect(stderr)
        .to.include('master.key: it requires a passphrase')
        .and.include('use a master key file without a passphrase');
    }).timeout(60_000);

    it('is kept by a rotation, which prompts for it once', async () => {
      const rotating = at('cli.js master-key rotate');
      await type(rotating, /Passphrase for .*: /, PASSPHRASE);
      await rotating.shows(/Restart each service and type the passphrase.*ended with 0\./s);
      expect(rotating.output.match(/assphrase for/g)).to.have.lengthOf(1);
      await place.prepare('master-key', 'retire', '--yes');
    }).timeout(60_000);
  });
}

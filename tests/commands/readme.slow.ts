import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type CodeBlock, codeBlocks, PASTED_PAGES, sectionOf } from '../architecture/shell-blocks.ts';
import { verifiesEd25519 } from '../harness/signature-checks.ts';
import { withTool } from '../harness/with-tool.ts';
import { freePort } from '../programs/free-port.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

/**
 * Programs of the pages: file name and command. documented-callers.slow.ts runs the one in Go,
 * which needs a module.
 */
const PROGRAMS: { readonly [language: string]: readonly [command: string, file: string] } = {
  js: ['node', 'var/sign.mjs'],
  python: ['PYTHONPATH=clients/python/src python3', 'var/sign.py'],
  ts: ['node --import tsx', 'var/review.ts'],
};

/** Commands that run until Ctrl-C, last in their block, and their first output. */
const UNTIL_CTRL_C: readonly (readonly [command: RegExp, isUp: RegExp])[] = [
  [/npm run demo\n$/, /Ctrl-C stops the service/],
  [/npm start\n$/, /"message":"Listening\."/],
  [/dist\/main\.js\n$/, /"message":"Listening\."/],
  [/audit tail .*\n$/, /refused/],
];

const RUN_LANGUAGES = ['sh', ...Object.keys(PROGRAMS)];

/** Files in shell commands that get a key, a secret or a token. */
const SECRET_FILE =
  /(?:-keyout |--new-key-file |--authority-key-file |--out |SIGNING_(?:CREDENTIALS|MASTER_KEY|AUDIT_KEY)_FILE=|hex 32.*> )([\w./"$-]+)/g;

const PAYLOAD = '{"amount":"1","side":"buy"}';

/** Output of a block. */
interface Printed {
  readonly stdout: string;
  readonly stderr: string;
}

describe('README and guides, pasted block by block into an empty clone', function () {
  this.timeout(300_000);
  const clone = mkdtempSync(join(tmpdir(), 'signing-readme-'));
  let environment: NodeJS.ProcessEnv;
  /** Running programs, the newest last. */
  const begun: ChildProcess[] = [];

  before(async () => {
    const options = { cwd: PROJECT_ROOT, encoding: 'utf8' } as const;
    const files = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], options).split('\0');
    // Blocks need no test settings.
    const needed = files.filter((name) => name !== '' && !/^tests\/(?!doubles\/)/.test(name));
    const present = needed.filter((name) => existsSync(join(PROJECT_ROOT, name)));
    for (const file of present) cpSync(join(PROJECT_ROOT, file), join(clone, file));
    git('init', '--quiet');
    git('add', '--all');
    git('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '--message', 'clone');
    // Replaces `npm ci`. Git ignores a folder of this name, but no link.
    symlinkSync(join(PROJECT_ROOT, 'node_modules'), join(clone, 'node_modules'), 'dir');
    writeFileSync(join(clone, '.git/info/exclude'), '/node_modules\n');
    // Nor npm's variables for scripts, such as --ignore-scripts.
    const inherited = Object.entries(process.env).filter(([name]) => !/^(SIGNING_|SIGNER_|NODE_|npm_)/i.test(name));
    environment = { ...Object.fromEntries(inherited), SIGNING_PORT: String(await freePort()) };
  });
  after(async () => {
    await Promise.all(begun.map(pressCtrlC));
    rmSync(clone, { recursive: true, force: true });
  });

  function git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: clone, encoding: 'utf8' });
  }

  /** Replaces the port and skips installing and building again: `predemo` has built already. */
  function adapted(text: string): string {
    return text
      .replaceAll('8080', String(environment['SIGNING_PORT']))
      .replace(/^npm (?:ci|run build)$/m, ':')
      .replace(/\bnpm start$/m, 'npm --ignore-scripts start');
  }

  async function run(command: string): Promise<Printed> {
    const options = { cwd: clone, env: environment };
    return new Promise((resolve, reject) => {
      execFile('/bin/sh', ['-ec', command], options, (error, stdout, stderr) => {
        if (error === null) resolve({ stdout, stderr });
        else reject(new Error(`${command}\nended with ${error.code}:\n${stdout}${stderr}`));
      });
    });
  }

  /** Runs a block in its own terminal; resolves at its first output. */
  async function begin(command: string, isUp: RegExp): Promise<ChildProcess> {
    const child = spawn('/bin/sh', ['-ec', command], { cwd: clone, env: environment, detached: true });
    child.stdin.end();
    begun.push(child);
    let printed = '';
    await new Promise<void>((resolve, reject) => {
      const collect = (text: Buffer) => {
        printed += text;
        if (isUp.test(printed)) resolve();
      };
      child.stdout.on('data', collect);
      child.stderr.on('data', collect);
      child.on('exit', (code) => reject(new Error(`${command}\nended with ${code}:\n${printed}`)));
    });
    return child;
  }

  async function pressCtrlC(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // Closed output means that every child has ended.
    const ended = once(child, 'close');
    process.kill(-Number(child.pid), 'SIGINT');
    await ended;
  }

  /** Polls until the account refuses to sign. */
  async function refuseUntil(stop: AbortSignal): Promise<void> {
    const url = `http://127.0.0.1:${environment['SIGNING_PORT']}/api/v1/sign`;
    const headers = { 'Content-Type': 'application/json' };
    const body = '{"platformId":"my-exchange","accountId":"main","data":{"amount":9007199254740993}}';
    while (!stop.aborted) {
      await (await fetch(url, { method: 'POST', headers, body })).text();
      await sleep(100);
    }
  }

  /** Expects the response to a signing request, with a valid signature over the payload. */
  function expectSigned(stdout: string): void {
    const { publicKey, payload, signature, encoding } = JSON.parse(stdout).data;
    if (encoding === 'base58') expect(verifiesEd25519(publicKey, payload, signature), stdout).to.equal(true);
  }

  function expectSignature({ stdout }: Printed): void {
    const [publicKey = '', signature = ''] = stdout.trim().split(' ');
    expect(verifiesEd25519(publicKey, PAYLOAD, signature), stdout).to.equal(true);
  }

  function define(page: string, { language, text }: CodeBlock): void {
    const title = text.split('\n').find((line) => line !== '' && !line.startsWith('#'));
    const [, isUp] = UNTIL_CTRL_C.find(([command]) => command.test(text)) ?? [];
    const [command, file = ''] = PROGRAMS[language] ?? [];

    if (command !== undefined) {
      it(`a program that runs: ${command} ${file}`, async () => {
        expect(page).to.include(`\`${command} ${file}\``);
        writeFileSync(join(clone, file), adapted(text));
        const printed = await run(`${command} ${file}`);
        if (language === 'ts')
          expect(printed.stderr).to.match(/call: 'use',\s+identity: \{\s+platformId: 'my-exchange'/);
        else expectSignature(printed);
      });
    } else if (isUp === undefined) {
      it(`commands that succeed: ${title}`, async () => {
        const { stdout } = await run(adapted(text));
        expect(stdout).not.to.include('"success":false');
        if (text.includes('/api/v1/sign?include=payload')) expectSigned(stdout);
        if (text.includes('grep \'"event":"sign"\'')) expect(stdout).to.include('"outcome":"success"');
      });
    } else if (text.includes('audit tail')) {
      it(`commands that run until Ctrl-C, in another terminal: ${title}`, async () => {
        const stop = new AbortController();
        const refused = refuseUntil(stop.signal);
        try {
          await pressCtrlC(await begin(adapted(text), isUp));
        } finally {
          stop.abort();
          await refused;
        }
      });
    } else {
      it(`commands that run until Ctrl-C: ${title}`, async () => {
        // The pages say to stop the terminal's program first.
        await Promise.all(begun.map(pressCtrlC));
        await begin(adapted(text), isUp);
      });
    }
  }

  for (const [name, section] of PASTED_PAGES) {
    describe(name, () => {
      const text = readProjectFile(name);
      const page = section === undefined ? text : sectionOf(text, section);
      for (const block of codeBlocks(page).filter(({ language, runs }) => runs && RUN_LANGUAGES.includes(language))) {
        const tool = { python: ['python3', '--version'], go: ['go', 'version'] }[block.language];
        if (tool === undefined) define(page, block);
        else withTool(tool[0] ?? '', tool[1] ?? '', () => define(page, block));
      }
    });
  }

  it('lets no guide create a secret where git would add it', () => {
    const guides = git('ls-files', 'docs/**/*.md', 'deploy/README.md').trim().split('\n');
    const created = guides.flatMap((guide) =>
      codeBlocks(readFileSync(join(clone, guide), 'utf8'))
        .flatMap(({ text }) => [...text.matchAll(SECRET_FILE)].map(([, file = '']) => file.replaceAll('"', '')))
        .filter((file) => !file.startsWith('/'))
        .map((file) => join(dirname(guide) === 'deploy' ? 'deploy' : '', file.replace('$pod', 'signing-0'))),
    );
    expect(created).to.include.members(['keys/master.key', 'desk-1.key', 'deploy/tls.key', 'deploy/redis-password']);
    for (const file of created) expect(git('check-ignore', '--no-index', file).trim(), file).to.equal(file);
  });

  it('leaves no secret, key or other file that git would add', () => {
    expect(git('status', '--porcelain')).to.equal('');
  });
});

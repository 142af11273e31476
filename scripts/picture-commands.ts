/**
 * Makes docs/images/command-line.png: what a few commands show on a terminal of 100 columns, with their colours.
 * For a terminal it needs script(1) of util-linux.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { terminalPage } from './command-page/terminal-page.ts';
import { Chromium, findChromium } from './stage/chromium.ts';

const COLUMNS = 100;
const LINE_HEIGHT = 20;
const WIDTH = 900;
const PADDING = 48;
const CLI = resolve(import.meta.dirname, '../dist/cli.js');
const IMAGE = resolve(import.meta.dirname, '../docs/images/command-line.png');

/** What is typed before the picture is taken. */
const PREPARATION = [
  'init',
  'platform add --platform my-exchange --format any --algorithm ed25519',
  'platform add --platform treasury --format B',
];

/** What the picture shows. */
const SHOWN = [
  'account import draft.csv --dry-run',
  'account import accounts.csv',
  'account disable --platform my-exchange --account desk-7',
  'account list',
  'account lst',
  'doctor | head -8',
];

const program = findChromium();
if (program === null) throw new Error('chromium is not on PATH: apt-get install chromium');

const folder = mkdtempSync(join(tmpdir(), 'signing-service-screenshot-'));
try {
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    TERM: 'xterm-256color',
    SIGNING_CREDENTIALS_FILE: 'credentials.json',
    SIGNING_MASTER_KEY_FILE: 'master.key',
    SIGNING_AUDIT_FILE: 'audit/audit.jsonl',
    SIGNING_AUDIT_KEY_FILE: 'audit.key',
  };
  const onTerminal = (command: string): string =>
    execFileSync('script', ['-qefc', `stty cols ${COLUMNS} rows 60; ${command}`, '/dev/null'], {
      ...{ cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    });
  mkdirSync(join(folder, 'audit'));
  writeFileSync(
    join(folder, 'draft.csv'),
    ['platformId,accountId,algorithm,keyFile', 'my-exchange,desk-8,,keys/desk-8.key', 'treasuri,hot,ed25519,', ''].join(
      '\n',
    ),
  );
  writeFileSync(
    join(folder, 'accounts.csv'),
    [
      'platformId,accountId,alias,environment,keyFile',
      'my-exchange,market-maker,Market maker Tokyo,production,',
      'my-exchange,desk-7,Desk 7,production,',
      'treasury,hot,Hot wallet,testnet,',
      '',
    ].join('\n'),
  );
  for (const command of PREPARATION) onTerminal(`node ${CLI} ${command}`);
  // Colours behind a pipe are those that the same command has on the terminal.
  const shell = (command: string): string => `{ node ${CLI} ${command.replace(' |', ' --color |')}; } || true`;
  const sessions = SHOWN.map((command) => ({
    command: `signing-service ${command}`,
    output: onTerminal(shell(command)),
  }));
  const { html, lines } = terminalPage(sessions, LINE_HEIGHT);
  const page = join(folder, 'page.html');
  writeFileSync(page, html);
  mkdirSync(resolve(IMAGE, '..'), { recursive: true });
  const browser = await Chromium.start(program);
  try {
    await browser.look(WIDTH, lines * LINE_HEIGHT + PADDING, 'dark');
    await browser.open(`file://${page}`);
    writeFileSync(IMAGE, await browser.screenshot());
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

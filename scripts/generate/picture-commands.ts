import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Chromium, findChromium } from '../run/chromium.ts';

/** A command and its terminal output with escape sequences. */
export interface TerminalSession {
  readonly command: string;
  readonly output: string;
}

/** CSS by SGR number (ECMA-48). */
const STYLES: { readonly [number: string]: string } = {
  1: 'font-weight:bold;color:#ffffff',
  2: 'opacity:.65',
  31: 'color:#ff7b72',
  32: 'color:#7ee787',
  33: 'color:#e3b341',
  36: 'color:#79c0ff',
};

/** HTML that shows sessions like a terminal, and its number of lines. */
export function terminalPage(
  sessions: readonly TerminalSession[],
  lineHeight: number,
): { readonly html: string; readonly lines: number } {
  const text = sessions.map(({ command, output }) => `$ ${command}\n${finalText(output)}`).join('\n');
  const html = `<!doctype html><meta charset="utf-8"><style>
body { margin: 0; background: #0d1117; }
pre { margin: 24px; white-space: pre; color: #c9d1d9; font: 13px/${lineHeight}px "DejaVu Sans Mono", "Liberation Mono", monospace; }
</style><pre>${coloured(text)}</pre>`;
  return { html, lines: text.split('\n').length };
}

/** Applies carriage returns of progress bars; ends with a newline. */
function finalText(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return `${lines.map((line) => line.split('\r').at(-1)?.replaceAll('\u001b[K', '') ?? '').join('\n')}\n`;
}

function coloured(text: string): string {
  const [first = '', ...rest] = text.split('\u001b[');
  const parts = rest.map((part) => {
    const [number = '', ...shown] = part.split('m');
    const style = STYLES[number];
    return `${style === undefined ? '</span>' : `<span style="${style}">`}${escaped(shown.join('m'))}`;
  });
  return escaped(first).replace(/^\$ .*$/gm, prompt) + parts.join('').replace(/^\$ .*$/gm, prompt);
}

function prompt(line: string): string {
  return `<b style="color:#ffffff">${line}</b>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Makes docs/images/command-line.png from commands on a terminal of 100 columns. Needs script(1) of
 * util-linux.
 */

const COLUMNS = 100;
const LINE_HEIGHT = 20;
const WIDTH = 900;
const PADDING = 48;
const CLI = resolve(import.meta.dirname, '../../dist/cli.js');
const IMAGE = resolve(import.meta.dirname, '../../docs/images/command-line.png');

/** Commands before the picture. */
const PREPARATION = [
  'init',
  'platform add --platform my-exchange --format any --algorithm ed25519',
  'platform add --platform treasury --format B',
];

/** Commands in the picture. */
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
  // Forces the terminal's colours behind a pipe.
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
    await browser.emulate(WIDTH, lines * LINE_HEIGHT + PADDING, 'dark');
    await browser.open(`file://${page}`);
    writeFileSync(IMAGE, await browser.screenshot());
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Workplace } from '../../tests/e2e/service-process.ts';
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
</style><pre>${colored(text)}</pre>`;
  return { html, lines: text.split('\n').length };
}

/** Applies carriage returns of progress bars; ends with a newline. */
function finalText(output: string): string {
  const lines = output.replaceAll('\r\n', '\n').trimEnd().split('\n');
  return `${lines.map((line) => line.split('\r').at(-1)?.replaceAll('\u001b[K', '') ?? '').join('\n')}\n`;
}

function colored(text: string): string {
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
 * Makes pictures of commands on a terminal in docs/images. Needs script(1) of util-linux.
 */

const COLUMNS = 100;
const LINE_HEIGHT = 20;
const WIDTH = 900;
const PADDING = 48;
const CLI = resolve(import.meta.dirname, '../../dist/cli.js');
const IMAGES = resolve(import.meta.dirname, '../../docs/images');

/** Commands before the pictures. */
const PREPARATION = [
  'init',
  'platform add --platform my-exchange --format any --algorithm ed25519',
  'platform add --platform treasury --format B',
];

/** Commands by picture, in the order in which they run. */
const SHOWN: { readonly [image: string]: readonly string[] } = {
  'command-line.png': [
    'account import draft.csv --dry-run',
    'account import accounts.csv',
    'account disable --platform my-exchange --account desk-7',
    'account list',
    'account lst',
  ],
  'doctor.png': ['doctor'],
  'status.png': ['status'],
  'audit-tail.png': ['audit tail --no-follow', 'audit verify --public-key audit.key.pub'],
};

const FILES: { readonly [name: string]: readonly string[] } = {
  'draft.csv': [
    'platformId,accountId,algorithm,keyFile',
    'my-exchange,desk-8,,keys/desk-8.key',
    'treasury,hot,ed25519,',
  ],
  'accounts.csv': [
    'platformId,accountId,alias,environment,keyFile',
    'my-exchange,market-maker,Market maker Tokyo,production,',
    'my-exchange,desk-7,Desk 7,production,',
    'treasury,hot,Hot wallet,testnet,',
  ],
};

const chromium = findChromium();
if (chromium === null) throw new Error('chromium is not on PATH: apt-get install chromium');

const place = new Workplace({
  TERM: 'xterm-256color',
  SIGNING_INSTANCE_ID: 'signer-1',
  SIGNING_CREDENTIALS_FILE: 'credentials.json',
  SIGNING_MASTER_KEY_FILE: 'master.key',
  SIGNING_AUDIT_FILE: 'audit/audit.jsonl',
  SIGNING_AUDIT_KEY_FILE: 'audit.key',
});

function runOnTerminal(command: string, settings: { readonly [name: string]: string } = {}): string {
  const line = `stty cols ${COLUMNS} rows 60; { node ./signing-service ${command}; } || true`;
  return execFileSync('script', ['-qefc', line, '/dev/null'], {
    ...{ cwd: place.folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    env: { PATH: process.env['PATH'], HOME: place.folder, ...place.environment, ...settings },
  });
}

/** Signatures in five seconds each, which the status shows as a line. */
const BURSTS = [12, 20, 35, 60, 80, 55, 30, 42];
const BURST_MS = 5000;

/** Starts the service, makes some records with it, shows its status, and stops it. */
async function recordRequests(showStatus: (port: string) => Promise<void>): Promise<void> {
  const service = await place.start();
  const order = { instruction: { type: 'limit', side: 'buy', market: 'SOL-USDC', amount: '1' } };
  const withdrawal = { message: { action: 'withdraw', symbol: 'USDC', price: '0' } };
  for (const burst of BURSTS) {
    for (let count = 0; count < burst; count += 1)
      await service.post('/sign', { platformId: 'my-exchange', accountId: 'market-maker', data: order });
    await sleep(BURST_MS);
  }
  for (const [platformId, accountId, data] of [
    ['my-exchange', 'market-maker', order],
    ['my-exchange', 'market-maker', order],
    ['my-exchange', 'desk-7', order],
    ['treasury', 'hot', withdrawal],
    ['my-exchange', 'desk-9', order],
  ]) {
    await service.post('/sign', { platformId, accountId, data });
  }
  // The status shows complete samples.
  await sleep(BURST_MS);
  await showStatus(new URL(service.url).port);
  await service.stop();
}

try {
  mkdirSync(place.path('audit'));
  mkdirSync(IMAGES, { recursive: true });
  // The output names the program as it was called.
  symlinkSync(CLI, place.path('signing-service'));
  for (const [name, lines] of Object.entries(FILES)) writeFileSync(place.path(name), `${lines.join('\n')}\n`);
  for (const command of PREPARATION) await place.done(...command.split(' '));
  const browser = await Chromium.start(chromium);
  try {
    const picture = async (image: string, settings: { readonly [name: string]: string } = {}): Promise<void> => {
      const sessions = (SHOWN[image] ?? []).map((command) => ({
        command: `signing-service ${command}`,
        output: runOnTerminal(command, settings),
      }));
      const { html, lines } = terminalPage(sessions, LINE_HEIGHT);
      const page = place.path('page.html');
      writeFileSync(page, html);
      await browser.emulate(WIDTH, lines * LINE_HEIGHT + PADDING, 'dark');
      await browser.open(`file://${page}`);
      writeFileSync(join(IMAGES, image), await browser.screenshot());
    };
    await picture('command-line.png');
    await picture('doctor.png');
    await recordRequests((port) => picture('status.png', { SIGNING_PORT: port }));
    await picture('audit-tail.png');
  } finally {
    await browser.close();
  }
} finally {
  await place.remove();
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { expect } from 'chai';
import { WinstonServiceLog } from '../../../src/adapters/observability/winston-service-log.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { closed, openSocket, postBytes } from '../../harness/raw-client.ts';
import { addAccount, runCommand, settingsIn } from '../../harness/run-command.ts';
import { startHere } from '../../harness/start-here.ts';

/** A forged log line. */
const FORGED = '{"level":"error","message":"forged"}';
const BREAKS = ['\n', '\r\n', '\u2028', '\u001b[2K', '\u0000', '\u202e'];
/** Line ends and terminal controls. */
const UNSAFE_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

function lines(text: string): readonly string[] {
  expect(text.endsWith('\n')).to.equal(true);
  return text.slice(0, -1).split('\n');
}

describe('Line breaks and control characters in a request', () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-injection-'));
  const auditFile = join(folder, 'audit.jsonl');
  const environment = { ...settingsIn(folder), SIGNING_WATCH: 'false' };
  let log = '';
  let service: RunningService;
  let port: number;

  before(async () => {
    await runCommand(environment, 'init');
    await runCommand(environment, 'platform', 'add', '--platform', 'texts', '--format', 'any', '--audit-clear', 'note');
    await addAccount(environment, 'texts', 'main', 'ed25519');
    const stream = new Writable({
      write: (chunk, _encoding, done) => {
        log += String(chunk);
        done();
      },
    });
    service = await startHere(environment, { log: new WinstonServiceLog('info', { stream }) });
    port = Number(new URL(service.url).port);
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends bytes and waits for the close. */
  async function send(bytes: Buffer): Promise<void> {
    const socket = await openSocket(port);
    socket.end(bytes);
    await closed(socket);
  }

  function requestsWith(text: string): readonly Buffer[] {
    const close = ['Connection: close'];
    const good = { platformId: 'texts', accountId: 'main', data: { note: text, [text]: text } };
    const bodies = [
      good,
      { ...good, accountId: text },
      { ...good, platformId: text },
      { ...good, [text]: text },
      { ...good, data: { note: { [text]: text } } },
    ];
    const batch = { requests: [{ requestId: text, ...good }] };
    const head = Buffer.from(text, 'latin1').toString('latin1');
    return [
      ...bodies.map((body) => postBytes('/api/v1/sign', JSON.stringify(body), close)),
      postBytes('/api/v1/sign/batch', JSON.stringify(batch), close),
      postBytes('/api/v1/verify', JSON.stringify({ ...good, signature: text }), close),
      postBytes(`/api/v1/accounts/${encodeURIComponent(text)}/${encodeURIComponent(text)}`, '', close),
      postBytes(`/api/v1/${encodeURIComponent(text)}?platform=${encodeURIComponent(text)}`, '', close),
      postBytes('/api/v1/sign', JSON.stringify(good), [`X-Correlation-Id: ${head}`, ...close]),
      postBytes('/api/v1/sign', JSON.stringify(good), [`User-Agent: ${head}`, `X-Forwarded-For: ${head}`, ...close]),
      Buffer.from(`GET /${head} HTTP/1.1\r\nHost: ${head}\r\nConnection: close\r\n\r\n`, 'latin1'),
      Buffer.from(`${head} / HTTP/1.1\r\nHost: x\r\n\r\n`, 'latin1'),
    ];
  }

  it('add no log line and appear in none', async () => {
    for (const character of BREAKS) {
      const [logged, audited] = [lines(log).length, lines(readFileSync(auditFile, 'utf8')).length];
      const text = `a${character}${FORGED}${character}b`;
      for (const bytes of requestsWith(text)) await send(bytes);
      const more = [...lines(log).slice(logged), ...lines(readFileSync(auditFile, 'utf8')).slice(audited)];
      expect(more).to.have.length.above(8);
      for (const line of more) {
        expect(line).not.to.match(UNSAFE_CHARACTERS);
        expect(JSON.parse(line)).to.be.an('object').and.not.include({ message: 'forged' });
      }
    }
  });
});

import { expect } from 'chai';
import type { LiveOutput } from '../../../../../src/adapters/cli/cli-context.ts';
import type { StatusReading } from '../../../../../src/adapters/cli/status/source.ts';
import { watchStatus } from '../../../../../src/adapters/cli/status/watch.ts';
import { ACTIVITY, CONTROL_CHARACTERS, poison, STATUS } from '../../../../doubles/status-data.ts';

const READY: StatusReading = {
  ...{ url: 'http://signer:8080', time: '2026-11-20T08:50:00.000Z', ready: true, checks: {}, problem: null },
  status: { ...STATUS, activity: ACTIVITY },
};

const GONE: StatusReading = {
  ...{ url: READY.url, time: '2026-11-20T08:50:02.000Z', ready: null, checks: null, status: null },
  problem: { kind: 'unreachable', message: 'Cannot reach the service.\nIs it running?' },
};

/** Watches these readings, then stops; returns each written text. */
async function watch(readings: readonly StatusReading[], columns: number | null, rows: number | null = null) {
  const stop = new AbortController();
  const written: string[] = [];
  const output: LiveOutput = {
    ...{ colour: false, columns, rows, stopped: stop.signal, warn: () => undefined },
    write: async (text) => void written.push(text),
  };
  const left = [...readings];
  const source = {
    close: () => undefined,
    read: async () => {
      const next = left.shift();
      if (next !== undefined) return next;
      stop.abort();
      throw stop.signal.reason;
    },
  };
  await watchStatus(source, output, false, 1);
  return written;
}

describe('status --watch', () => {
  it('writes a line for each reading if the output is no terminal, and the start of an outage', async () => {
    const later = { ...GONE, time: '2026-11-20T08:50:04.000Z' };
    const back = { ...READY, time: '2026-11-20T08:50:06.000Z', ready: false };
    const lines = await watch([READY, GONE, later, back], null);
    const since = 'unreachable since 2026-11-20T08:50:02Z  Cannot reach the service. Is it running?\n';
    expect(lines).to.deep.equal([
      '2026-11-20T08:50:00Z  ready  signatures 5.0/s  refusals 0.1/s  total 12345  accounts 200  load success  audit 12400  disk 11.4 GiB free\n',
      `2026-11-20T08:50:02Z  ${since}`,
      `2026-11-20T08:50:04Z  ${since}`,
      '2026-11-20T08:50:06Z  not ready  signatures 5.0/s  refusals 0.1/s  total 12345  accounts 200  load success  audit 12400  disk 11.4 GiB free\n',
    ]);
  });

  it('writes one line for a reading of a hostile service', async () => {
    const [line = ''] = await watch([{ ...READY, status: poison({ ...STATUS, activity: ACTIVITY }) }], null);
    expect(line).to.not.match(CONTROL_CHARACTERS);
    expect(line.trimEnd().split('\n')).to.have.length(1);
  });

  it('redraws a page in place on a terminal, without clearing the screen again', async () => {
    const [first = '', second = '', end] = await watch([READY, READY], 100);
    expect(first.startsWith('\x1b[2J\x1b[H')).to.equal(true);
    expect(second.startsWith('\x1b[H')).to.equal(true);
    expect(second.endsWith('\x1b[J')).to.equal(true);
    expect(second.includes('\x1b[2J')).to.equal(false);
    for (const line of second.slice(0, -'\x1b[J'.length).split('\n')) expect(line.endsWith('\x1b[K')).to.equal(true);
    expect(second).to.include('Accounts       200: alpha 120, beta 80');
    expect(end).to.equal('\n');
  });

  it('never writes more lines than the terminal has', async () => {
    const [page = ''] = await watch([READY], 100, 12);
    expect(page.split('\n')).to.have.length(11);
  });

  it('keeps the last status on the page while the service is away', async () => {
    const [, page = ''] = await watch([READY, GONE], 100);
    expect(page).to.include('unreachable since 2026-11-20T08:50:02Z');
    expect(page).to.include('Cannot reach the service. Is it running?');
    expect(page).to.include('The status of 2026-11-20T08:50:00Z was:');
    expect(page).to.include('Accounts       200: alpha 120, beta 80');
  });
});

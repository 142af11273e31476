import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { FileWindowLedger } from '../../../../src/adapters/limits/file-window-ledger.ts';
import { BUDGETS } from '../../../../src/adapters/limits/ledger-kind.ts';
import type { Demand } from '../../../../src/domain/model/attempt.ts';
import { demandOf, describeWindowLedgerContract, grantedBy } from '../../../contracts/window-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'budgets-'));
let made = 0;

function newFile(): string {
  made += 1;
  return join(folder, `audit-${made}.jsonl.budgets`);
}

after(() => rmSync(folder, { recursive: true }));

const contractClock = new FixedClock();

describeWindowLedgerContract('FileWindowLedger', {
  counting: BUDGETS,
  make: async () => new FileWindowLedger({ file: newFile(), clock: contractClock, log: new RecordingServiceLog() }),
  wait: (milliseconds) => contractClock.set(contractClock.now() + milliseconds),
});

const MAX_UNITS = 1_000_000_000_000;
/** Reserved ahead of what is charged. */
const RESERVED = MAX_UNITS / 50;

function demand(units: number, more: Partial<Demand> = {}): Demand {
  return demandOf(units, { maxUnits: MAX_UNITS, exponent: 0, ...more });
}

describe('FileWindowLedger', () => {
  let file: string;
  let clock: FixedClock;
  let log: RecordingServiceLog;

  beforeEach(() => {
    file = newFile();
    clock = new FixedClock();
    log = new RecordingServiceLog();
  });

  const open = () => new FileWindowLedger({ file, clock, log });
  const charge = async (ledger: FileWindowLedger, units: number, more: Partial<Demand> = {}) => {
    const [granted] = (await grantedBy(ledger, demand(units, more))) ?? ['unavailable'];
    return granted === units ? 'charged' : granted;
  };
  const fits = async (ledger: FileWindowLedger, units: number) =>
    (await ledger.charge([demand(0, { minUnits: units })]))?.grants[0]?.isRefused === false;

  it('has exactly what was charged after a clean stop', async () => {
    const before = open();
    await charge(before, 123);
    await charge(before, 77);
    await (await before.charge([demand(1000)]))?.refund();
    await before.close();
    expect(await charge(before, 1)).to.equal('unavailable');
    const after = open();
    expect([await fits(after, MAX_UNITS - 199), await fits(after, MAX_UNITS - 200)]).to.deep.equal([false, true]);
  });

  it('has all that was charged after a crash, and at most two hundredths of the maximum more', async () => {
    for (const amounts of [[1], [RESERVED, 1, 1, 1], [RESERVED / 2, RESERVED / 3, RESERVED, 5], [MAX_UNITS / 2]]) {
      file = newFile();
      const crashed = open();
      const total = amounts.reduce((sum, units) => sum + units, 0);
      for (const units of amounts) expect(await charge(crashed, Math.floor(units))).to.equal('charged');
      const after = open();
      expect(await fits(after, MAX_UNITS - Math.floor(total) + 1)).to.equal(false);
      expect(await fits(after, MAX_UNITS - Math.ceil(total) - RESERVED)).to.equal(true);
    }
  });

  it('has in its file what it has reported, whatever runs at once and fails', async () => {
    const step = fc.record({
      keys: fc.uniqueArray(fc.constantFrom('a', 'b'), { minLength: 1 }),
      units: fc.integer({ min: 1, max: 30 }),
      isFailing: fc.boolean(),
      ticks: fc.nat(12),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        file = newFile();
        const ledger = open();
        const reported = new Map<string, number>();
        const charges: Promise<void>[] = [];
        const chargeAll = async (keys: readonly string[], units: number) => {
          const charged = await ledger.charge(keys.map((key) => demand(units, { key, maxUnits: 1000 })));
          if (charged?.grants.some(({ isRefused }) => isRefused) !== false) return;
          for (const key of keys) reported.set(key, (reported.get(key) ?? 0) + units);
          const { budgets } = JSON.parse(readFileSync(file, 'utf8'));
          const stored = new Map(
            budgets.map(([key, , , reserved, parts]: [string, number, number, number, number[][]]) => {
              return [key, parts.reduce((sum, [, , charged = 0]) => sum + charged, reserved)];
            }),
          );
          for (const [key, charged] of reported) expect(stored.get(key)).to.be.at.least(charged);
        };
        for (const { keys, units, isFailing, ticks } of steps) {
          charges.push(chargeAll(keys, units));
          for (let nth = 0; nth < ticks; nth += 1) await new Promise((resolve) => setImmediate(resolve));
          // Fails a write that runs.
          if (isFailing) rmSync(`${file}.tmp`, { force: true });
        }
        await Promise.all(charges);
      }),
      { numRuns: 50 },
    );
  });

  it('counts what may have been charged before a crash from the next start on', async () => {
    await charge(open(), 1);
    clock.advance(50_000);
    const after = open();
    expect(await fits(after, MAX_UNITS)).to.equal(false);
    clock.advance(12_000);
    expect([await fits(after, MAX_UNITS), await fits(after, MAX_UNITS - RESERVED)]).to.deep.equal([false, true]);
    clock.advance(50_000);
    expect(await fits(after, MAX_UNITS)).to.equal(true);
  });

  it('writes its file once for many small charges, and once for those that wait together', async () => {
    const ledger = open();
    await charge(ledger, 1);
    const first = readFileSync(file, 'utf8');
    for (let nth = 0; nth < 100; nth += 1) await charge(ledger, 1);
    expect(readFileSync(file, 'utf8')).to.equal(first);
    const keys = Array.from({ length: 500 }, (_, index) => `daily:alpha/${index}`);
    const outcomes = await Promise.all(keys.map((key) => charge(ledger, 1, { key })));
    expect(outcomes).to.deep.equal(Array(500).fill('charged'));
    const after = open();
    for (const key of keys) expect(await charge(after, MAX_UNITS, { key })).to.equal(0);
  });

  it('drops budgets of which nothing is counted any more', async () => {
    const ledger = open();
    await charge(ledger, 1, { key: 'old:alpha/main' });
    clock.advance(62_000);
    await charge(ledger, 1);
    expect(readFileSync(file, 'utf8')).not.to.include('old:');
    expect(await charge(ledger, MAX_UNITS, { key: 'old:alpha/main' })).to.equal('charged');
  });

  it('charges nothing while its file is damaged, and says so once', async () => {
    for (const text of ['', '{', '{"version":2,"budgets":[]}', '{"version":1,"budgets":[["a",60,0,-1,[]]]}']) {
      writeFileSync(file, text, { mode: 0o600 });
      log = new RecordingServiceLog();
      const ledger = open();
      expect([await charge(ledger, 1), await charge(ledger, 1)]).to.deep.equal(['unavailable', 'unavailable']);
      expect(log.events.map(({ level }) => level)).to.deep.equal(['error']);
      expect(log.events[0]?.message).to.match(/BUDGET_UNAVAILABLE.*move it to another folder/);
      rmSync(file);
      expect(await charge(ledger, 1)).to.equal('charged');
      expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'info']);
      expect(readFileSync(file, 'utf8')).to.match(/^\{"version":1/);
    }
  });

  it('charges nothing that it cannot write, and nothing of it is counted', async () => {
    const ledger = open();
    await charge(ledger, 1);
    mkdirSync(`${file}.tmp`);
    expect(await charge(ledger, RESERVED + 1)).to.equal('unavailable');
    expect(log.events.map(({ level }) => level)).to.deep.equal(['error']);
    // Whichever file stands: even the smallest charge has to be written again.
    expect(await charge(ledger, 1)).to.equal('unavailable');
    rmSync(`${file}.tmp`, { recursive: true });
    expect(await fits(ledger, MAX_UNITS - 1)).to.equal(true);
    expect(await charge(ledger, MAX_UNITS - 1)).to.equal('charged');
  });
});

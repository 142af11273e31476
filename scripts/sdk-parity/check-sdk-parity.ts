import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listPresetRules, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { print } from '../../tests/harness/print.ts';
import { runBounded } from '../run/bounded-run.ts';
import {
  installFromNpm,
  installFromPyPi,
  NPM_CLIENTS,
  PYTHON_CLIENTS,
  recordIsolated,
  type SdkRecord,
} from './clients.ts';
import { type Comparison, compareRecord, type ParityResult } from './compare-record.ts';
import { EXPECTED_DIFFERENCES, findExpectation, nameOf, platformOf } from './expected-differences.ts';

/*
 * Compares the presets with clients of the venues: each client signs requests with a fixed clock
 * and test keys, in a process without a network, and the preset's rule signs the same
 * request. Installs the clients from the npm registry (with --python also from PyPI) into a
 * temporary folder, without install scripts. Exit code 1 for a difference that
 * expected-differences.ts does not explain, or that it explains and no longer exists. A minute;
 * with --python two.
 *
 * npm run check -- sdk-parity [--python]
 */

const LIMIT_MS = 600_000;

const { values } = parseArgs({ options: { python: { type: 'boolean', default: false } } });

await runBounded(LIMIT_MS, async (cleanup) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-parity-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  print('Installing clients …');
  await installFromNpm(folder, NPM_CLIENTS);
  const records = [
    ...(await recordIsolated<SdkRecord>(process.execPath, 'ccxt-requests.mjs', folder)),
    ...(await recordIsolated<SdkRecord>(process.execPath, 'sdk-requests.mjs', folder)),
  ];
  if (values.python) {
    const python = await installFromPyPi(folder, 'python3');
    records.push(...(await recordIsolated<SdkRecord>(python, 'python-requests.py', folder)));
  } else print('Clients in Python are left out; --python includes them.');
  return report(records.map(compareRecord));
});

function report(compared: readonly Comparison[]): boolean {
  printResults(compared);
  const failures = compared.filter(({ record, result }) => result !== expectedResult(record));
  for (const { record, result, details } of failures) {
    print(`\nDIFFERENT: ${platformOf(record)} ${record.kind}, ${record.source}: ${result}`);
    print(`  ${details}`);
  }
  const stale = listStale(compared.map(({ record }) => record));
  for (const name of stale) print(`\nNOT RECORDED, but expected: ${name}`);
  const platforms = new Set(compared.map(({ record }) => platformOf(record)));
  const all = listPresets().flatMap((preset) =>
    listPresetRules(preset).map(({ name }) => [preset.name, ...(name === undefined ? [] : [name])].join(' ')),
  );
  const unsigned = all.filter((name) => !platforms.has(name));
  print(`\nPresets and named rules that no client signs for: ${unsigned.join(', ')}.`);
  const same = compared.filter(({ result }) => result === 'same').length;
  print(`\n${compared.length} requests: ${same} the same, ${compared.length - same - failures.length} explained,`);
  print(`${failures.length} different. * published by the venue.`);
  return failures.length === 0 && stale.length === 0;
}

function expectedResult(record: SdkRecord): ParityResult {
  const expected = findExpectation(record);
  return expected === undefined ? 'same' : (expected.result ?? 'differs');
}

/** Expected differences of the clients that ran without a record. */
function listStale(records: readonly SdkRecord[]): readonly string[] {
  const names = new Set(records.map((record) => `${nameOf(record)} ${record.kind}`));
  const clients = new Set(records.map(({ source }) => source));
  return EXPECTED_DIFFERENCES.flatMap(({ of, kinds }) => of.flatMap((name) => kinds.map((kind) => `${name} ${kind}`)))
    .filter((name) => clients.has(name.slice(0, name.indexOf(' '))))
    .filter((name) => !names.has(name));
}

/** A line for the kinds of a preset and client with the same result. */
function printResults(compared: readonly Comparison[]): void {
  const versions: { readonly [client: string]: string } = { ...NPM_CLIENTS, ...PYTHON_CLIENTS };
  const lines = new Map<string, string[]>();
  for (const { record, result } of compared) {
    const reason = findExpectation(record)?.reason;
    const client = `${record.source} ${versions[record.source]}`;
    const line = [platformOf(record), client, result, ...(reason === undefined ? [] : [reason])].join(' | ');
    lines.set(line, [...(lines.get(line) ?? []), record.kind]);
  }
  for (const [line, kinds] of [...lines].toSorted()) print(`${line}: ${kinds.join(', ')}`);
}

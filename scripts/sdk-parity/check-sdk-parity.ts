import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPreset, listPresetRules, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { print } from '../../tests/harness/print.ts';
import { runBounded } from '../run/bounded-run.ts';
import {
  installFromNpm,
  installFromPyPi,
  listCalls,
  NPM_CLIENTS,
  PYTHON_CLIENTS,
  recordIsolated,
  type SdkRecord,
} from './clients.ts';
import { type Comparison, compareRecord } from './compare-record.ts';

/*
 * Compares the presets with clients of the venues: each client signs and sends requests with a
 * fixed clock and test keys, in a process without a network; the preset's template reads them, its
 * rule signs the same request, and its template writes it. Installs the clients from the npm
 * registry (with --python also from PyPI) into a temporary folder, without install scripts. Exit
 * code 1 for a difference that the venue's file does not explain, or that it explains and no longer
 * exists. A minute; with --python two.
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
  const calls = JSON.stringify(listCalls());
  const records = [
    ...(await recordIsolated<SdkRecord>(process.execPath, 'ccxt-requests.mjs', folder, calls)),
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
  const failures = compared.filter(({ record, result }) => result !== (findExpected(record)?.result ?? 'same'));
  for (const { record, result, details } of failures) {
    print(`\nDIFFERENT: ${platformOf(record)} ${record.kind}, ${record.source}: ${result}`);
    print(`  ${details}`);
  }
  const stale = listStale(compared.map(({ record }) => record));
  for (const name of stale) print(`\nNOT RECORDED, but expected: ${name}`);
  const platforms = new Set(compared.map(({ record }) => platformOf(record)));
  const all = listPresets().flatMap((preset) =>
    listPresetRules(preset).map(({ name }) => platformOf({ preset: preset.name, ...(name && { rule: name }) })),
  );
  const unsigned = all.filter((name) => !platforms.has(name));
  print(`\nPresets and named rules that no client signs for: ${unsigned.join(', ')}.`);
  const same = compared.filter(({ result }) => result === 'same').length;
  const sameSignature = compared.filter(({ result }) => result.startsWith('same signature')).length;
  print(`\n${compared.length} requests: ${same} the same, ${sameSignature} with the same signature,`);
  print(`${compared.length - same - sameSignature} others; ${failures.length} unexplained. * published by the venue.`);
  return failures.length === 0 && stale.length === 0;
}

/** The result of a record that the venue's file expects, if not `same`. */
function findExpected({ preset, rule, kind, source }: SdkRecord) {
  const expected = findPreset(preset)?.clients?.[source]?.expected ?? [];
  return expected.find((one) => one.rule === rule && one.kinds.includes(kind));
}

/** Expected results of the clients that ran without a record. */
function listStale(records: readonly SdkRecord[]): readonly string[] {
  const names = new Set(records.map((record) => `${record.source} ${platformOf(record)} ${record.kind}`));
  const sources = new Set(records.map(({ source }) => source));
  return listPresets()
    .flatMap(({ name: preset, clients = {} }) =>
      Object.entries(clients).flatMap(([source, { expected = [] }]) =>
        expected.flatMap(({ rule, kinds }) =>
          kinds.map((kind) => ({ source, name: `${source} ${platformOf({ preset, rule })} ${kind}` })),
        ),
      ),
    )
    .flatMap(({ source, name }) => (sources.has(source) && !names.has(name) ? [name] : []));
}

/** The preset, with its named rule after a blank. */
function platformOf({ preset, rule }: { readonly preset: string; readonly rule?: string | undefined }): string {
  return rule === undefined ? preset : `${preset} ${rule}`;
}

/** A line for the kinds of a preset and client with the same result. */
function printResults(compared: readonly Comparison[]): void {
  const versions: { readonly [client: string]: string } = { ...NPM_CLIENTS, ...PYTHON_CLIENTS };
  const lines = new Map<string, string[]>();
  for (const { record, result } of compared) {
    const reason = findExpected(record)?.reason;
    const client = `${record.source} ${versions[record.source]}`;
    const line = [platformOf(record), client, result, ...(reason === undefined ? [] : [reason])].join(' | ');
    lines.set(line, [...(lines.get(line) ?? []), record.kind]);
  }
  for (const [line, kinds] of [...lines].toSorted()) print(`${line}: ${kinds.join(', ')}`);
}

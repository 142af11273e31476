import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPresetRules, VENUE_PRESETS } from '../../src/domain/presets/venue-presets.ts';
import { print } from '../../tests/harness/print.ts';
import { installedProgram } from '../../tests/programs/installed-program.ts';
import { runBounded } from '../run/bounded-run.ts';
import { installFromNpm, run, runIsolated } from './client-processes.ts';
import { type Comparison, compareRecord } from './compare-record.ts';
import { EXPECTED_DIFFERENCES, findExpectation, isOfSameRule } from './expected-differences.ts';
import {
  describeSource,
  NPM_ADDITIONS,
  NPM_PACKAGES,
  PYTHON_ADDITIONS,
  PYTHON_PACKAGES,
  PYTHON_WITHOUT_DEPENDENCIES,
  type SdkPackage,
} from './sdk-packages.ts';
import { SDK_KEYS, type SdkRecord } from './sdk-record.ts';

/*
 * Compares the presets with clients of the venues: each client signs requests with a fixed clock
 * and test keys, in a process without a network, and the preset's rule signs the same
 * request. Installs the clients from the npm registry (with --python also from PyPI) into a
 * temporary folder, without install scripts. Exit code 1 for a difference that
 * expected-differences.ts does not explain, or that it explains and no longer exists. A minute;
 * with --python two.
 *
 * npm run check -- sdk-parity [--python] [--json FILE]
 */

const LIMIT_MS = 300_000;

await runBounded(LIMIT_MS, async (cleanup) => {
  const folder = mkdtempSync(join(tmpdir(), 'sdk-parity-'));
  cleanup.add(() => rmSync(folder, { recursive: true, force: true }));
  const records = await recordNpm(folder);
  if (process.argv.includes('--python')) records.push(...(await recordPython(folder)));
  else print('Clients in Python are left out; --python includes them.');
  const compared = records.map((record) => ({ record, comparison: compareRecord(record) }));
  const at = process.argv.indexOf('--json');
  if (at > 0) writeFileSync(process.argv[at + 1] ?? '', JSON.stringify(compared, null, 2));
  return report(compared);
});

async function recordNpm(folder: string): Promise<SdkRecord[]> {
  print(`Installing ${NPM_PACKAGES.length} clients from the npm registry …`);
  await installFromNpm(folder, NPM_PACKAGES, NPM_ADDITIONS);
  const records: SdkRecord[] = [];
  for (const script of ['ccxt-requests.mjs', 'sdk-requests.mjs']) {
    const results = join(folder, `${script}.json`);
    await runIsolated(process.execPath, [join(folder, script), results, JSON.stringify(SDK_KEYS)], folder);
    records.push(...JSON.parse(readFileSync(results, 'utf8')));
  }
  return records;
}

async function recordPython(folder: string): Promise<SdkRecord[]> {
  const python = installedProgram('python3');
  if (python === undefined) {
    print('Clients in Python are left out: there is no python3.');
    return [];
  }
  print(`Installing ${PYTHON_PACKAGES.length} clients from PyPI …`);
  const isAlone = ({ name }: SdkPackage) => PYTHON_WITHOUT_DEPENDENCIES.includes(name);
  const toNames = (packages: readonly SdkPackage[]) => packages.map(({ name, version }) => `${name}==${version}`);
  const environment = join(folder, 'python');
  await run(python, ['-m', 'venv', environment], folder);
  const own = join(environment, 'bin', 'python3');
  const install = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
  const resolved = PYTHON_PACKAGES.filter((one) => !isAlone(one));
  await run(own, [...install, ...toNames(resolved), ...PYTHON_ADDITIONS], folder);
  await run(own, [...install, '--no-deps', ...toNames(PYTHON_PACKAGES.filter(isAlone))], folder);
  const results = join(folder, 'python.json');
  await runIsolated(own, [join(folder, 'python-requests.py'), results, JSON.stringify(SDK_KEYS)], folder);
  return JSON.parse(readFileSync(results, 'utf8'));
}

interface Compared {
  readonly record: SdkRecord;
  readonly comparison: Comparison;
}

function report(compared: readonly Compared[]): boolean {
  printTable(compared);
  const failures = compared.filter(
    ({ record, comparison }) => comparison.result !== (findExpectation(record)?.result ?? 'same'),
  );
  for (const { record, comparison } of failures) {
    print(`\nDIFFERENT: ${record.preset} ${record.rule ?? ''} ${record.kind}, ${record.source}: ${comparison.result}`);
    for (const detail of comparison.details) print(`  ${detail}`);
  }
  const sources = new Set(compared.map(({ record }) => record.source));
  const stale = EXPECTED_DIFFERENCES.filter(({ source }) => sources.has(source)).flatMap((expected) =>
    expected.kinds
      .filter((kind) => !compared.some(({ record }) => record.kind === kind && isOfSameRule(expected, record)))
      .map((kind) => `${expected.preset} ${expected.rule ?? ''} ${kind}, ${expected.source}`),
  );
  for (const entry of stale) print(`\nNOT RECORDED, but expected: ${entry}`);
  print(`\nPresets and named rules that no client signs for: ${listMissing(compared).join(', ') || 'none'}.`);
  const same = compared.filter(({ comparison }) => comparison.result === 'same').length;
  print(`\n${compared.length} requests: ${same} the same, ${compared.length - same - failures.length} explained,`);
  print(`${failures.length} different. * published by the venue.`);
  return failures.length === 0 && stale.length === 0;
}

/** Presets, and their named rules that are no presets. */
function listMissing(compared: readonly Compared[]): readonly string[] {
  const covered = new Set(compared.map(({ record: { preset, rule } }) => toPlatform(preset, rule)));
  const all = VENUE_PRESETS.flatMap((preset) => [
    preset.name,
    ...listPresetRules(preset).flatMap(({ name, alias }) => (alias === null ? [toPlatform(preset.name, name)] : [])),
  ]);
  return all.filter((name) => !covered.has(name));
}

function toPlatform(preset: string, rule: string | undefined): string {
  return rule === undefined ? preset : `${preset}, ${rule}`;
}

/** One line for the kinds of a preset and client with the same result. */
function printTable(compared: readonly Compared[]): void {
  const lines = new Map<string, string[]>();
  const reasons = new Map<string, string>();
  for (const { record, comparison } of compared) {
    const head = `${toPlatform(record.preset, record.rule).padEnd(20)} | ${describeSource(record.source).padEnd(30)} | ${comparison.result.padEnd(12)}`;
    lines.set(head, [...(lines.get(head) ?? []), record.kind]);
    const reason = findExpectation(record)?.reason;
    if (reason !== undefined) reasons.set(head, reason);
  }
  print(`\n${'Preset'.padEnd(20)} | ${'Client'.padEnd(30)} | ${'Result'.padEnd(12)} | Kinds of request`);
  for (const [head, kinds] of [...lines].sort(([left], [right]) => (left < right ? -1 : 1))) {
    print(`${head} | ${kinds.join(', ')}`);
    const reason = reasons.get(head);
    if (reason !== undefined) print(`${''.padEnd(20)}   ${reason}.`);
  }
}

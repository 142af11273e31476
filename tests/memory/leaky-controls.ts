import { writeFileSync } from 'node:fs';
import { ServiceProcess, type Workplace } from '../e2e/service-process.ts';
import type { MemorySearch } from '../process-memory/search.ts';
import { configure, type KnownAccount } from './accounts.ts';
import { examine } from './examine.ts';
import { RAW_FILE } from './key-sources.ts';
import { LEAKS, type Leak } from './leaks.ts';
import { nonceSecrets } from './nonces.ts';
import { signWithEach } from './signatures.ts';

/** Signatures that each account makes. */
const SIGNATURES = 50;

/** An account whose key leaks. */
export interface Control {
  readonly leak: Leak;
  readonly account: KnownAccount;
}

/** What the same search found of keys that leak. */
export interface ControlEvidence {
  readonly controls: readonly Control[];
  readonly search: MemorySearch;
}

/** So that the service runs from its sources, with what the tests put in. */
export const LEAKY_ENVIRONMENT = { NODE_OPTIONS: `--import ${import.meta.resolve('tsx')}` };

/** Runs the service with signers that leak, one key for each leak, and searches its memory as that of the real service. */
export async function examineControls(place: Workplace): Promise<ControlEvidence> {
  const plans = LEAKS.map(({ name, algorithm }) => ({ name: `${algorithm} ${name}`, algorithm, source: RAW_FILE }));
  const accounts = await configure(place, plans);
  const service = await startLeaky(place, accounts);
  const nonces = nonceSecrets(await signWithEach(service, accounts, SIGNATURES));
  const search = await examine(service, [...accounts.flatMap(({ secrets }) => secrets), ...nonces]);
  return { controls: accounts.flatMap((account, index) => controlOf(LEAKS[index], account)), search };
}

async function startLeaky(place: Workplace, accounts: readonly KnownAccount[]): Promise<ServiceProcess> {
  const names = Object.fromEntries(accounts.map(({ publicKey }, index) => [publicKey, LEAKS[index]?.name]));
  const file = place.path('leaks.json');
  writeFileSync(file, JSON.stringify(names));
  const child = place.spawn('../tests/memory/leaky-service.ts', [file]);
  const line = await child.waitForLine(/"message":"Listening\."/);
  return new ServiceProcess(child, JSON.parse(line).facts.url);
}

function controlOf(leak: Leak | undefined, account: KnownAccount): readonly Control[] {
  return leak === undefined ? [] : [{ leak, account }];
}

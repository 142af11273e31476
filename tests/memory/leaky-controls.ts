import { writeFileSync } from 'node:fs';
import { ServiceProcess, type Workplace } from '../harness/service-process.ts';
import { withNodeOptions } from '../harness/start-options.ts';
import type { MemorySearch } from '../process-memory/search.ts';
import { configure, type KnownAccount } from './accounts.ts';
import { examine } from './examine.ts';
import { RAW_FILE } from './key-sources.ts';
import { LEAKS, type Leak } from './leaks.ts';
import { nonceSecrets } from './nonces.ts';
import { signWithEach } from './signatures.ts';

/** Signatures per account. */
const SIGNATURES = 50;

/** An account whose key leaks. */
export interface Control {
  readonly leak: Leak;
  readonly account: KnownAccount;
}

/** Findings of deliberate leaks. */
export interface ControlEvidence {
  readonly controls: readonly Control[];
  readonly search: MemorySearch;
}

/** Runs and searches the service with leaking signers, one key per leak. */
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
  // From sources, with the test's additions.
  place.launcher = withNodeOptions('--import', import.meta.resolve('tsx'));
  const child = place.spawn('../tests/memory/leaky-service.ts', [file]);
  const line = await child.waitForLine(/"message":"Listening\."/);
  return new ServiceProcess(child, JSON.parse(line).facts.url);
}

function controlOf(leak: Leak | undefined, account: KnownAccount): readonly Control[] {
  return leak === undefined ? [] : [{ leak, account }];
}

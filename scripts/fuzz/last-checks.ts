import { setTimeout as sleep } from 'node:timers/promises';
import { auditedUsage } from '../proof/audited-usage.ts';
import type { FuzzedService } from './fuzzed-service.ts';
import { fileFault } from './service-outputs.ts';
import { SMUGGLED_ACCOUNT } from './smuggling-cases.ts';
import { WITNESS_ACCOUNT } from './witness.ts';

const SETTLE_MS = 15_000;
const LOOK_MS = 100;

/** What was seen of a service's signatures from outside. */
export interface SeenSignatures {
  /** In whole answers. Of those that were cut off nobody knows. */
  readonly least: number;
  /** Of {@link WITNESS_ACCOUNT}. */
  readonly witness: number;
}

/** What is wrong with a service once nobody calls it any more, and with what it leaves behind when it stops. Stops it. */
export async function lastFaults(fuzzed: FuzzedService, seen: SeenSignatures): Promise<readonly string[]> {
  const faults = [await loadFault(fuzzed), await fuzzed.socketFault()];
  const status = await fuzzed.status();
  const { exitCode, stderr } = await fuzzed.service.stop();
  if (exitCode !== 0) faults.push(`it ended with ${exitCode}`);
  if (stderr !== '') faults.push(`it wrote to standard error: ${stderr.slice(0, 1000)}`);
  faults.push(...fuzzed.log.faults.map((fault) => `its log has ${fault}`));
  const file = fuzzed.place.path('audit.jsonl');
  faults.push(await fileFault(file));
  const { totalSigns, accounts } = await auditedUsage(fuzzed.place, [file]);
  const signsOf = ({ platformId, accountId }: { readonly platformId: string; readonly accountId: string }) =>
    accounts.find((one) => one.platformId === platformId && one.accountId === accountId)?.totalSigns ?? 0;
  const told = status.body.data.performance.totalSigns;
  if (told !== totalSigns) faults.push(`its status tells of ${told} signatures, its record of ${totalSigns}`);
  if (totalSigns < seen.least) faults.push(`${seen.least} signatures were seen, ${totalSigns} are on record`);
  if (signsOf(WITNESS_ACCOUNT) !== seen.witness)
    faults.push(`of ${seen.witness} signatures of an account ${signsOf(WITNESS_ACCOUNT)} are on record`);
  if (signsOf(SMUGGLED_ACCOUNT) > 0) faults.push(`${signsOf(SMUGGLED_ACCOUNT)} requests were smuggled and signed`);
  return faults.filter((fault) => fault !== null).map((fault) => `${fuzzed.name}: ${fault}`);
}

async function loadFault(fuzzed: FuzzedService): Promise<string | null> {
  const limit = performance.now() + SETTLE_MS;
  for (;;) {
    const { body } = await fuzzed.status();
    const { inFlight, queued, heldBytes } = body.data.load;
    if (inFlight + queued + heldBytes === 0) return null;
    if (performance.now() > limit) return `there is still load: ${JSON.stringify(body.data.load)}`;
    await sleep(LOOK_MS);
  }
}

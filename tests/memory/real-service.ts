import type { Workplace } from '../harness/service-process.ts';
import { START_OPTIONS, withNodeOptions } from '../harness/start-options.ts';
import type { MemorySearch } from '../process-memory/search.ts';
import type { Secret } from '../process-memory/secrets.ts';
import { auditKeySecrets, configure, EVERY_ACCOUNT, type KnownAccount } from './accounts.ts';
import { examine } from './examine.ts';
import { nonceSecrets } from './nonces.ts';
import { signWithEach } from './signatures.ts';
import { MasterKeyVault, WRAPPED_BY_VAULT } from './wrapped-master-key.ts';

/** Signatures per account before and after the reload; before: 1000, or MEMORY_TEST_SIGNATURES. */
export const SIGNATURES = { before: signaturesBefore(), after: 20 } as const;

export interface Examination {
  readonly moment: string;
  readonly search: MemorySearch;
}

/** Sought secrets and findings for the real service. */
export interface ServiceEvidence {
  readonly accounts: readonly KnownAccount[];
  readonly secrets: readonly Secret[];
  /** One copy is allowed, in inaccessible locked memory. */
  readonly auditKey: readonly Secret[];
  readonly examinations: readonly Examination[];
}

/** As in production; re-encrypts keys each second, to include that in the search. */
export const REAL_ENVIRONMENT = { NODE_ENV: 'production', SIGNING_KEY_REFRESH_SECONDS: '1' } as const;

/**
 * Runs dist/main.js with every algorithm and source, and a master key that Vault unwraps, and
 * searches its memory three times.
 */
export async function examineRealService(place: Workplace): Promise<ServiceEvidence> {
  const vault = await MasterKeyVault.start(place);
  const accounts = await configure(place, EVERY_ACCOUNT, WRAPPED_BY_VAULT);
  const secrets = [...accounts.flatMap((account) => account.secrets), ...vault.secrets()];
  const auditKey = auditKeySecrets(place);
  const sought = [...secrets, ...auditKey, ...accounts.map(({ publicKeySecret }) => publicKeySecret)];

  place.launcher = withNodeOptions(...START_OPTIONS);
  const service = await place.start();
  await vault.stop();
  const started = await examine(service, sought);
  const nonces = nonceSecrets(await signWithEach(service, accounts, SIGNATURES.before));
  const signed = await examine(service, [...sought, ...nonces]);
  const { status } = await service.post('/config/reload');
  if (status !== 200) throw new Error(`The reload was answered with ${status}.`);
  const laterNonces = nonceSecrets(await signWithEach(service, accounts, SIGNATURES.after));
  const reloaded = await examine(service, [...sought, ...laterNonces]);

  const examinations = [
    { moment: 'after the start', search: started },
    { moment: `after ${SIGNATURES.before} signatures with each key`, search: signed },
    { moment: `after a reload and ${SIGNATURES.after} more with each`, search: reloaded },
  ];
  return { accounts, secrets: [...secrets, ...nonces, ...laterNonces], auditKey, examinations };
}

function signaturesBefore(): number {
  const count = Number(process.env['MEMORY_TEST_SIGNATURES'] ?? 1000);
  if (!(Number.isInteger(count) && count > 0)) throw new Error('MEMORY_TEST_SIGNATURES has to be a positive integer.');
  return count;
}

import { AccountService } from '../domain/services/account-service.ts';
import { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import { PolicyCompiler } from '../domain/services/policy-compiler.ts';
import { ReadinessService } from '../domain/services/readiness-service.ts';
import { RecentActivity } from '../domain/services/recent-activity.ts';
import { RegistryHolder } from '../domain/services/registry-holder.ts';
import { RegistryLoader } from '../domain/services/registry-loader.ts';
import { ReloadService } from '../domain/services/reload-service.ts';
import { RetiredKeys } from '../domain/services/retired-keys.ts';
import { SelfTestService } from '../domain/services/self-test-service.ts';
import { SigningPerformance, SignRequestService } from '../domain/services/sign-request-service.ts';
import type { Ports } from '../ports/ports.ts';
import { reloadWarnings } from './settings/permission-warnings.ts';
import type { Settings } from './settings/settings.ts';

/** Adapters that the services work with. */
export const SERVICE_PORTS = [
  'clock',
  'log',
  'hasher',
  'metrics',
  'keyStore',
  'signers',
  'starknet',
  'loadPolicyLanguage',
  'source',
  'sink',
  'usage',
  'limiters',
  'budgets',
] as const satisfies readonly (keyof Ports)[];

/** The services of one process, by name. */
export type Services = ReturnType<typeof composeServices>;

/** Makes the domain services over adapters: those of the settings, or doubles in their places. */
export function composeServices(ports: Pick<Ports, (typeof SERVICE_PORTS)[number]>, settings: Settings) {
  const { clock, keyStore, sink, usage } = ports;
  const registry = new RegistryHolder();
  const performance = new SigningPerformance();
  const retiredKeys = new RetiredKeys(keyStore, clock);
  const activity = new RecentActivity(clock, registry);
  const audit = new AuditEntryService({ ...ports, instanceId: settings.instanceId, activity });
  const loader = new RegistryLoader({ ...ports, compiler: new PolicyCompiler(ports.loadPolicyLanguage) });
  const parts = { ...ports, registry, performance, retiredKeys, activity, audit, loader };
  return {
    ...{ registry, performance, retiredKeys, activity, audit, loader },
    signing: new SignRequestService({ ...parts, verifiesSignatures: settings.verifySignatures }),
    accounts: new AccountService(registry, usage, clock),
    reloads: new ReloadService({
      ...parts,
      getWarnings: (after, before) => reloadWarnings(after, before, settings, clock),
      maxRemoved: settings.reloadMaxRemoved,
    }),
    readiness: new ReadinessService(registry, sink, new SelfTestService(ports)),
  };
}

import type { Registry } from '../domain/model/registry.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import { memoryLockState } from '../secure-memory/memory-lock.ts';
import { SERVICE_VERSION } from './service-version.ts';
import type { Settings } from './settings.ts';

/** Says in the service log, before anything is opened, which program begins and how it is set, without secrets: whoever looks for why it did not start sees it, too. */
export function tellProgram({ instanceId, shown }: Settings, log: ServiceLog): void {
  log.info(`Signing service ${SERVICE_VERSION}.`, {
    instanceId,
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
    pid: process.pid,
  });
  log.info('Settings that are given.', shown.given);
  log.info('Settings by default.', shown.byDefault);
}

/** Says in the service log, before the first request is answered, what the service begins its work with. */
export function tellInventory(
  { credentialsFile, auditFile }: Settings,
  registry: Registry,
  sink: Pick<AuditSink, 'head' | 'facts'>,
  log: ServiceLog,
): void {
  log.info('Accounts.', {
    file: credentialsFile,
    digest: registry.origin.digest,
    total: registry.accountCount,
    byPlatform: registry.countByPlatform(),
    memory: memoryLockState(),
  });
  log.info('Audit record.', { file: auditFile, ...sink.head, ...sink.facts });
}

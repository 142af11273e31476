import { type Finding, ok } from '../../adapters/machine/finding.ts';
import { loadOpenTelemetry } from '../../adapters/observability/load-opentelemetry.ts';
import type { Settings } from '../settings/settings.ts';
import { failedCheck } from './failed-check.ts';

const CHECK = 'traces';

/** Whether the packages for traces can be loaded; empty without an endpoint. */
export async function checkTraces(
  { traceEndpoint }: Pick<Settings, 'traceEndpoint'>,
  load: () => Promise<unknown> = loadOpenTelemetry,
): Promise<readonly Finding[]> {
  if (traceEndpoint === null) return [];
  try {
    await load();
    return [ok(CHECK, `sent to ${new URL(traceEndpoint).origin}`)];
  } catch (error) {
    return [failedCheck(CHECK, error, 'The service does not start until this is fixed.')];
  }
}

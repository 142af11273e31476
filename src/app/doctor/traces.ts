import { type Finding, ok } from '../../adapters/machine/finding.ts';
import { loadOpenTelemetry } from '../../adapters/observability/otlp-traces.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Whether the packages for traces can be loaded; empty without an endpoint.
 * @throws OperatorError if they cannot
 */
export async function checkTraces(
  { traceEndpoint }: Pick<Settings, 'traceEndpoint'>,
  load: () => Promise<unknown> = loadOpenTelemetry,
): Promise<readonly Finding[]> {
  if (traceEndpoint === null) return [];
  await load();
  return [ok('traces', `sent to ${new URL(traceEndpoint).origin}`)];
}

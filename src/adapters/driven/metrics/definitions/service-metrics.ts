import { gauge, type ReadMetric } from '../metric-definition.ts';

/** Which program this is, and whether it works. */
export const SERVICE_METRICS: readonly ReadMetric[] = [
  gauge(
    'signing_build_info',
    'Always 1. Version of the service and of Node: replicas should show the same, but for the time of an upgrade.',
    ({ process }) => [{ labels: { version: process.version, node: process.nodeVersion }, value: 1 }],
    ['version', 'node'],
  ),
  gauge(
    'signing_healthy',
    '1 while it can sign: audit records can be written and there are accounts. As the status says.',
    ({ core }) => core.isHealthy,
  ),
  gauge(
    'signing_ready',
    '1 while the service should be sent requests, as /readyz says. 0 for longer than a restart takes is an outage of this replica.',
    ({ core }) => core.isReady,
  ),
  gauge(
    'signing_ready_check',
    '1 while one of the checks of /readyz holds: which of them is 0 says why the service is not ready.',
    ({ core }) => Object.entries(core.readiness).map(([check, ok]) => ({ labels: { check }, value: Number(ok) })),
    ['check'],
  ),
];

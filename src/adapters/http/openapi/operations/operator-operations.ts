import { ROUTES } from '../../route.ts';
import type { ReloadResponse } from '../../schemas/reload-responses.ts';
import type { StatusResponse } from '../../schemas/status-responses.ts';
import type { Operation } from '../operation.ts';
import { EXAMPLE_TIME } from './example-data.ts';

/** For operators. */
export const OPERATOR_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'reloadConfiguration',
    tag: 'Operations',
    summary: 'Reload the credentials file',
    description:
      'Reads and validates the whole file, tests every key, and activates the new configuration in one step, without interrupting requests. The response and the audit log list the changes. A file that cannot be loaded changes nothing. A request body is ignored. Calls during a reload share the next one.\n\nWith `SIGNING_ADMIN_PORT`, this endpoint is on that port only.',
    parameters: [],
    response: { schema: 'Reload', description: 'The changes.' },
    examples: {
      unchanged: {
        summary: 'An unchanged file',
        target: ROUTES.reloadConfiguration.path,
        response: {
          reloadedAt: EXAMPLE_TIME,
          changes: { added: 0, updated: 0, removed: 0 },
          accountCount: 5,
          platformCount: 4,
          accounts: {
            ...{ added: [], removed: [], rekeyed: [], disabled: [], enabled: [], changed: [] },
            more: { added: 0, removed: 0, rekeyed: 0, disabled: 0, enabled: 0, changed: 0 },
          },
          keys: { added: [], replaced: [], removed: [], more: { added: 0, replaced: 0, removed: 0 } },
          platforms: {
            ...{ added: [], removed: [], changed: [], changedFields: [] },
            more: { added: 0, removed: 0, changed: 0, changedFields: 0 },
          },
          policies: { added: [], removed: [], changed: [], more: { added: 0, removed: 0, changed: 0 } },
          budgets: { added: [], removed: [], changed: [], more: { added: 0, removed: 0, changed: 0 } },
          permissions: { added: 0, removed: 0, principals: [], more: { principals: 0 } },
          previous: {
            configurationDigest: 'sha256:6638812e87f8b4a92b617aa03faa57b077953fc7842ada54783120a195c06d04',
            ...{ permissionsDigest: null, policiesDigest: null, budgetsDigest: null },
            masterKeyIds: ['1f0c5d2a9b7e4863'],
          },
          keysDigest: 'sha256:ef44f573abde82b38eb2eec7b4af9eb24c5c8318b196c9008224633caead610a',
          configurationDigest: 'sha256:6638812e87f8b4a92b617aa03faa57b077953fc7842ada54783120a195c06d04',
          permissionCount: null,
          permissionsDigest: null,
          policyCount: 0,
          policiesDigest: null,
          budgetCount: 0,
          budgetsDigest: null,
          masterKeyIds: ['1f0c5d2a9b7e4863'],
        } satisfies ReloadResponse,
      },
    },
  },
  {
    operationId: 'getStatus',
    tag: 'Operations',
    summary: 'Status',
    description:
      'Reports the health, load and configuration of the service to callers with permission.\n\nWith `SIGNING_ADMIN_PORT`, this endpoint is on that port only.',
    parameters: ['IncludeActivity'],
    response: { schema: 'Status', description: 'The status.' },
    examples: {
      healthy: {
        summary: 'A service with one signature',
        target: ROUTES.getStatus.path,
        response: {
          status: 'healthy',
          uptime: '26h 3m 9s',
          instance: { id: 'signer-1', version: '1.0.0' },
          config: {
            path: '/etc/signing-service/credentials.json',
            lastLoaded: EXAMPLE_TIME,
            isWatching: true,
            lastReload: { at: EXAMPLE_TIME, trigger: 'request', outcome: 'success', issues: [] },
            reloads: { succeeded: 1, failed: 0 },
          },
          accounts: { total: 5, byPlatform: { alpha: 2, beta: 1, gamma: 1, delta: 1 } },
          performance: { avgSigningTime: '0.42ms', totalSigns: 1, errorRate: 0 },
          usage: { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 },
          audit: {
            path: '/var/lib/signing-service/audit.jsonl',
            available: true,
            head: {
              seq: 4,
              hash: 'sha256:3b487ad0c1f6a2b0c9a34c2f5d5e6a7a0d4f9e1b2c3d4e5f60718293a4b5c6d7',
            },
            checkpoint: null,
            disk: { freeBytes: 50_000_000_000, state: 'ok', lowBytes: 1_073_741_824, criticalBytes: 16_777_216 },
            checkpointCopies: [
              {
                setting: 'SIGNING_AUDIT_CHECKPOINT_FILE',
                place: '/mnt/auditors/checkpoints.jsonl',
                seq: null,
                failures: 0,
              },
            ],
          },
          load: { inFlight: 0, queued: 0, heldBytes: 0, refused: 0, rateLimited: 0 },
          rateLimits: null,
          tls: null,
          forwardedCertificates: null,
          authentication: null,
          expiryWarningDays: 14,
        } satisfies StatusResponse,
      },
    },
  },
  {
    operationId: 'getMetrics',
    tag: 'Operations',
    summary: 'Prometheus metrics',
    description:
      'Metrics in the Prometheus text format, or in OpenMetrics if `Accept` prefers it. The same permission as for the status is required.\n\nWith `SIGNING_ADMIN_PORT`, this endpoint is on that port only, without authentication.',
    parameters: [],
    response: {
      contentTypes: ['text/plain', 'application/openmetrics-text'],
      schema: { type: 'string' },
      description: 'The metrics.',
    },
    examples: {},
  },
];

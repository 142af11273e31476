import type { ReloadResult } from '../../src/domain/services/registry-changes.ts';

/** Result of a reload without changes. */
export const SAMPLE_RELOAD_RESULT: ReloadResult = {
  reloadedAt: '2026-11-20T08:49:00.000Z',
  changes: { added: 0, updated: 0, removed: 0 },
  accountCount: 1,
  platformCount: 1,
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
    ...{ configurationDigest: null, permissionsDigest: null, policiesDigest: null, budgetsDigest: null },
    masterKeyIds: [],
  },
  keysDigest: null,
  configurationDigest: null,
  permissionCount: null,
  permissionsDigest: null,
  policyCount: 0,
  policiesDigest: null,
  budgetCount: 0,
  budgetsDigest: null,
  masterKeyIds: [],
};

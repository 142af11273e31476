/** Data of `GET /api/v1/status` without activity. */
export const STATUS = {
  status: 'healthy',
  uptime: '3h 12m 4s',
  instance: { id: 'signer-1', version: '1.0.0' },
  config: {
    path: 'config/credentials.json',
    lastLoaded: '2026-11-20T08:00:00.000Z',
    isWatching: true,
    lastReload: { at: '2026-11-20T08:00:00.000Z', trigger: 'watch', outcome: 'success', issues: [] },
    reloads: { succeeded: 2, failed: 0 },
  },
  accounts: { total: 200, byPlatform: { alpha: 120, beta: 80 } },
  performance: { avgSigningTime: '0.42ms', totalSigns: 12_345, errorRate: 0.0123 },
  usage: { shared: true, state: 'current', behindSince: null, reason: null, replicas: 2 },
  audit: {
    path: 'var/audit/audit.jsonl',
    available: true,
    head: { seq: 12_400, hash: `sha256:${'ab'.repeat(32)}` },
    checkpoint: {
      ...{ instanceId: 'signer-1', seq: 12_399, time: '2026-11-20T08:49:01.000Z' },
      ...{ hash: `sha256:${'cd'.repeat(32)}`, sig: 'c2ln' },
    },
    disk: { freeBytes: 12_345_678_901, state: 'ok', lowBytes: 1_073_741_824, criticalBytes: 104_857_600 },
  },
  load: { inFlight: 1, queued: 4, heldBytes: 0, refused: 3, rateLimited: 7 },
  rateLimits: null,
  tls: {
    certificate: {
      ...{ notBefore: '2026-01-01T00:00:00.000Z', notAfter: '2026-12-01T00:00:00.000Z' },
      ...{ fingerprint256: 'AB:CD', daysLeft: 5 },
    },
    loadedAt: '2026-11-20T08:00:00.000Z',
    lastReload: null,
    clientCertificates: null,
  },
  authentication: null,
  expiryWarningDays: 14,
};

const REFUSED = { count: 3, lastCode: 'POLICY_DENIED', lastAt: '2026-11-20T08:48:01.000Z' };

const RECORD = {
  ...{ time: '2026-11-20T08:49:01.000Z', event: 'sign', outcome: 'refused', errorCode: 'POLICY_DENIED' },
  ...{ platformId: 'alpha', accountId: 'main', principal: 'bot-1', policy: 'trade-only', correlationId: 'a-1' },
};

/** `activity` of the same, with `include=activity`. */
export const ACTIVITY = {
  intervalSeconds: 5,
  signatures: [0, 0, 10, 20, 40, 80],
  refusals: [0, 0, 0, 0, 0, 3],
  refusedBy: {
    accounts: [{ platformId: 'alpha', accountId: 'main', ...REFUSED }],
    callers: [
      { principal: 'bot-1', ...REFUSED },
      { principal: null, count: 1, lastCode: 'UNAUTHENTICATED', lastAt: '2026-11-20T08:40:00.000Z' },
    ],
    policies: [{ policy: 'trade-only', ...REFUSED }],
  },
  records: [
    RECORD,
    {
      ...{ time: '2026-11-20T08:00:00.000Z', event: 'reload', outcome: 'success', errorCode: null },
      ...{ platformId: null, accountId: null, principal: null, policy: null, correlationId: null },
    },
  ],
};

/** Data of `GET /readyz`. */
export const READY = { status: 'ready', checks: { keys: { ok: true }, audit: { ok: true } } };

/** Ends a terminal's title, colors, breaks lines, clears the screen (C1) and reorders text. */
const CONTROLS = '\x1b]0;title\x07\x1b[31m\nsecond line\u009b2J\u202e';

/** A copy as a hostile server sends it: with control characters in all texts and names. */
export function poison<Value>(value: Value): Value {
  if (typeof value === 'string') return `${value}${CONTROLS}` as Value;
  if (Array.isArray(value)) return value.map(poison) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poison(member)])) as Value;
}

/** What no text of the service may bring onto a terminal. */
export const CONTROL_CHARACTERS = /(?!\n)[\p{Cc}\p{Cf}]|^second line/mu;

/**
 * Sample `--json` output for docs/operators/command-line.md. A test compares member names and types
 * with real output.
 * A key is the command, with the case where it matters.
 */
export const JSON_EXAMPLES: { readonly [commandLine: string]: object } = {
  init: {
    files: [
      { purpose: 'master key', file: 'config/master.key', created: true },
      { purpose: 'credentials file', file: 'config/credentials.json', created: true },
      { purpose: 'audit key', file: 'config/audit.key', created: true },
      { purpose: 'audit public key', file: 'config/audit.key.pub', created: true },
    ],
  },
  'platform add': {
    platform: { platformId: 'my-exchange', format: 'any', algorithms: ['ed25519'], payload: { rule: 'jcs' } },
    cautions: [],
  },
  'platform presets': {
    presets: [
      {
        name: 'kraken',
        venue: 'Kraken spot REST',
        docs: 'https://docs.kraken.com/…',
        platform: {
          format: 'any',
          algorithms: ['hmac-sha512'],
          encoding: 'base64',
          payload: { rule: 'kraken' },
          secretDecoding: 'base64',
        },
        keyFile: 'the API secret (private key) as Kraken shows it, base64',
        notes: ['…'],
        example: {
          key: { text: '…' },
          data: { path: '/0/private/AddOrder', body: { nonce: '1616492376594', pair: 'XBTUSD' } },
          payload: '…',
          payloadEncoding: 'hex',
          signature: '…',
          source: 'https://docs.kraken.com/…',
        },
      },
    ],
  },
  'platform disable': { platform: { platformId: 'my-exchange', status: 'disabled' } },
  'platform enable': { platform: { platformId: 'my-exchange', status: 'active' } },
  'account add': {
    account: {
      platformId: 'my-exchange',
      accountId: 'main',
      alias: 'Main book',
      status: 'active',
      environment: 'production',
      algorithm: 'ed25519',
      publicKey: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
      createdAt: '2026-11-20T09:15:52.309Z',
    },
    cautions: [],
  },
  'account import': {
    file: 'accounts.csv',
    dryRun: false,
    imported: 1,
    accounts: [
      {
        row: 1,
        platformId: 'my-exchange',
        accountId: 'main',
        alias: 'main',
        status: 'active',
        environment: 'production',
        algorithm: 'ed25519',
        createdAt: '2026-11-20T09:15:52.309Z',
        publicKey: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
      },
    ],
    skipped: [{ row: 2, platformId: 'my-exchange', accountId: 'existing' }],
    faults: [],
    cautions: [],
    keyFiles: ['/srv/import/keys/main.key'],
  },
  'account import, if rejected': {
    file: 'accounts.csv',
    dryRun: false,
    imported: 0,
    accounts: [],
    skipped: [],
    faults: [
      {
        row: 2,
        line: 3,
        field: 'keyFile',
        message: 'does not exist: give the path of a file, not the key itself',
      },
    ],
    cautions: [],
    keyFiles: [],
  },
  'account list': {
    accounts: [
      {
        platformId: 'treasury',
        accountId: 'hot',
        alias: 'hot',
        status: 'active',
        environment: 'production',
        algorithm: 'eip191',
        publicKey: '0x04…',
        createdAt: '2026-11-20T09:15:52.309Z',
        address: '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A',
      },
    ],
    total: 1,
  },
  'account disable': {
    account: { platformId: 'my-exchange', accountId: 'main', status: 'disabled' },
    sameKey: [{ platformId: 'my-exchange', accountId: 'twin', algorithm: 'ed25519', status: 'active' }],
    cautions: ['its key is also used by my-exchange/twin (ed25519), still active; …'],
  },
  'account enable': {
    account: { platformId: 'my-exchange', accountId: 'main', status: 'active' },
    cautions: [],
  },
  'account remove': { account: { platformId: 'my-exchange', accountId: 'main' }, removed: true },
  'permission check': {
    allowed: true,
    principal: 'bot-7',
    operation: 'sign',
    platformId: 'my-exchange',
    accountId: 'main',
    hasList: false,
    entries: [],
    accountExists: true,
    accountStatus: 'active',
    platformStatus: 'active',
  },
  'policy add': {
    policies: [
      {
        name: 'okx-no-withdrawals',
        accounts: ['okx/*'],
        effect: 'deny',
        when: 'rule == "default" && signed.path.startsWith("/api/v5/asset/withdrawal")',
        mode: 'audit',
      },
    ],
  },
  'policy list': {
    policies: [
      {
        name: 'small-orders',
        effect: 'allow',
        mode: 'enforce',
        accounts: ['my-exchange/*'],
        principals: ['bot-*'],
        when: 'signed.message.order.amount <= 10',
      },
    ],
    total: 1,
    budgets: [
      {
        name: 'daily-amount',
        accounts: ['my-exchange/*'],
        sum: 'decimal(signed.message.order.amount)',
        max: '1000',
        windowSeconds: 86_400,
      },
    ],
  },
  'policy check': {
    allowed: true,
    platformId: 'my-exchange',
    accountId: 'main',
    rule: 'default',
    principal: 'bot-7',
    time: '2026-11-24T10:30:00.000Z',
    payload: '{"order":{"amount":5,"side":"buy"}}',
    payloadEncoding: 'utf8',
    signed: {
      text: '{"order":{"amount":5,"side":"buy"}}',
      message: { order: { amount: 'int(5)', side: 'buy' } },
    },
    absent: [],
    policies: [
      { name: 'small-orders', effect: 'allow', mode: 'enforce', isForCaller: true, matches: true, error: null },
    ],
    decision: { effect: 'allow', policies: ['small-orders'], wouldDeny: [] },
    budgets: [{ name: 'daily-amount', amount: '5', max: '1000', windowSeconds: 86_400, error: null }],
    cautions: [],
  },
  'master-key status': {
    primary: { file: 'config/master.key', id: '304d28bc6a9afab2', hasPassphrase: false, accounts: 3 },
    previous: null,
    missing: [],
    leftovers: [],
  },
  'master-key rotate': {
    outcome: 'made',
    primary: { file: 'config/master.key', id: 'bcf91f349ad3b0fd', hasPassphrase: false },
    previous: { file: 'config/master.key.previous', id: '304d28bc6a9afab2', hasPassphrase: false },
    accounts: 3,
  },
  'master-key retire': {
    retired: { file: 'config/master.key.previous', id: '304d28bc6a9afab2', hasPassphrase: false },
    leftovers: [],
  },
  'audit verify': {
    verified: true,
    fault: null,
    incomplete: [],
    notes: [],
    leftOut: [],
    publicKeys: 'configured',
    chains: [
      {
        files: [
          {
            file: 'var/audit/audit.jsonl',
            first: { seq: 1, time: '2026-11-20T08:00:00.000Z' },
            last: { seq: 6, time: '2026-11-20T08:04:00.000Z' },
          },
        ],
        instanceIds: ['signer-1'],
        publicKeys: ['q8…='],
        first: { seq: 1, time: '2026-11-20T08:00:00.000Z' },
        last: { seq: 6, time: '2026-11-20T08:04:00.000Z', hash: 'sha256:…' },
        records: 6,
        events: {
          start: { success: 1, refused: 0, failed: 0 },
          sign: { success: 1, refused: 0, failed: 0 },
        },
        checkpoints: 3,
        covered: 5,
        uncovered: 0,
      },
    ],
    reachedCheckpoints: [],
    usage: {
      accounts: [
        {
          platformId: 'my-exchange',
          accountId: 'main',
          totalSigns: 1,
          lastSignAt: '2026-11-20T08:04:00.000Z',
          errorCount: 0,
        },
      ],
      totals: { totalSigns: 1, errorCount: 0 },
    },
    bytes: 2291,
    seconds: 0.02,
  },
  'token authority': {
    publicKey: '6Tn…',
    keyFile: 'authority.key',
    authoritiesFile: 'config/auth-authorities.txt',
  },
  'token issue': {
    token: 'CiAB…',
    username: 'desk-1',
    publicKey: '8hQ…',
    expirationTime: '2027-02-18T09:15:52Z',
    keyFile: 'desk-1.key',
    isNewKey: true,
    tokenFile: 'desk-1.token',
    isBelieved: true,
  },
  'token inspect': {
    message: 'AccessToken',
    username: 'desk-1',
    publicKey: '8hQ…',
    expirationTime: '2027-02-18T09:15:52Z',
    hasExpired: false,
    issuer: '6Tn…',
    request: null,
  },
  doctor: {
    findings: [
      { check: 'settings', state: 'ok', message: 'all valid', remedy: null },
      { check: 'swap', state: 'warning', message: '…', remedy: '…' },
    ],
    summary: { ok: 1, warning: 1, fail: 0 },
  },
};

/** A folder's wall: planted imports and Biome's expected reports. */
export interface Wall {
  /** `includes` of the override in biome.json. */
  readonly override: string;
  /** Folder of the planted imports. */
  readonly folder: string;
  /** Allowed imports: a path, or a whole statement. */
  readonly allowed: readonly string[];
  /** Forbidden imports, by the start of the expected message. */
  readonly forbidden: { readonly [messageStart: string]: readonly string[] };
}

const CORE_HINT =
  'Domain and ports import nothing from Node or from a library: ask for a port instead (docs/reviewers/architecture.md).';
const COMPOSED = 'Adapters are composed, they do not compose';
const SIDEWAYS = 'Adapters do not import each other: talk through a port.';
const KEYS_STOP = 'Keys stop before HTTP and the command line: ask a service, which asks the KeyStore port.';
const NO_KEY_HOLDER = 'ethers never sees a private key: import its functions by name, and nothing that holds a key.';
const KECCAK_ONLY = 'ethers never sees a private key: these folders take keccak256 from it and nothing else.';
const OUTSIDE = ['node:fs', 'node:fs/promises', 'fs', 'ethers', 'zod', '@noble/hashes/sha256', 'sodium-native'];
const NATIVE = ['sodium-native', 'sodium-native/binding.js', 'secp256k1-native', 'secp256k1-native/binding.js'];

/** Ways to pass a private key to ethers, and around its name. */
const KEY_HOLDERS = [
  "import { SigningKey } from 'ethers';",
  "import { getBytes, Wallet } from 'ethers';",
  "import { BaseWallet } from 'ethers/wallet';",
  "import { HDNodeWallet as Node } from 'ethers/wallet';",
  "import type { SigningKey as Key } from 'ethers/crypto';",
  "import * as everything from 'ethers';",
  "import { ethers } from 'ethers';",
  "import all from 'ethers';",
  "export { Wallet } from 'ethers';",
  "export * from 'ethers';",
  "export const late = import('ethers');",
];

const ETHERS_FUNCTIONS = "import { getBytes, hashMessage } from 'ethers';";

/** Parts that no core folder may import, by path from src. */
const AROUND_THE_CORE = ['adapters/vault/locked-buffer.ts', 'adapters/http/app.ts', 'app/compose.ts', 'main.ts'];

/** A file of each restricted adapter, by its folder. */
const ADAPTERS: { readonly [folder: string]: string } = {
  audit: 'audit-key.ts',
  auth: 'token-file.ts',
  cli: 'program.ts',
  credentials: 'sealed-key.ts',
  files: 'file-lock.ts',
  http: 'app.ts',
  'json-text': 'duplicate-keys.ts',
  'key-files': 'hex.ts',
  limits: 'memory-rate-limiter.ts',
  machine: 'swap.ts',
  node: 'system-clock.ts',
  observability: 'prom-metrics.ts',
  passphrase: 'passphrase-prompt.ts',
  policy: 'cel-policy-language.ts',
  redis: 'redis-link.ts',
  signing: 'hmac-signer.ts',
  usage: 'usage-snapshot.ts',
  vault: 'locked-buffer.ts',
};

/** A folder that imports only itself and the named ones. */
function aloneWall(folder: string, message: string, allowed: readonly string[], forbidden: readonly string[]): Wall {
  return {
    override: `src/${folder}/**`,
    folder: `src/${folder}`,
    allowed: ['./planted-part.ts', './planted-part/piece.ts', ...allowed],
    forbidden: { [message]: forbidden },
  };
}

/** A core folder. `up` leads from it to src. */
function coreWall(
  folder: string,
  up: string,
  message: string,
  allowed: readonly string[],
  forbidden: readonly string[],
): Wall {
  return aloneWall(folder, `${message} ${CORE_HINT}`, allowed, [
    ...OUTSIDE,
    ...AROUND_THE_CORE.map((path) => up + path),
    `./${up}${AROUND_THE_CORE[0]}`,
    ...forbidden,
  ]);
}

/** An adapter that others build on; it imports only `allowed`. */
function baseWall(name: string, message: string, allowed: readonly string[], forbidden: readonly string[]): Wall {
  return aloneWall(`adapters/${name}`, message, allowed, [
    'winston',
    '../http/app.ts',
    '../usage/usage-snapshot.ts',
    '../../domain/services/planted.ts',
    '../../app/compose.ts',
    './../usage/usage-snapshot.ts',
    ...forbidden,
  ]);
}

/** An adapter of a port, with folders to `depth`; may import the `neighbours`. */
function adapterWall(
  name: string,
  neighbours: readonly string[],
  more: {
    readonly allowed: readonly string[];
    readonly forbidden: { readonly [messageStart: string]: readonly string[] };
  },
  part = '',
): Wall {
  const up = part === '' ? '../' : '../../';
  const fileOf = (folder: string): string => `${up}${folder}/${ADAPTERS[folder]}`;
  const isForbidden = (folder: string): boolean => folder !== name && !neighbours.includes(folder);
  const [first] = neighbours;
  return {
    override: `src/adapters/${name}/**`,
    folder: `src/adapters/${name}${part}`,
    allowed: [
      './planted-part.ts',
      'node:fs',
      ETHERS_FUNCTIONS,
      `${up}../domain/model/account.ts`,
      `${up}../ports/clock.ts`,
      ...neighbours.map(fileOf),
      ...more.allowed,
    ],
    forbidden: {
      ...more.forbidden,
      [NO_KEY_HOLDER]: KEY_HOLDERS,
      [COMPOSED]: ['app/compose.ts', 'client/client.ts', 'main.ts', 'cli.ts', 'healthcheck.ts'].map(
        (path) => `${up}../${path}`,
      ),
      [SIDEWAYS]: [
        ...Object.keys(ADAPTERS).filter(isForbidden).map(fileOf),
        `${up}../adapters/machine/swap.ts`,
        `${up}../ports/../adapters/machine/swap.ts`,
        `./${up}machine/swap.ts`,
        ...(first === undefined ? [] : [`${up}${first}/../machine/swap.ts`]),
      ],
    },
  };
}

const NOTHING_MORE = { allowed: [], forbidden: {} };

/** Further restrictions of HTTP and the command line. */
const DRIVING = { allowed: ['../../domain/services/planted.ts'], forbidden: { [KEYS_STOP]: NATIVE } };

/** All walls of biome.json. */
export const WALLS: readonly Wall[] = [
  coreWall(
    'domain/model',
    '../../',
    'The model imports nothing outside src/domain/model.',
    [],
    [
      '../payload/planted.ts',
      '../services/planted.ts',
      '../../ports/clock.ts',
      './planted-part/../../../ports/clock.ts',
    ],
  ),
  coreWall(
    'domain/payload',
    '../../',
    'Payload rules import the model only.',
    ['../model/payload.ts'],
    [
      '../services/planted.ts',
      '../presets/okx.ts',
      '../../ports/clock.ts',
      './../services/planted.ts',
      '../model/../services/planted.ts',
    ],
  ),
  {
    ...coreWall(
      'domain/payload',
      '../../../',
      'Payload rules import the model only.',
      ['../../model/payload.ts', '../jcs.ts'],
      ['../../services/planted.ts', '../../../ports/clock.ts'],
    ),
    folder: 'src/domain/payload/rules',
  },
  coreWall(
    'domain/presets',
    '../../',
    'Presets import the model only: they are data.',
    ['../model/platform.ts'],
    ['../payload/planted.ts', '../services/planted.ts', '../../ports/clock.ts', '../model/../services/planted.ts'],
  ),
  {
    ...coreWall(
      'domain/presets',
      '../../../',
      'Presets import the model only: they are data.',
      ['../../model/policy.ts'],
      ['../okx.ts', '../../payload/planted.ts', '../../../ports/clock.ts', '../../model/../services/planted.ts'],
    ),
    folder: 'src/domain/presets/policies',
  },
  coreWall(
    'domain/policy',
    '../../',
    'Policies import the model and payload only.',
    ['../model/policy.ts', '../payload/template.ts', '../payload/rules/prehash.ts'],
    ['../services/planted.ts', '../presets/okx.ts', '../../ports/clock.ts', '../model/../services/planted.ts'],
  ),
  coreWall(
    'ports',
    '../',
    'Ports import the model only.',
    ['../domain/model/account.ts'],
    ['../domain/payload/planted.ts', '../domain/services/planted.ts', '../domain/model/../services/planted.ts'],
  ),
  coreWall(
    'domain/flow',
    '../../',
    'Flow control imports model and ports only.',
    ['../model/account.ts', '../../ports/clock.ts'],
    ['../payload/planted.ts', '../services/planted.ts', '../model/../services/planted.ts'],
  ),
  coreWall(
    'domain/services',
    '../../',
    'Services import model, payload, policy, flow and ports only.',
    ['../flow/planted.ts', '../model/account.ts', '../payload/planted.ts', '../../ports/clock.ts'],
    [
      'inversify',
      '../presets/okx.ts',
      '../model/../../adapters/machine/swap.ts',
      '../payload/../../adapters/machine/swap.ts',
      '../../ports/../adapters/machine/swap.ts',
    ],
  ),
  baseWall(
    'files',
    'Files stand alone',
    ['node:fs', 'node:fs/promises'],
    ['sodium-native', '../vault/locked-buffer.ts', '../../ports/clock.ts'],
  ),
  baseWall(
    'json-text',
    'The reader of JSON text stands alone',
    ['jsonc-parser'],
    ['node:fs', 'jsonc-parser/lib/esm/main.js', '../../domain/model/json.ts'],
  ),
  baseWall(
    'redis',
    'Redis stands alone',
    ['@redis/client', 'node:fs/promises', '../files/file-lock.ts', '../node/settle-within.ts'],
    [
      '@redis/client/dist/lib/client/index.js',
      'sodium-native',
      '../../ports/clock.ts',
      '../files/../usage/usage-snapshot.ts',
    ],
  ),
  baseWall(
    'machine',
    'Checks of the machine stand alone',
    ['node:fs', '../files/file-lock.ts', '../vault/locked-buffer.ts', '../../ports/clock.ts'],
    ['sodium-native', 'zod', 'ethers', '../vault/../usage/usage-snapshot.ts'],
  ),
  baseWall(
    'policy',
    'The policy language stands alone',
    ['@marcbachmann/cel-js', 'big.js', '../../domain/model/policy.ts', '../../ports/policy-language.ts'],
    ['node:fs', 'ethers', '@marcbachmann/cel-js/lib/parser.js', '../../domain/policy/planted.ts'],
  ),
  {
    ...baseWall('node', 'What Node gives to ports and adapters', [], []),
    allowed: [
      './planted-part.ts',
      'node:crypto',
      '../../domain/model/account.ts',
      '../../ports/clock.ts',
      "import { keccak256 } from 'ethers/crypto';",
    ],
    forbidden: {
      [KECCAK_ONLY]: ["import { SigningKey } from 'ethers/crypto';", "import * as ethers from 'ethers/crypto';"],
      'What Node gives to ports and adapters': [
        'ethers',
        'zod',
        'sodium-native',
        '../vault/locked-buffer.ts',
        '../http/app.ts',
      ],
    },
  },
  baseWall(
    'vault',
    'The vault stands alone',
    ['sodium-native', 'secp256k1-native', 'node:fs', '../../ports/key-store.ts'],
    ['ethers', 'zod', '../files/file-lock.ts', '../key-files/hex.ts'],
  ),
  {
    ...baseWall('key-files', 'Key files import the vault', [], ['ethers', 'zod', '../../ports/key-store.ts']),
    allowed: [
      './planted-part.ts',
      'sodium-native',
      'node:fs',
      '../vault/locked-buffer.ts',
      '../files/file-lock.ts',
      "import { keccak256 } from 'ethers/crypto';",
    ],
    forbidden: {
      [KECCAK_ONLY]: [
        "import { SigningKey } from 'ethers/crypto';",
        "import { keccak256, SigningKey } from 'ethers/crypto';",
        "import { SigningKey as keccak256 } from 'ethers/crypto';",
        "import * as ethers from 'ethers/crypto';",
        "export { SigningKey } from 'ethers/crypto';",
        'ethers/crypto',
      ],
      'Key files import the vault': [
        'ethers',
        'zod',
        '../http/app.ts',
        '../../ports/key-store.ts',
        './../usage/usage-snapshot.ts',
      ],
    },
  },
  baseWall(
    'passphrase',
    'The passphrase prompt imports the vault, files and Node',
    ['node:tty', '../files/file-lock.ts', '../vault/locked-buffer.ts'],
    ['sodium-native', '../key-files/hex.ts', '../../ports/clock.ts'],
  ),
  aloneWall(
    'adapters/audit/record',
    'Records of the audit file import the model, files, Node and zod',
    [
      'node:crypto',
      'zod',
      '../../files/file-lock.ts',
      '../../node/sha256.ts',
      '../../../domain/model/json.ts',
      '../../../domain/model/text/jcs.ts',
    ],
    [
      'sodium-native',
      'winston',
      '../audit-key.ts',
      '../../vault/locked-buffer.ts',
      '../../../ports/audit-sink.ts',
      '../../../domain/payload/planted.ts',
      '../../../domain/model/../services/planted.ts',
    ],
  ),
  aloneWall(
    'adapters/auth/messages',
    'The authentication messages import protobuf and the model',
    ['@bufbuild/protobuf', 'node:buffer', '../../../domain/model/authentication.ts'],
    [
      ...OUTSIDE,
      '../token-file.ts',
      '../../vault/locked-buffer.ts',
      '../../../ports/clock.ts',
      '../../../domain/model/../services/planted.ts',
    ],
  ),
  adapterWall('audit', ['files', 'key-files', 'node', 'vault'], NOTHING_MORE),
  adapterWall(
    'audit',
    ['files', 'key-files', 'node', 'vault'],
    { ...NOTHING_MORE, allowed: ['../record/audit-record.ts', 'winston'] },
    '/writer',
  ),
  adapterWall('auth', ['files', 'key-files', 'node', 'redis', 'vault'], {
    ...NOTHING_MORE,
    allowed: ['./messages/signed-content.ts'],
  }),
  adapterWall('credentials', ['files', 'json-text', 'key-files', 'node', 'passphrase', 'vault'], NOTHING_MORE),
  adapterWall(
    'credentials',
    ['files', 'json-text', 'key-files', 'node', 'passphrase', 'vault'],
    NOTHING_MORE,
    '/editor',
  ),
  adapterWall('limits', ['files', 'redis'], NOTHING_MORE),
  adapterWall('observability', [], { ...NOTHING_MORE, allowed: ['prom-client'] }),
  adapterWall('signing', ['vault'], { ...NOTHING_MORE, allowed: ['sodium-native'] }),
  adapterWall('usage', ['files', 'node', 'redis'], { ...NOTHING_MORE, allowed: ['../audit/record/read-record.ts'] }),
  adapterWall('http', ['files', 'json-text', 'node'], {
    ...DRIVING,
    allowed: [...DRIVING.allowed, 'express', '../auth/messages/signed-content.ts'],
  }),
  adapterWall(
    'http',
    ['files', 'json-text', 'node'],
    { forbidden: DRIVING.forbidden, allowed: ['../../../domain/services/planted.ts', '../app.ts'] },
    '/routes',
  ),
  adapterWall('cli', ['files', 'json-text'], {
    ...DRIVING,
    allowed: [...DRIVING.allowed, 'commander', './audit/verify-command.ts'],
  }),
  adapterWall(
    'cli',
    ['files', 'json-text'],
    { forbidden: DRIVING.forbidden, allowed: ['../program.ts', '../terminal/table.ts'] },
    '/account',
  ),
  {
    override: 'src/client/**',
    folder: 'src/client',
    allowed: [
      './types.ts',
      'node:http',
      'node:timers/promises',
      "export const late = import('ethers/crypto');",
      "export const later = import('ethers/transaction');",
    ],
    forbidden: {
      'The client runs in other programs: it imports Node, when it verifies signatures of Ethereum ethers, and nothing of the service.':
        [
          ...['ethers', 'ethers/wallet', 'zod', 'bs58', 'sodium-native'],
          '../domain/model/json.ts',
          '../ports/clock.ts',
          '../adapters/auth/messages/signed-content.ts',
          '../app/compose.ts',
          "import type { ErrorCode } from '../adapters/http/http-refusal.ts';",
          './../domain/model/json.ts',
        ],
    },
  },
  {
    override: 'src/app/**',
    folder: 'src/app',
    allowed: [
      'inversify',
      'sodium-native',
      './planted-part.ts',
      '../domain/services/planted.ts',
      '../adapters/machine/swap.ts',
      '../adapters/vault/locked-buffer.ts',
      ETHERS_FUNCTIONS,
    ],
    forbidden: {
      'The app is called by the programs and never calls them.': ['../main.ts', '../cli.ts'],
      [NO_KEY_HOLDER]: KEY_HOLDERS,
    },
  },
  {
    override: 'src/*.ts',
    folder: 'src',
    allowed: ['./app/serve.ts', 'node:fs', ETHERS_FUNCTIONS],
    forbidden: { [NO_KEY_HOLDER]: KEY_HOLDERS },
  },
];

/** One folder's wall: what is planted there, and what Biome has to say of it. */
export interface Wall {
  /** The `includes` of the override in biome.json that builds it. */
  readonly override: string;
  /** Folder in which the imports are planted. */
  readonly folder: string;
  /** What may be imported: a path, planted as `import 'path'`, or a whole statement. */
  readonly allowed: readonly string[];
  /** Forbidden imports, by the beginning of the message that each must earn. */
  readonly forbidden: { readonly [messageStart: string]: readonly string[] };
}

const CORE_HINT =
  'Domain and ports import nothing from Node or from a library: ask for a port instead (docs/ARCHITECTURE.md, The walls).';
const COMPOSED = 'Adapters are composed, they do not compose';
const SIDEWAYS = 'No sideways import between adapters: talk through a port.';
const KEYS_STOP = 'Keys stop before the driving adapters: ask a service, which asks the KeyStore port.';
const NO_KEY_HOLDER = 'ethers never sees a private key: import its functions by name, and nothing that holds a key.';
const NO_AUDIT_LINES = 'Lines of the audit file stay behind the ports: ask an AuditSink.';
const NO_MACHINE = "Adapters don't look at the machine: take what composition found out as an argument.";
const OUTSIDE = ['node:fs', 'node:fs/promises', 'fs', 'ethers', 'zod', '@noble/hashes/sha256', 'sodium-native'];
const NATIVE = ['sodium-native', 'sodium-native/binding.js', 'secp256k1-native', 'secp256k1-native/binding.js'];

/** What could take a private key into ethers, and every way round its name. */
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

/** Every wall of biome.json. */
export const WALLS: readonly Wall[] = [
  {
    override: 'src/domain/model/**',
    folder: 'src/domain/model',
    allowed: ['./account.ts', './planted-part/piece.ts'],
    forbidden: {
      [`The model imports nothing outside src/domain/model. ${CORE_HINT}`]: [
        ...OUTSIDE,
        '../payload/planted.ts',
        '../services/planted.ts',
        '../../ports/clock.ts',
        '../../secure-memory/locked-buffer.ts',
        '../../adapters/driven/clock/system-clock.ts',
        '../../composition/compose.ts',
        '../../machine/swap.ts',
        './../../ports/clock.ts',
        './planted-part/../../../ports/clock.ts',
      ],
    },
  },
  {
    override: 'src/domain/payload/**',
    folder: 'src/domain/payload',
    allowed: ['./planted-rule.ts', '../model/payload.ts'],
    forbidden: {
      [`Payload rules import the model only. ${CORE_HINT}`]: [
        ...OUTSIDE,
        '../services/planted.ts',
        '../../ports/clock.ts',
        '../../secure-memory/locked-buffer.ts',
        '../../adapters/driven/clock/system-clock.ts',
        '../../composition/compose.ts',
        './../services/planted.ts',
        '../model/../services/planted.ts',
      ],
    },
  },
  {
    override: 'src/domain/presets/**',
    folder: 'src/domain/presets',
    allowed: ['./planted-preset.ts', '../model/platform.ts'],
    forbidden: {
      [`Presets import the model only: they are data. ${CORE_HINT}`]: [
        ...OUTSIDE,
        '../payload/planted.ts',
        '../services/planted.ts',
        '../../ports/clock.ts',
        '../../composition/compose.ts',
        './../services/planted.ts',
        '../model/../services/planted.ts',
      ],
    },
  },
  {
    override: 'src/ports/**',
    folder: 'src/ports',
    allowed: ['./clock.ts', '../domain/model/account.ts'],
    forbidden: {
      [`Ports import the model only. ${CORE_HINT}`]: [
        ...OUTSIDE,
        '../domain/payload/planted.ts',
        '../domain/services/planted.ts',
        '../secure-memory/locked-buffer.ts',
        '../adapters/driven/clock/system-clock.ts',
        '../composition/compose.ts',
        './../adapters/driven/clock/system-clock.ts',
        '../domain/model/../services/planted.ts',
      ],
    },
  },
  {
    override: 'src/domain/services/**',
    folder: 'src/domain/services',
    allowed: ['./planted-service.ts', '../model/account.ts', '../payload/planted.ts', '../../ports/clock.ts'],
    forbidden: {
      [`Services import model, payload and ports only. ${CORE_HINT}`]: [
        ...OUTSIDE,
        'inversify',
        '../../secure-memory/locked-buffer.ts',
        '../../adapters/driven/clock/system-clock.ts',
        '../../adapters/driving/http/app.ts',
        '../../composition/compose.ts',
        '../../main.ts',
        './../../adapters/driven/clock/system-clock.ts',
        '../model/../../adapters/driven/clock/system-clock.ts',
        '../payload/../../adapters/driven/clock/system-clock.ts',
        '../../ports/../adapters/driven/clock/system-clock.ts',
      ],
    },
  },
  {
    override: 'src/secure-memory/**',
    folder: 'src/secure-memory',
    allowed: [
      './locked-buffer.ts',
      'sodium-native',
      'node:fs',
      'node:fs/promises',
      '../files/file-permissions.ts',
      "import { keccak256 } from 'ethers/crypto';",
    ],
    forbidden: {
      'ethers never sees a private key: secure memory takes keccak256 from it and nothing else.': [
        "import { SigningKey } from 'ethers/crypto';",
        "import { keccak256, SigningKey } from 'ethers/crypto';",
        "import { SigningKey as keccak256 } from 'ethers/crypto';",
        "import * as ethers from 'ethers/crypto';",
        "export { SigningKey } from 'ethers/crypto';",
        'ethers/crypto',
      ],
      'Secure memory stands alone: it imports sodium, libsecp256k1, Node, the hash function of ethers/crypto and src/files, nothing else of the service.':
        [
          'ethers',
          'zod',
          '../domain/model/secret-bytes.ts',
          '../ports/key-store.ts',
          '../adapters/driven/clock/system-clock.ts',
          '../composition/compose.ts',
          './../ports/key-store.ts',
          '../files/../ports/key-store.ts',
        ],
    },
  },
  {
    override: 'src/audit-trail/**',
    folder: 'src/audit-trail',
    allowed: [
      './audit-record.ts',
      'node:crypto',
      'node:fs/promises',
      'zod',
      '../domain/model/json.ts',
      '../domain/payload/jcs.ts',
    ],
    forbidden: {
      'What makes and reads lines of the audit file imports the model, payload rules, Node and zod, nothing else of the service.':
        [
          'sodium-native',
          'winston',
          '../domain/services/planted.ts',
          '../ports/audit-sink.ts',
          '../secure-memory/locked-buffer.ts',
          '../files/make-folders.ts',
          '../adapters/driven/clock/system-clock.ts',
          '../composition/compose.ts',
          './../ports/audit-sink.ts',
          '../domain/model/../services/planted.ts',
          '../domain/model/../../ports/audit-sink.ts',
        ],
    },
  },
  {
    override: 'src/files/**',
    folder: 'src/files',
    allowed: ['./make-folders.ts', 'node:fs', 'node:path'],
    forbidden: {
      'What adapters share of handling files stands alone: it imports Node, nothing of the service.': [
        'node:child_process',
        'sodium-native',
        '../domain/model/json.ts',
        '../ports/clock.ts',
        '../secure-memory/locked-buffer.ts',
        '../adapters/driven/clock/system-clock.ts',
        '../composition/compose.ts',
        './../ports/clock.ts',
      ],
    },
  },
  {
    override: 'src/access-messages/**',
    folder: 'src/access-messages',
    allowed: ['./base64-text.ts', '@bufbuild/protobuf', 'node:buffer', '../domain/model/principal.ts'],
    forbidden: {
      'The messages of authentication import the library for their encoding and the model, nothing else of the service.':
        [
          ...OUTSIDE,
          '../domain/services/planted.ts',
          '../ports/clock.ts',
          '../secure-memory/locked-buffer.ts',
          '../adapters/driven/clock/system-clock.ts',
          '../composition/compose.ts',
          './../ports/clock.ts',
          '../domain/model/../services/planted.ts',
        ],
    },
  },
  {
    override: 'src/json-text/**',
    folder: 'src/json-text',
    allowed: ['./duplicate-members.ts', 'jsonc-parser'],
    forbidden: {
      'What adapters share of reading JSON stands alone: it imports jsonc-parser, nothing of the service.': [
        ...OUTSIDE,
        'jsonc-parser/lib/esm/main.js',
        '../domain/model/json.ts',
        '../ports/clock.ts',
        '../secure-memory/locked-buffer.ts',
        '../adapters/driven/clock/system-clock.ts',
        '../composition/compose.ts',
        './../ports/clock.ts',
      ],
    },
  },
  {
    override: 'src/client/**',
    folder: 'src/client',
    allowed: [
      './json.ts',
      'node:http',
      'node:timers/promises',
      "export const late = import('ethers/crypto');",
      "export const later = import('ethers/transaction');",
    ],
    forbidden: {
      'The client runs in other programs: it imports Node, when it verifies signatures of Ethereum ethers, and nothing of the service.':
        [
          'ethers',
          'ethers/wallet',
          'zod',
          'bs58',
          'sodium-native',
          '../domain/model/json.ts',
          '../ports/clock.ts',
          '../access-messages/base64-text.ts',
          '../adapters/driving/http/http-refusal.ts',
          '../composition/compose.ts',
          "import type { ErrorCode } from '../adapters/driving/http/http-refusal.ts';",
          './../domain/model/json.ts',
        ],
    },
  },
  {
    override: 'src/redis/**',
    folder: 'src/redis',
    allowed: ['./redis-fault.ts', '@redis/client', 'node:fs/promises', '../files/system-error-code.ts'],
    forbidden: {
      'What adapters share of speaking to Redis imports its client, Node and src/files, nothing else of the service.': [
        'node:fs',
        'node:child_process',
        'sodium-native',
        '@redis/client/dist/lib/client/index.js',
        '../domain/model/json.ts',
        '../ports/clock.ts',
        '../secure-memory/locked-buffer.ts',
        '../adapters/driven/clock/system-clock.ts',
        '../composition/compose.ts',
        './../ports/clock.ts',
        '../files/../ports/clock.ts',
      ],
    },
  },
  {
    override: 'src/machine/**',
    folder: 'src/machine',
    allowed: [
      './planted-check.ts',
      'node:fs',
      'node:fs/promises',
      '../files/file-permissions.ts',
      '../secure-memory/locked-buffer.ts',
    ],
    forbidden: {
      'What can be told of the machine and the process stands alone: it imports Node, secure memory and src/files, nothing else of the service.':
        [
          'sodium-native',
          'zod',
          'ethers',
          '../domain/model/json.ts',
          '../ports/service-log.ts',
          '../adapters/driven/clock/system-clock.ts',
          '../composition/settings.ts',
          './../composition/settings.ts',
          '../secure-memory/../composition/settings.ts',
          '../files/../composition/settings.ts',
        ],
    },
  },
  {
    override: 'src/adapters/driven/*/**',
    folder: 'src/adapters/driven/planted',
    allowed: [
      './own-part.ts',
      './part/own-piece.ts',
      'node:fs',
      'winston',
      '../../../domain/model/account.ts',
      '../../../domain/payload/planted.ts',
      '../../../domain/services/planted.ts',
      '../../../ports/clock.ts',
      '../../../access-messages/base64-text.ts',
      '../../../audit-trail/audit-record.ts',
      '../../../files/make-folders.ts',
      '../../../json-text/duplicate-members.ts',
      '../../../redis/redis-connection.ts',
      '../../../secure-memory/locked-buffer.ts',
      'sodium-native',
      ETHERS_FUNCTIONS,
    ],
    forbidden: {
      [NO_KEY_HOLDER]: KEY_HOLDERS,
      [COMPOSED]: ['../../../composition/compose.ts', '../../../main.ts', '../../../cli.ts'],
      [SIDEWAYS]: [
        '../clock/system-clock.ts',
        './../clock/system-clock.ts',
        '../../driven/clock/system-clock.ts',
        '../../../adapters/driven/clock/system-clock.ts',
        '../../../ports/../adapters/driven/clock/system-clock.ts',
        '../../../ports/../adapters/driving/http/app.ts',
        '../../../access-messages/../adapters/driven/clock/system-clock.ts',
        '../../../audit-trail/../adapters/driven/clock/system-clock.ts',
        '../../../files/../adapters/driven/clock/system-clock.ts',
        '../../../json-text/../adapters/driven/clock/system-clock.ts',
        '../../../redis/../adapters/driven/clock/system-clock.ts',
        '../../../machine/swap.ts',
        '../../driving/http/app.ts',
        '../../driving/cli/init-command.ts',
        '../../../../tests/doubles/mock-key-store.ts',
      ],
    },
  },
  {
    override: 'src/adapters/driven/*/**',
    folder: 'src/adapters/driven/planted/part',
    allowed: [
      './own-piece.ts',
      '../own-part.ts',
      '../../../../domain/model/account.ts',
      '../../../../ports/clock.ts',
      '../../../../access-messages/base64-text.ts',
      '../../../../audit-trail/audit-record.ts',
      '../../../../files/make-folders.ts',
      '../../../../json-text/duplicate-members.ts',
      '../../../../redis/redis-connection.ts',
      '../../../../secure-memory/locked-buffer.ts',
    ],
    forbidden: {
      [COMPOSED]: ['../../../../composition/compose.ts', '../../../../main.ts'],
      [SIDEWAYS]: ['../../clock/system-clock.ts', '../../../driving/http/app.ts'],
    },
  },
  {
    override: 'src/adapters/driving/http/**',
    folder: 'src/adapters/driving/http/planted',
    allowed: [
      'express',
      'node:http',
      './own-part.ts',
      '../planted-app.ts',
      '../schemas/planted.ts',
      '../../../../domain/services/planted.ts',
      '../../../../ports/clock.ts',
      '../../../../access-messages/base64-text.ts',
      '../../../../json-text/duplicate-members.ts',
      ETHERS_FUNCTIONS,
    ],
    forbidden: {
      [KEYS_STOP]: ['../../../../secure-memory/locked-buffer.ts', ...NATIVE],
      [NO_KEY_HOLDER]: KEY_HOLDERS,
      [COMPOSED]: ['../../../../composition/compose.ts', '../../../../main.ts', '../../../../cli.ts'],
      [SIDEWAYS]: ['../../../driven/clock/system-clock.ts', '../../cli/init-command.ts'],
      [NO_AUDIT_LINES]: ['../../../../audit-trail/read-record.ts'],
      [NO_MACHINE]: ['../../../../machine/swap.ts'],
    },
  },
  {
    override: 'src/adapters/driving/cli/**',
    folder: 'src/adapters/driving/cli',
    allowed: [
      'commander',
      'node:fs',
      './planted-command.ts',
      '../../../domain/services/planted.ts',
      '../../../ports/clock.ts',
      ETHERS_FUNCTIONS,
    ],
    forbidden: {
      [KEYS_STOP]: ['../../../secure-memory/locked-buffer.ts', ...NATIVE],
      [NO_KEY_HOLDER]: KEY_HOLDERS,
      [COMPOSED]: ['../../../composition/compose.ts', '../../../main.ts', '../../../cli.ts'],
      [SIDEWAYS]: ['../../driven/clock/system-clock.ts', '../http/app.ts'],
      [NO_AUDIT_LINES]: ['../../../audit-trail/read-record.ts'],
      [NO_MACHINE]: ['../../../machine/swap.ts'],
    },
  },
  {
    override: 'src/composition/**',
    folder: 'src/composition',
    allowed: [
      'inversify',
      './planted-part.ts',
      '../domain/services/planted.ts',
      '../adapters/driven/clock/system-clock.ts',
      '../secure-memory/locked-buffer.ts',
      '../machine/swap.ts',
      'sodium-native',
      ETHERS_FUNCTIONS,
    ],
    forbidden: {
      'Composition is called by the programs and never calls them.': ['../main.ts', '../cli.ts'],
      [NO_KEY_HOLDER]: KEY_HOLDERS,
    },
  },
  {
    override: 'src/*.ts',
    folder: 'src',
    allowed: ['./composition/serve.ts', 'node:fs', ETHERS_FUNCTIONS],
    forbidden: { [NO_KEY_HOLDER]: KEY_HOLDERS },
  },
];

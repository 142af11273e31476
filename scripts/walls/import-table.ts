/** What the files of a folder may import besides each other. */
export interface FolderRow {
  /** Folders of src, each with those below it. */
  readonly may: readonly string[];
  readonly why: string;
}

/** Who may import a library. */
export interface LibraryRow {
  /**
   * As imported, or `node:*`: every module of Node except `node:module`, which can load anything.
   */
  readonly library: string;
  /** Folders with a row in {@link FOLDERS}. */
  readonly in: readonly string[];
  /** The only names that may be imported; all if absent. */
  readonly only?: readonly string[];
  readonly why: string;
}

const CORE = ['domain/model', 'domain/flow', 'ports'];

/** Folders and programs of src. A file belongs to the longest path that contains it. */
export const FOLDERS: { readonly [path: string]: FolderRow } = {
  'domain/model': { may: [], why: 'Values and entities: everything speaks in them, they need nothing.' },
  'domain/payload': { may: ['domain/model'], why: 'The request and its platform alone decide which bytes are signed.' },
  'domain/policy': { may: ['domain/model', 'domain/payload'], why: 'Policies judge the decoded payload.' },
  'domain/configuration': {
    may: ['domain/model', 'domain/payload', 'domain/policy'],
    why: 'What a valid configuration is, whatever file it comes from.',
  },
  ports: { may: ['domain/model'], why: 'What the core asks for, in its own words.' },
  'domain/flow': { may: ['domain/model', 'ports'], why: 'Batches, slices and outages serve every use case.' },
  'domain/services': {
    may: [...CORE, 'domain/payload', 'domain/policy'],
    why: 'Use cases ask a port for everything outside.',
  },

  native: { may: [], why: 'Types of native libraries.' },
  program: { may: ['domain/model'], why: 'Where the files of the program are, for all that read one.' },
  'adapters/files': { may: ['domain/model'], why: 'Files, usable by every adapter.' },
  'adapters/node': { may: ['domain/model', 'ports'], why: 'Clock, hashes, public keys: usable by every adapter.' },
  'adapters/redis': { may: ['adapters/files', 'adapters/node'], why: 'A connection, whatever is stored there.' },
  'adapters/policy': { may: ['domain/model', 'ports'], why: 'The policy language decides, and sees no key.' },
  'adapters/vault': { may: ['domain/model', 'ports'], why: 'Keys in locked memory, reviewable without the rest.' },
  'adapters/key-helper': {
    may: ['domain/model', 'ports', 'adapters/files', 'adapters/vault', 'key-helpers', 'program'],
    why: 'Starts key helpers, and takes their keys into locked memory.',
  },
  'adapters/secret-files': { may: ['adapters/files', 'adapters/vault'], why: 'Decodes keys into locked memory only.' },
  'adapters/passphrase': {
    may: ['adapters/files', 'adapters/vault', 'domain/model'],
    why: 'Reads a passphrase into locked memory only.',
  },
  'adapters/machine': {
    may: ['domain/model', 'adapters/files', 'adapters/vault'],
    why: 'Checks of the machine, for start and doctor.',
  },
  'adapters/signing': {
    may: ['domain/model', 'domain/payload', 'ports', 'adapters/node', 'adapters/vault'],
    why: 'Signers get keys from the vault and nowhere else.',
  },
  'adapters/audit/record': {
    may: ['domain/model', 'adapters/files', 'adapters/node'],
    why: 'The form of a record, which an auditor verifies without the service.',
  },
  'adapters/audit/segments': {
    may: ['adapters/audit/record', 'adapters/files'],
    why: 'Names and lines of segments, for every reader of the audit file.',
  },
  'adapters/audit': {
    may: [...CORE, 'domain/services', 'adapters/files', 'adapters/secret-files', 'adapters/node', 'adapters/vault'],
    why: 'Signs the chain with a key in locked memory.',
  },
  'adapters/auth/messages': {
    may: ['domain/model', 'domain/payload'],
    why: 'The messages of the protocol, which hold no key, by the one codec.',
  },
  'adapters/auth': {
    may: [...CORE, 'adapters/files', 'adapters/secret-files', 'adapters/node', 'adapters/redis', 'adapters/vault'],
    why: 'Signs responses with a key in locked memory; nonces may be shared.',
  },
  'adapters/credentials': {
    may: [
      ...['domain/model', 'domain/payload', 'domain/configuration', 'ports'],
      ...['adapters/files', 'adapters/node'],
      ...['adapters/secret-files', 'adapters/key-helper', 'adapters/passphrase', 'adapters/vault'],
      ...['key-helpers', 'program'],
    ],
    why: 'Reads, checks and writes sealed keys.',
  },
  'adapters/trial-tls': { may: [], why: 'Certificates for trials, by a library that sees no other key.' },
  'adapters/limits': { may: [...CORE, 'adapters/files', 'adapters/redis'], why: 'Counters in memory, a file, Redis.' },
  'adapters/usage': {
    may: [
      ...[...CORE, 'adapters/audit/record', 'adapters/audit/segments'],
      ...['adapters/files', 'adapters/node', 'adapters/redis'],
    ],
    why: 'Counts again from audit records after a crash.',
  },
  'adapters/observability': { may: CORE, why: 'Logs, metrics and traces see what ports give them.' },
  'adapters/status-view': {
    may: ['domain/model', 'domain/services'],
    why: 'What console and command show of a status, whatever draws it.',
  },
  'adapters/http': {
    may: [...CORE, 'domain/services', 'adapters/auth/messages', 'adapters/files', 'adapters/node', 'program'],
    why: 'Keys stop before HTTP: no folder or library that handles one.',
  },
  'adapters/venues': {
    may: ['domain/model', 'domain/configuration', 'adapters/files', 'program'],
    why: 'Venues are data, for commands: the service reads none of it.',
  },
  'adapters/cli': {
    may: [...CORE, 'domain/payload', 'domain/services', 'adapters/files', 'adapters/venues', 'adapters/status-view'],
    why: 'Keys stop before the commands: no folder or library that handles one.',
  },

  'key-helpers': {
    may: ['domain/model', 'adapters/files'],
    why: 'Programs of their own, which touch foreign key formats and key services.',
  },
  console: { may: ['domain/model', 'adapters/status-view'], why: 'Runs in browsers.' },
  client: { may: [], why: 'Runs in other programs.' },
  app: {
    may: ['domain', 'ports', 'adapters', 'client', 'program'],
    why: 'Composes everything, and is called by the programs.',
  },
  'main.ts': { may: ['app'], why: 'The service.' },
  'cli.ts': { may: ['app'], why: 'The commands.' },
  'healthcheck.ts': { may: [], why: 'Runs in the container every few seconds.' },
};

/** Libraries, also Node's own: what the core may use would be named here. */
export const LIBRARIES: readonly LibraryRow[] = [
  {
    library: 'node:*',
    in: [
      ...['adapters/audit', 'adapters/audit/record', 'adapters/audit/segments', 'adapters/auth', 'adapters/cli'],
      ...['adapters/credentials', 'adapters/files', 'adapters/http', 'adapters/secret-files', 'adapters/limits'],
      ...[
        'adapters/key-helper',
        'adapters/machine',
        'adapters/node',
        'adapters/observability',
        'adapters/passphrase',
        'adapters/redis',
      ],
      ...[
        'adapters/signing',
        'adapters/trial-tls',
        'adapters/usage',
        'adapters/vault',
        'adapters/venues',
        'app',
        'client',
        'healthcheck.ts',
      ],
      ...['key-helpers', 'program'],
    ],
    why: 'Adapters are where the machine begins.',
  },
  { library: 'node:buffer', in: ['adapters/auth/messages'], why: 'Texts to bytes.' },
  { library: 'node:module', in: ['adapters/machine', 'app'], why: 'Finds native libraries, replaces a module.' },
  { library: 'a computed path', in: ['key-helpers'], why: 'Libraries of key services, installed beside the helpers.' },
  { library: 'a computed path', in: ['app'], why: "SIGNING_KEY_STORE_MODULE: a reviewer's own KeyStore." },

  {
    library: 'sodium-native',
    in: ['adapters/auth', 'adapters/credentials', 'adapters/secret-files', 'adapters/signing', 'adapters/vault'],
    why: 'Locked memory, seals, Ed25519.',
  },
  { library: 'secp256k1-native', in: ['adapters/signing'], why: 'Signs in constant time.' },
  { library: '@scure/starknet', in: ['adapters/signing'], why: 'Stark curve and hashes.' },
  { library: 'hash-wasm', in: ['adapters/node'], why: 'A fast Keccak for typed data.' },
  {
    library: 'ethers/address',
    in: ['adapters/signing'],
    only: ['getAddress'],
    why: 'Addresses; it never sees a private key.',
  },
  { library: 'ethers/crypto', in: ['client'], why: 'Verifies signatures, in programs without a key.' },
  { library: 'ethers/transaction', in: ['client'], why: 'Verifies signatures, in programs without a key.' },

  { library: '@scure/base', in: ['key-helpers'], why: 'Base58.' },
  { library: '@scure/bip32', in: ['key-helpers'], why: 'Keys of wallets.' },
  { library: '@scure/bip39', in: ['key-helpers'], why: 'Phrases of wallets.' },
  { library: '@scure/bip39/wordlists/english.js', in: ['key-helpers'], why: 'Phrases of wallets.' },
  { library: '@noble/hashes/scrypt.js', in: ['key-helpers'], why: 'Costs of scrypt that OpenSSL rejects.' },
  {
    library: '@noble/hashes/sha3.js',
    in: ['domain/payload', 'adapters/node', 'key-helpers'],
    why: 'Keccak of Ethereum keystores, of checksums, and without WebAssembly.',
  },
  { library: '@noble/hashes/utils.js', in: ['domain/payload', 'adapters/node'], only: ['concatBytes'], why: 'Bytes.' },

  {
    library: 'zod',
    in: [
      ...['domain/model', 'domain/payload', 'domain/configuration', 'adapters/key-helper', 'key-helpers'],
      ...['adapters/auth', 'adapters/cli', 'adapters/http'],
      ...['adapters/limits', 'adapters/usage', 'adapters/venues', 'app'],
    ],
    why: 'Validates whatever comes from outside.',
  },
  { library: 'jsonc-parser', in: ['adapters/cli', 'adapters/credentials'], why: 'Positions of issues in a file.' },
  { library: '@marcbachmann/cel-js', in: ['adapters/policy'], why: 'The policy language.' },
  { library: 'big.js', in: ['adapters/policy'], why: 'Exact decimals in policies.' },
  { library: 'fs-native-extensions', in: ['adapters/audit', 'adapters/files'], why: 'File locks.' },
  { library: '@redis/client', in: ['adapters/redis'], why: 'One connection, configured in one place.' },

  { library: '@peculiar/x509', in: ['adapters/trial-tls'], why: 'Writes certificates, which Node cannot.' },
  { library: 'express', in: ['adapters/http', 'app'], why: 'HTTP.' },
  { library: 'express-async-errors', in: ['adapters/http'], why: 'HTTP.' },
  { library: 'helmet', in: ['adapters/http'], why: 'Response headers.' },
  { library: 'ipaddr.js', in: ['adapters/http'], why: 'Networks of callers.' },
  { library: 'winston', in: ['adapters/audit', 'adapters/observability'], why: 'Logs.' },
  { library: 'winston-transport', in: ['adapters/audit'], why: 'The audit log as a transport.' },
  { library: 'prom-client', in: ['adapters/observability'], why: 'Metrics.' },
  { library: '@opentelemetry/api', in: ['adapters/observability'], why: 'Traces.' },
  { library: '@opentelemetry/exporter-trace-otlp-http', in: ['adapters/observability'], why: 'Traces.' },
  { library: '@opentelemetry/resources', in: ['adapters/observability'], why: 'Traces.' },
  { library: '@opentelemetry/sdk-trace-base', in: ['adapters/observability'], why: 'Traces.' },
  { library: 'commander', in: ['adapters/cli', 'app'], why: 'Commands.' },
  { library: 'csv-parse/sync', in: ['adapters/cli'], why: 'Imported accounts.' },
  { library: 'fastest-levenshtein', in: ['adapters/cli', 'app'], why: 'Did you mean …?' },
  { library: 'string-width', in: ['adapters/cli'], why: 'Columns of tables.' },
  { library: 'inversify', in: ['app'], why: 'The container: classes know nothing of it.' },
  { library: 'reflect-metadata', in: ['app'], why: 'For Inversify.' },
];

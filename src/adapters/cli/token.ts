import { InvalidArgumentError } from 'commander';
import type { TokenSubject } from '../../domain/model/authentication.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { type CommandGroup, defineCommand } from './define-command.ts';
import { argument, flag, needed, negation, parsed, text } from './inputs.ts';
import { readInput } from './read-input.ts';
import { formatWarnings } from './warnings.ts';

/** `token authority`: creates an authority, whose tokens the service accepts. */
const authority = defineCommand({
  description: 'create an authority, whose key signs access tokens',
  inputs: {
    authorityKeyFile: needed(
      text('--authority-key-file <file>', 'file to create for its key, mode 0600; the service does not need it'),
    ),
    believe: negation('--no-believe', 'do not add its public key to SIGNING_AUTH_AUTHORITIES_FILE'),
  },
  manual: {
    settings: ['SIGNING_AUTH_AUTHORITIES_FILE'],
    examples: ['token authority --authority-key-file /media/offline/authority.key'],
  },
  run: async ({ authorityKeyFile, believe }, session) =>
    (await session.use('tokens')).createAuthority(authorityKeyFile, believe),
  text: ({ publicKey, keyFile, authoritiesFile }, page) =>
    page.facts([
      ['public key', publicKey],
      ['key', keyFile],
      ['listed in', authoritiesFile ?? NOWHERE],
    ]) +
    page.prose(
      '\nKeep the key off the machines of the service: it can issue tokens for any name.\n' +
        `Next: signing-service token issue --service --expires-in 365d --authority-key-file ${keyFile}, then a token for each client (see signing-service token issue --help).\n`,
    ),
});

const NOWHERE = 'nowhere; add it to SIGNING_AUTH_AUTHORITIES_FILE of each service that should trust it';

/** Default name of the service's token. */
const SERVICE_NAME = 'signing-service';

/** `token issue`: signs an access token for a client, or for the service itself. */
const issue = defineCommand({
  description: 'issue an access token to a client or to this service',
  inputs: {
    authorityKeyFile: needed(text('--authority-key-file <file>', 'file with the key of the authority')),
    username: text('--username <name>', `principal of the requests (default with --service: ${SERVICE_NAME})`),
    expiresIn: parsed(text('--expires-in <time>', 'lifetime, such as 90d, 12h or 30m'), parseDuration),
    expires: text('--expires <time>', 'expiry time, such as 2027-01-31T00:00:00Z'),
    publicKey: text('--public-key <text>', 'Ed25519 public key of the client, base58 or 64 hex digits'),
    publicKeyFile: text('--public-key-file <file>', 'file with that public key, also as PEM'),
    newKeyFile: text('--new-key-file <file>', 'generate a key for the client and write it to this new file, mode 0600'),
    service: flag(
      '--service',
      'issue the token of this service: create its key if missing and replace its token; the service must trust the authority',
    ),
    out: text('--out <file>', 'write the token to this new file'),
  },
  manual: {
    notes: [
      'Generate the key of a client on the machine that uses it, and pass only its public half. --public-key-file accepts base58, 64 hex digits, or the PEM of `openssl pkey -pubout`. A file that only its owner can read is rejected unless it is marked as a public key, because 64 hex digits may be a private key. --new-key-file writes an Ed25519 seed as 64 hex digits.',
      'A token is not a secret: it cannot be used without its key. It cannot be revoked, so keep its lifetime short.',
    ],
    settings: ['SIGNING_AUTH_AUTHORITIES_FILE', 'SIGNING_AUTH_KEY_FILE', 'SIGNING_AUTH_TOKEN_FILE'],
    examples: [
      'token issue --service --expires-in 365d --authority-key-file authority.key',
      'token issue --username desk-1 --expires-in 90d --authority-key-file authority.key --public-key-file desk-1.pub',
      'token issue --username desk-2 --expires-in 90d --authority-key-file authority.key --new-key-file desk-2.key --out desk-2.token',
    ],
  },
  run: async (values, session) => {
    const { authorityKeyFile, expiresIn, expires, publicKey, publicKeyFile, newKeyFile, service, out } = values;
    const subjects = [
      publicKey !== undefined && ({ kind: 'public-key', text: publicKey } as const),
      publicKeyFile !== undefined && ({ kind: 'public-key-file', file: publicKeyFile } as const),
      newKeyFile !== undefined && ({ kind: 'new-key-file', file: newKeyFile } as const),
      service && ({ kind: 'service' } as const),
    ].filter((subject): subject is TokenSubject => typeof subject === 'object');
    const [subject] = subjects;
    if (subject === undefined || subjects.length > 1) {
      throw new OperatorError(
        'exactly one of --public-key, --public-key-file, --new-key-file and --service is required',
      );
    }
    if ((expiresIn === undefined) === (expires === undefined)) {
      throw new OperatorError('exactly one of --expires-in and --expires is required');
    }
    if (service && out !== undefined) {
      throw new OperatorError(
        '--out cannot be combined with --service, which writes the token to SIGNING_AUTH_TOKEN_FILE',
      );
    }
    const username = values.username ?? (service && SERVICE_NAME);
    if (username === undefined) throw new OperatorError('--username is required');
    const validity = expiresIn === undefined ? { until: expires ?? '' } : { forMs: expiresIn };
    const tokens = await session.use('tokens');
    return tokens.issue({ username, validity, authorityKeyFile, subject, outFile: out ?? null });
  },
  text: ({ token, username, publicKey, expirationTime, keyFile, isNewKey, tokenFile, isBelieved }, page) => {
    // Alone, for pipes.
    if (tokenFile === null) return `${token}\n`;
    const facts = page.facts([
      ['username', username],
      ['public key', publicKey],
      ['expires', expirationTime],
      ...(keyFile === null ? [] : [['key', `${keyFile}${isNewKey ? ' (new)' : ''}`] as const]),
      ['token', tokenFile],
    ]);
    return isBelieved ? facts : `${facts}\n${formatWarnings([NOT_BELIEVED], page)}`;
  },
});

const NOT_BELIEVED = 'this service does not trust the authority (SIGNING_AUTH_AUTHORITIES_FILE)';

const UNIT_MS: { readonly [unit: string]: number } = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Ten years. */
const MAX_MS = 3660 * 86_400_000;

function parseDuration(given: string): number {
  const [, count = '', unit = ''] = /^([1-9]\d{0,6})([mhd])$/.exec(given) ?? [];
  const time = Number(count) * (UNIT_MS[unit] ?? 0);
  if (time > 0 && time <= MAX_MS) return time;
  throw new InvalidArgumentError(
    'It must be a number of minutes, hours or days up to ten years, such as 30m, 12h or 90d.',
  );
}

/** Well above the size of a message, bytes. */
const MAX_BYTES = 16_384;

/** `token inspect`: shows a token, and whether this service accepts it. */
const inspect = defineCommand({
  description: 'show the content of an access token or a Signing-Request-Auth header',
  inputs: { file: argument('<file>', 'file with base64; - for standard input') },
  manual: {
    notes: ['The file contains an access token, or the value of a Signing-Request-Auth header.'],
    settings: ['SIGNING_AUTH_AUTHORITIES_FILE'],
    exitCodes: {
      0: 'signed by a trusted authority (SIGNING_AUTH_AUTHORITIES_FILE) and not expired',
      2: 'not signed by a trusted authority, expired, or unreadable',
    },
    examples: ['token inspect desk-1.token', 'token inspect - --json < header.txt'],
  },
  run: async ({ file }, session) => {
    const given = readInput(file, MAX_BYTES, file === '-').toString('latin1');
    const inspection = (await session.use('tokens')).inspect(given);
    if (inspection.issuer === null || inspection.hasExpired) session.endAs('refused');
    return inspection;
  },
  text: ({ message, username, publicKey, expirationTime, hasExpired, issuer, request }, page) =>
    page.facts([
      ['message', message],
      ['username', username],
      ['public key', publicKey],
      ['expires', `${expirationTime}${hasExpired ? ' (expired)' : ''}`],
      ['authority', issuer ?? 'not trusted (SIGNING_AUTH_AUTHORITIES_FILE)'],
      ...(request === null
        ? []
        : ([
            ['service', request.servicePublicKey],
            ['time', request.time ?? 'none'],
            ['nonce', request.nonce],
          ] as const)),
    ]),
});

/** Access tokens. */
export const TOKEN_GROUP: CommandGroup = {
  description: 'issue and inspect access tokens',
  examples: ['token authority --authority-key-file authority.key', 'token issue --help'],
  commands: { authority, issue, inspect },
};

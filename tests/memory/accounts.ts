import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ALGORITHMS, type Algorithm } from '../../src/domain/model/algorithm.ts';
import { PROOF_PLATFORMS, SIGNING_PROOFS, valueOptions } from '../e2e/signing-proofs.ts';
import type { Workplace } from '../harness/service-process.ts';
import { type Secret, secretsOfKey } from '../process-memory/secrets.ts';
import { knowledgeOf } from './algorithms.ts';
import { KEY_SOURCES, type KeyFile, type KeySource } from './key-sources.ts';

/** An account of the examined service. */
export interface KnownAccount {
  /** Owner of its secrets. */
  readonly name: string;
  readonly accountId: string;
  readonly algorithm: Algorithm;
  readonly key: Buffer;
  readonly publicKey: string;
  /** Must not be found. */
  readonly secrets: readonly Secret[];
  /** Text of the public key; must be found, to prove that the search works. */
  readonly publicKeySecret: Secret;
}

/** Input of an account; the name is unique. */
export interface AccountPlan {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly source: KeySource;
}

/** Every algorithm with every source that it has. */
export const EVERY_ACCOUNT: readonly AccountPlan[] = ALGORITHMS.flatMap((algorithm) =>
  KEY_SOURCES.filter(({ algorithms }) => algorithms.includes(algorithm)).map((source) => ({
    name: `${algorithm} ${source.name}`,
    algorithm,
    source,
  })),
);

const KEY_BYTES = 32;
const OWNER_ONLY = { mode: 0o600 };

/**
 * Configures a service with random keys in files, never in arguments or environment.
 * @param initOptions of command init
 */
export async function configure(
  place: Workplace,
  plans: readonly AccountPlan[],
  initOptions: readonly string[] = [],
): Promise<readonly KnownAccount[]> {
  await place.prepare('init', ...initOptions);
  for (const { platformId, rule } of PROOF_PLATFORMS) {
    await place.prepare('platform', 'add', '--platform', platformId, '--format', 'any', '--rule', rule);
  }
  const accounts: KnownAccount[] = [];
  for (const plan of plans) accounts.push(await addAccount(place, plan));
  return accounts;
}

/** Owner of the audit key's secrets. */
export const AUDIT_KEY = 'audit key';

/** The audit key's seed and equivalents, in memory for the whole run. */
export function auditKeySecrets(place: Workplace): readonly Secret[] {
  const seed = Buffer.from(readFileSync(place.path('audit.key'), 'utf8').trim(), 'hex');
  return secretsOfKey(AUDIT_KEY, 'ed25519', seed);
}

/** A random key of an account, its file, and what must not be found. */
export function newKeyOf({ name, algorithm, source }: AccountPlan): {
  readonly key: Buffer;
  readonly keyFile: KeyFile;
  readonly secrets: readonly Secret[];
} {
  const key = source.newKey?.() ?? knowledgeOf(algorithm).newKey?.() ?? Buffer.from([1, ...randomBytes(KEY_BYTES - 1)]);
  const keyFile = source.write(key, algorithm, name);
  return { key, keyFile, secrets: [...secretsOfKey(name, algorithm, key), ...(keyFile.secrets ?? [])] };
}

async function addAccount(place: Workplace, { name, algorithm, source }: AccountPlan): Promise<KnownAccount> {
  const accountId = name.replaceAll(/[^a-z0-9]+/g, '-');
  const { key, keyFile, secrets } = newKeyOf({ name, algorithm, source });
  if (source.kind === 'sealed') await importKey(place, accountId, algorithm, source, keyFile);
  else nameKeyFile(place, accountId, algorithm, source, keyFile);
  const publicKey = knowledgeOf(algorithm).publicKey(key, algorithm);
  return {
    name,
    accountId,
    algorithm,
    key,
    publicKey,
    secrets,
    publicKeySecret: {
      owner: `public key of ${name}`,
      name: 'public key',
      // V8 flattens the concatenated identifier when first read.
      forms: [{ name: 'text', parts: [Buffer.from(publicKey.replace(/^hmac:/, ''))] }],
    },
  };
}

async function importKey(
  place: Workplace,
  accountId: string,
  algorithm: Algorithm,
  { format }: KeySource,
  { content }: KeyFile,
): Promise<void> {
  const file = place.path(`${accountId}.key`);
  writeFileSync(file, content, OWNER_ONLY);
  const { platformId } = SIGNING_PROOFS[algorithm];
  const ids = ['--platform', platformId, '--account', accountId, '--algorithm', algorithm];
  const identity = [...ids, ...valueOptions(algorithm)];
  await place.prepare('account', 'add', ...identity, '--key-file', file, '--key-format', format);
  rmSync(file);
}

function nameKeyFile(
  place: Workplace,
  accountId: string,
  algorithm: Algorithm,
  { format }: KeySource,
  { content, password }: KeyFile,
): void {
  const file = place.path(`${accountId}.key`);
  writeFileSync(file, content, OWNER_ONLY);
  const passwordFile = place.path(`${accountId}.password`);
  if (password !== undefined) writeFileSync(passwordFile, password, OWNER_ONLY);
  const key = { file, format, ...(password === undefined ? {} : { passwordFile }) };
  const credentialsFile = place.path('credentials.json');
  const credentials = JSON.parse(readFileSync(credentialsFile, 'utf8'));
  const { platformId, values } = SIGNING_PROOFS[algorithm];
  credentials.accounts.push({ platformId, accountId, algorithm, key, ...(values === undefined ? {} : { values }) });
  writeFileSync(credentialsFile, JSON.stringify(credentials, null, 2));
}

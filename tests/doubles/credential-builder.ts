import {
  type CredentialsContent,
  credentialsFileSchema,
  type WrittenCredentials,
} from '../../src/domain/configuration/credentials-schema.ts';
import { ALGORITHMS, type Algorithm } from '../../src/domain/model/algorithm.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import { DEFAULT_RULE_OF_FORMAT } from '../../src/domain/payload/complete-platform.ts';
import type { ListedAccount } from '../../src/ports/credential-editor.ts';
import { RSA_KEYS_DER } from '../vectors/rsa-keys.ts';
import type { FixedAccount } from './fixed-credential-source.ts';

/** A platform for every algorithm with its format's payload rule, and some fields replaced. */
export function samplePlatform(fields: Partial<Platform> = {}): Platform {
  const format = fields.format ?? 'any';
  return { platformId: 'alpha', format, algorithms: ALGORITHMS, payload: DEFAULT_RULE_OF_FORMAT[format], ...fields };
}

/** A minimal active ed25519 account with some fields replaced. */
export function sampleCredential(fields: Partial<FixedAccount> = {}): FixedAccount {
  return {
    platformId: 'alpha',
    accountId: 'main',
    alias: 'Alpha main',
    status: 'active',
    environment: 'production',
    algorithm: 'ed25519',
    publicKey: null,
    createdAt: null,
    privateKey: samplePrivateKey(1),
    ...fields,
  };
}

/** The same as a command lists it. */
export function sampleListedAccount(fields: Partial<ListedAccount> = {}): ListedAccount {
  const { privateKey: _, keyRevision: __, ...account } = sampleCredential();
  return { ...account, key: { kind: 'sealed', masterKeyId: '0123456789abcdef' }, ...fields };
}

/** A credentials document as a load reads it. */
export function parseCredentials(document: WrittenCredentials): CredentialsContent {
  return credentialsFileSchema.parse(document);
}

/**
 * A private key: for `rsa-sha256` one of 2048 bits, distinct for an even and an odd number;
 * otherwise 32 bytes, valid for every other algorithm and distinct for 1 to 255.
 */
export function samplePrivateKey(number: number, algorithm?: Algorithm): Uint8Array {
  if (algorithm === 'rsa-sha256') return RSA_KEYS_DER[number % 2] ?? Uint8Array.of();
  return new Uint8Array(32).fill(number).fill(1, 0, 1);
}

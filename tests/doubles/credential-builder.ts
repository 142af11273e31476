import { ALGORITHMS } from '../../src/domain/model/algorithm.ts';
import type { KeyLengths } from '../../src/domain/model/key-lengths.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import { DEFAULT_RULE_OF_FORMAT } from '../../src/domain/model/platform-defaults.ts';
import type { FixedAccount } from './fixed-credential-source.ts';

/** A platform that takes every algorithm, its payload rule the one of its format, with the fields that a test cares about replaced. */
export function samplePlatform(fields: Partial<Platform> = {}): Platform {
  const format = fields.format ?? 'any';
  return { platformId: 'alpha', format, algorithms: ALGORITHMS, payload: DEFAULT_RULE_OF_FORMAT[format], ...fields };
}

/** An active ed25519 account that leaves to the service what it can, with the fields that a test cares about replaced. */
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

/** What keys but HMAC secrets have. */
export const LENGTH_32: KeyLengths = { min: 32, max: 32 };

/** 32 bytes that are a private key of every algorithm; another one for each number from 1 to 255. */
export function samplePrivateKey(number: number): Uint8Array {
  return new Uint8Array(32).fill(number).fill(1, 0, 1);
}

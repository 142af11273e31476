import { type AccountProfile, fixedLength, type SecretBytes } from '../../../domain/model/account.ts';
import { EditRefusedError, InvalidPrivateKeyError } from '../../../domain/model/errors.ts';
import { PASSPHRASE_VALUE } from '../../../domain/model/payload-rule.ts';
import type { AccountDraft, KeyOrigin, SignPassphrase } from '../../../ports/credential-editor.ts';
import { withGeneratedKey } from '../../key-files/key-file.ts';
import { KeyFileError, withSecretFile } from '../../key-files/secret-file.ts';
import { MalformedSecretError } from '../../key-files/secret-text.ts';
import { decodeText } from '../../key-files/text.ts';
import { withLockedBytes } from '../../vault/locked-buffer.ts';
import { type KeySpec, withAccountKeyFile } from '../key-opener.ts';
import type { MasterKey } from '../master-key/master-key.ts';
import { sealKey } from '../sealed-key.ts';

/** 32 random bytes are invalid at most once in 2^128 times; more is a defect. */
const MAX_GENERATIONS = 16;

const ANY_BYTE = 0xff;

/**
 * First byte of 32: the group order of the Stark curve is 2^251 + 2^196, without the lower bits.
 */
const BELOW_2_TO_251 = 0x07;

/** A new account's public and sealed key. */
interface NewKey {
  readonly publicKey: string;
  readonly sealed: string;
  /** Fixed value `passphrase`; undefined: none. */
  readonly passphrase: string | undefined;
}

/** Profile and file entry of a new account, in the file's field order. */
export function newAccount(
  { platformId, accountId, alias, status, environment, algorithm, createdAt, values }: AccountDraft,
  { publicKey, sealed, passphrase }: NewKey,
): {
  readonly profile: AccountProfile;
  readonly entry: AccountProfile & { readonly key: { readonly sealed: string } };
} {
  const profile = {
    ...{ platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt },
    ...(values === undefined && passphrase === undefined
      ? {}
      : { values: { ...values, ...(passphrase === undefined ? {} : { [PASSPHRASE_VALUE]: passphrase }) } }),
  };
  return { profile, entry: { ...profile, key: { sealed } } };
}

const GENERATION_ADVICE = {
  mac: 'the platform issues it. Save the secret to a file and set --key-file.',
  rsa:
    'create it with `openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out FILE`, ' +
    'register its public key with the platform, and set --key-file.',
};

/** Derives the public key. @throws InvalidPrivateKeyError if the key is invalid */
type DerivePublicKey = (privateKey: SecretBytes) => string;

/** Passes a private key to `use`; again with another one if it is invalid. */
type KeyProvider = <Result>(use: (privateKey: SecretBytes) => Result) => Result;

/**
 * A deferred way to a private key: generated, or read from its file.
 * @throws EditRefusedError if such keys are not generated; later, if the file is unreadable or has
 * no such key
 */
export function createKeyProvider(origin: KeyOrigin, spec: KeySpec): KeyProvider {
  if (origin.kind === 'file') return (use) => withKeyFromFile(origin, spec, use);
  const length = fixedLength(spec.lengths);
  const mask = spec.algorithm === 'starknet' ? BELOW_2_TO_251 : ANY_BYTE;
  if (length !== undefined) return (use) => withRetriedKey(length, mask, use);
  throw new EditRefusedError(
    `A key for ${spec.algorithm} cannot be generated: ${GENERATION_ADVICE[spec.algorithm === 'rsa-sha256' ? 'rsa' : 'mac']} Nothing was changed.`,
  );
}

/** Seals a private key for the account without exposing it. @throws errors of `withKey` */
export function sealNewKey(
  masterKey: MasterKey,
  draft: Pick<AccountDraft, 'platformId' | 'accountId' | 'algorithm'>,
  origin: KeyOrigin,
  withKey: KeyProvider,
  derivePublicKey: DerivePublicKey,
  signPassphrase: SignPassphrase | undefined,
): NewKey {
  const { platformId, accountId, algorithm } = draft;
  return withKey((privateKey) => {
    const publicKey = derivePublicKey(privateKey);
    const passphrase = makePassphraseValue(origin, privateKey, signPassphrase);
    return {
      publicKey,
      sealed: sealKey(masterKey, { platformId, accountId, algorithm, publicKey }, privateKey),
      passphrase,
    };
  });
}

const MAX_PASSPHRASE_BYTES = 1024;

/**
 * The fixed value of the passphrase in the origin's file; undefined without a file.
 * @throws KeyFileError if the file is unreadable or not one line of visible ASCII
 */
export function makePassphraseValue(
  origin: KeyOrigin,
  privateKey: SecretBytes,
  signPassphrase: SignPassphrase | undefined,
): string | undefined {
  const file = origin.kind === 'file' ? origin.passphraseFile : undefined;
  if (file === undefined || signPassphrase === undefined) return undefined;
  return withSecretFile(file, MAX_PASSPHRASE_BYTES, (content) =>
    withLockedBytes(content.length, (passphrase) => {
      const length = decodePassphrase(file, content, passphrase);
      return signPassphrase(privateKey, passphrase.subarray(0, length));
    }),
  );
}

function decodePassphrase(file: string, content: Buffer, output: Buffer): number {
  try {
    return decodeText(content, output);
  } catch (error) {
    if (error instanceof MalformedSecretError) throw new KeyFileError(file, error.message, error);
    throw error;
  }
}

function withRetriedKey<Result>(
  length: number,
  firstByteMask: number,
  use: (privateKey: SecretBytes) => Result,
): Result {
  let failure: unknown;
  for (let generation = 0; generation < MAX_GENERATIONS; generation += 1) {
    try {
      return withGeneratedKey(length, (privateKey) => {
        privateKey[0] = (privateKey[0] ?? 0) & firstByteMask;
        return use(privateKey);
      });
    } catch (error) {
      if (!(error instanceof InvalidPrivateKeyError)) throw error;
      failure = error;
    }
  }
  throw new EditRefusedError(`No valid key after ${MAX_GENERATIONS} generations; nothing was changed.`, {
    cause: failure,
  });
}

function withKeyFromFile<Result>(
  origin: Extract<KeyOrigin, { kind: 'file' }>,
  spec: KeySpec,
  use: (privateKey: SecretBytes) => Result,
): Result {
  try {
    return withAccountKeyFile(origin, spec, use);
  } catch (error) {
    if (error instanceof KeyFileError) throw new EditRefusedError(error.message, { cause: error });
    if (!(error instanceof InvalidPrivateKeyError)) throw error;
    throw new EditRefusedError(`${origin.file}: ${error.message}`, { cause: error });
  }
}

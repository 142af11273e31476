import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TokenSubject } from '../../../domain/model/token-issuance.ts';
import { makeFolders, removeEmptyFolders } from '../../../files/make-folders.ts';
import { Ed25519Key } from '../../../secure-memory/ed25519-key.ts';
import { createSeedFile, withSeedFile } from '../../../secure-memory/seed-file.ts';
import { readPublicKeyFile, usablePublicKey } from './public-key-file.ts';

const FOLDER_MODE = 0o700;

/** Whose key a token is for. */
export interface Holder {
  readonly publicKey: Buffer;
  /** Null when only the public half is known. */
  readonly keyFile: string | null;
  readonly isNewKey: boolean;
}

/**
 * Finds the public key that is meant, and makes a key where one is wished; one that was made is removed again when `use` throws, so that the same command can be given again.
 * @param serviceKeyFile of the service
 * @throws EditRefusedError, KeyFileError, OperatorError, and what `use` throws
 */
export function withHolder<Result>(
  subject: TokenSubject,
  serviceKeyFile: string,
  use: (holder: Holder) => Result,
): Result {
  if (subject.kind === 'public-key') return use(known(usablePublicKey(subject.text)));
  if (subject.kind === 'public-key-file') return use(known(readPublicKeyFile(subject.file)));
  const keyFile = subject.kind === 'service' ? serviceKeyFile : subject.file;
  if (subject.kind === 'service' && existsSync(keyFile)) {
    return use({ publicKey: publicKeyOf(keyFile), keyFile, isNewKey: false });
  }
  return withNewKey(keyFile, (publicKey) => use({ publicKey, keyFile, isNewKey: true }));
}

/** Makes a new key in a file, and the folders above it, for what `use` does with its public half. When that throws, nothing of them is left. */
export function withNewKey<Result>(file: string, use: (publicKey: Buffer) => Result): Result {
  const folders = makeFolders(dirname(file), FOLDER_MODE);
  try {
    createSeedFile(file);
    return useOrRemove(file, use);
  } catch (error) {
    removeEmptyFolders(folders);
    throw error;
  }
}

/** Lends the key of an authority, and wipes it however `use` ends. */
export function withAuthorityKey<Result>(file: string, use: (key: Ed25519Key) => Result): Result {
  return withKey(file, "the authority's key", use);
}

/** The file is one that was made just now. */
function useOrRemove<Result>(file: string, use: (publicKey: Buffer) => Result): Result {
  try {
    return use(publicKeyOf(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function publicKeyOf(file: string): Buffer {
  return withKey(file, 'this key', ({ publicKey }) => publicKey);
}

function withKey<Result>(file: string, holds: string, use: (key: Ed25519Key) => Result): Result {
  return withSeedFile(file, holds, (seed) => {
    const key = new Ed25519Key(seed);
    try {
      return use(key);
    } finally {
      key.destroy();
    }
  });
}

function known(publicKey: Buffer): Holder {
  return { publicKey, keyFile: null, isNewKey: false };
}

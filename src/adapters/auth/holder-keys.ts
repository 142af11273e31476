import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { TokenSubject } from '../../domain/model/authentication.ts';
import { createFolders, removeEmptyFolders } from '../files/folders.ts';
import { createSeedFile, withSeedFile } from '../secret-files/seed-file.ts';
import { Ed25519Key } from '../vault/ed25519-key.ts';
import { readPublicKeyFile, requirePublicKey } from './public-key-file.ts';

const FOLDER_MODE = 0o700;

/** The key that a token is for. */
export interface Holder {
  readonly publicKey: Buffer;
  /** Null if only the public key is known. */
  readonly keyFile: string | null;
  readonly isNewKey: boolean;
}

/**
 * Finds or creates the subject's key; removes a created key if `use` throws, so that the command
 * can be repeated.
 * @throws OperatorError, and errors of `use`
 */
export function withHolder<Result>(
  subject: TokenSubject,
  serviceKeyFile: string,
  use: (holder: Holder) => Result,
): Result {
  if (subject.kind === 'public-key') return use(externalHolder(requirePublicKey(subject.text)));
  if (subject.kind === 'public-key-file') return use(externalHolder(readPublicKeyFile(subject.file)));
  const keyFile = subject.kind === 'service' ? serviceKeyFile : subject.file;
  if (subject.kind === 'service' && existsSync(keyFile)) {
    return use({ publicKey: readPublicKey(keyFile), keyFile, isNewKey: false });
  }
  return withNewKey(keyFile, (publicKey) => use({ publicKey, keyFile, isNewKey: true }));
}

/**
 * Creates a key file and its folders, and passes the public key to `use`; removes them if it
 * throws.
 */
export function withNewKey<Result>(file: string, use: (publicKey: Buffer) => Result): Result {
  const folders = createFolders(dirname(file), FOLDER_MODE);
  try {
    createSeedFile(file);
    return useOrRemove(file, use);
  } catch (error) {
    removeEmptyFolders(folders);
    throw error;
  }
}

/** Passes an authority's key to `use`, then wipes it. */
export function withAuthorityKey<Result>(file: string, use: (key: Ed25519Key) => Result): Result {
  return withKey(file, "the authority's key", use);
}

/** Removes the new file if `use` throws. */
function useOrRemove<Result>(file: string, use: (publicKey: Buffer) => Result): Result {
  try {
    return use(readPublicKey(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

function readPublicKey(file: string): Buffer {
  return withKey(file, 'this key', ({ publicKey }) => publicKey);
}

function withKey<Result>(file: string, description: string, use: (key: Ed25519Key) => Result): Result {
  return withSeedFile(file, description, (seed) => {
    const key = new Ed25519Key(seed);
    try {
      return use(key);
    } finally {
      key.destroy();
    }
  });
}

function externalHolder(publicKey: Buffer): Holder {
  return { publicKey, keyFile: null, isNewKey: false };
}

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../domain/model/errors.ts';
import type { KeyStore } from '../ports/key-store.ts';

const KEY_STORE_METHODS: readonly (keyof KeyStore)[] = ['create', 'use', 'refresh', 'discard', 'purge'];

/**
 * Loads another KeyStore from a module that exports `createKeyStore(): KeyStore`, for reviews and
 * tests.
 * @throws OperatorError naming SIGNING_KEY_STORE_MODULE if there is no such module or function, or
 * it throws
 */
export async function loadKeyStoreModule(file: string): Promise<KeyStore> {
  const module: unknown = await attempt(file, () => import(pathToFileURL(resolve(file)).href));
  const create = typeof module === 'object' && module !== null && 'createKeyStore' in module && module.createKeyStore;
  if (typeof create !== 'function') {
    throw new OperatorError(`SIGNING_KEY_STORE_MODULE: ${file} does not export a function createKeyStore.`);
  }
  const keyStore: unknown = await attempt(file, async () => create());
  if (isKeyStore(keyStore)) return keyStore;
  throw new OperatorError(
    `SIGNING_KEY_STORE_MODULE: createKeyStore of ${file} does not return a KeyStore; required methods: ${KEY_STORE_METHODS.join(', ')}.`,
  );
}

function isKeyStore(value: unknown): value is KeyStore {
  return (
    typeof value === 'object' &&
    value !== null &&
    KEY_STORE_METHODS.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}

async function attempt(file: string, load: () => Promise<unknown>): Promise<unknown> {
  try {
    return await load();
  } catch (cause) {
    throw new OperatorError(`SIGNING_KEY_STORE_MODULE: ${file} cannot be loaded: ${String(cause)}`, { cause });
  }
}

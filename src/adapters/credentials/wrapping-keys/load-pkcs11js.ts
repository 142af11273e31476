import { MasterKeyUnavailableError } from '../../../domain/model/errors.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import type { Cryptoki } from './cryptoki.ts';

/** Not a literal: the compiler need not find an optional package. */
const PACKAGE: string = 'pkcs11js';
const VERSION = '2.1.7';

/**
 * Imports the optional package pkcs11js, from the node_modules folders beside and above this
 * program, as Node resolves imports.
 * @throws MasterKeyUnavailableError with the command to install it
 */
export async function loadPkcs11js(): Promise<() => Cryptoki> {
  const { default: library } = await importPackage();
  return () => new library.PKCS11();
}

async function importPackage(): Promise<{ readonly default: { readonly PKCS11: new () => Cryptoki } }> {
  try {
    return await import(PACKAGE);
  } catch (error) {
    const found = systemErrorCode(error) === 'ERR_MODULE_NOT_FOUND' ? 'is not installed' : 'cannot be loaded';
    throw new MasterKeyUnavailableError(
      `the master key is wrapped by pkcs11, but the optional package pkcs11js ${found}; run ` +
        `\`npm install --no-save ${PACKAGE}@${VERSION}\` in the folder of this program (it compiles C++: Python 3, make and g++ are needed)`,
      { cause: error },
    );
  }
}

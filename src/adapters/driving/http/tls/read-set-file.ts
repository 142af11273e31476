import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { findPermissionFault } from '../../../../files/file-permissions.ts';

/** Certificates and lists of them have some KiB. Bytes. */
const MAX_BYTES = 1024 ** 2;

/**
 * The bytes of a file that a setting names.
 * @param trusted what it holds where no other user may be able to change it:
 * `the authorities of client certificates`
 * @throws OperatorError that names the setting, the file and what to do
 */
export function readSetFile(setting: string, file: string, trusted: string | null = null): Buffer {
  let descriptor: number | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer instead of ending in the check for a regular file.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    assertSensibleFile(setting, file, descriptor, trusted);
    return readFileSync(descriptor);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    throw new OperatorError(
      `${setting}: the file ${file} can not be read (${code}). Correct the path or its permissions.`,
      {
        cause: error,
      },
    );
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function assertSensibleFile(setting: string, file: string, descriptor: number, trusted: string | null): void {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new OperatorError(`${setting}: ${file} is a folder. Name the file in it.`);
  if (!stats.isFile()) {
    throw new OperatorError(`${setting}: ${file} is no regular file. Put its content into a regular file.`);
  }
  if (stats.size > MAX_BYTES) {
    throw new OperatorError(`${setting}: ${file} has more than 1 MiB. Check that it is the right file.`);
  }
  const fault = trusted === null ? null : findPermissionFault(file, stats, 'trusted', trusted);
  if (fault !== null) throw new OperatorError(`${setting}: ${file}: ${fault}.`);
}

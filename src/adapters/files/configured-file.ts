import { closeSync, readFileSync } from 'node:fs';
import { OperatorError } from '../../domain/model/errors.ts';
import { adviseOnReading } from './file-advice.ts';
import { findPermissionIssue } from './file-permissions.ts';
import { openRegularFileSync } from './open-regular-file.ts';

/** Maximum size of a file, bytes. */
const MAX_BYTES = 1024 ** 2;

/**
 * Reads a file that a setting names.
 * @param trusted its content, such as `the authorities of client certificates`, if no other user
 * may be able to change it; else null
 * @throws OperatorError that names the setting, the file and what to do
 */
export function readConfiguredFile(setting: string, file: string, trusted: string | null = null): Buffer {
  try {
    const { descriptor, stats } = openRegularFileSync(file, { maxBytes: MAX_BYTES });
    try {
      const issue = trusted === null ? null : findPermissionIssue(file, stats, 'trusted', trusted);
      if (issue !== null) throw new OperatorError(`${setting}: ${file}: ${issue}.`);
      return readFileSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(`${setting}: ${file}: ${adviseOnReading(error)}.`, { cause: error });
  }
}

import { readFileSync } from 'node:fs';
import { programPath } from '../program/program-file.ts';

/** The service's semantic version, from package.json. */
export const SERVICE_VERSION = readVersion(
  JSON.parse(readFileSync(programPath('../package.json', 'package.json'), 'utf8')),
);

function readVersion(read: unknown): string {
  if (typeof read === 'object' && read !== null && 'version' in read && typeof read.version === 'string') {
    return read.version;
  }
  throw new Error('The package manifest has no version.');
}

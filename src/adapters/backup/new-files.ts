import { chmodSync, closeSync, fstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/model/errors.ts';
import { adviseOnCreating, adviseOnReading, fileError } from '../files/file-advice.ts';
import { createFolders, removeEmptyFolders } from '../files/folders.ts';
import { openRegularFileSync } from '../files/open-regular-file.ts';
import { createSecretFile } from '../files/replace-file.ts';
import { sha256Of } from '../node/sha256.ts';

const FOLDER_MODE = 0o700;

/** As large as a credentials file may be. */
const MAX_BYTES = 256 * 1024 ** 2;

/** As large as a master key file may be; fits into locked memory. */
export const MAX_SECRET_BYTES = 16 * 1024;

/** Reads a whole file, passes it to `use` and wipes it. Throws OperatorError. */
export type ReadFile = <Result>(path: string, use: (content: Buffer) => Result) => Result;

/** Size and digest of a file. */
export interface Measure {
  readonly bytes: number;
  /** `sha256:<64 hex>`. */
  readonly sha256: string;
}

/** {@link ReadFile} for files without a private key. */
export const withPlainFile: ReadFile = (path, use) => {
  const content = readWhole(path);
  try {
    return use(content);
  } finally {
    // A credentials file may have plaintext keys.
    content.fill(0);
  }
};

/** @throws OperatorError also if the file is modified meanwhile */
function readWhole(path: string): Buffer {
  try {
    const { descriptor, stats } = openRegularFileSync(path, { maxBytes: MAX_BYTES });
    try {
      const content = readFileSync(descriptor);
      if (content.length === stats.size && fstatSync(descriptor).mtimeMs === stats.mtimeMs) return content;
      throw fileError(path, 'it changed while it was being read; try again when no program writes to it');
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    throw error instanceof OperatorError ? error : fileError(path, adviseOnReading(error), error);
  }
}

/** Size and digest of content, for {@link ReadFile}. */
export function measure(content: Uint8Array): Measure {
  return { bytes: content.length, sha256: sha256Of(content) };
}

/** Files (mode 0600) and folders (0700) that a command creates, or removes if it fails. */
export class NewFiles {
  readonly #files: string[] = [];
  readonly #folders: string[] = [];

  /** @throws OperatorError if the folder is not empty or belongs to another user */
  createEmptyFolder(folder: string): void {
    this.#createFolder(folder);
    try {
      if (readdirSync(folder).length > 0) throw fileError(folder, 'it is not empty; choose a new or empty folder');
      chmodSync(folder, FOLDER_MODE);
    } catch (error) {
      throw error instanceof OperatorError ? error : fileError(folder, adviseOnCreating(error), error);
    }
  }

  /**
   * Writes a file durably, and reads it back.
   * @throws OperatorError
   */
  create(file: string, content: Uint8Array, read: ReadFile = withPlainFile): Measure {
    this.#createFolder(dirname(file));
    createSecretFile(file, content);
    this.#files.push(file);
    const written = measure(content);
    if (read(file, measure).sha256 === written.sha256) return written;
    throw fileError(file, 'it differs from what was written; check the disk');
  }

  /** The same with the content of another file. */
  copy(read: ReadFile, source: string, target: string): Measure {
    return read(source, (content) => this.create(target, content, read));
  }

  /** Removes them after a failure, which is the one to report. */
  remove(): void {
    for (const file of this.#files) {
      try {
        rmSync(file, { force: true });
      } catch {
        // A backup without manifest is not restored; a restored file is named by the next attempt.
      }
    }
    removeEmptyFolders(this.#folders);
  }

  #createFolder(folder: string): void {
    this.#folders.push(...createFolders(folder, FOLDER_MODE));
  }
}

/** Removes what was created if the action fails. */
export async function withNewFiles<Result>(action: (made: NewFiles) => Promise<Result>): Promise<Result> {
  const made = new NewFiles();
  try {
    return await action(made);
  } catch (error) {
    made.remove();
    throw error;
  }
}

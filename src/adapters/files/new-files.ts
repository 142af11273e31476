import { dirname } from 'node:path';
import { createFolders, removeEmptyFolders } from './folders.ts';
import { createSecretFile, removeQuietly } from './replace-file.ts';

const FOLDER_MODE = 0o700;

/** Creates what does not exist, durably. Methods throw OperatorError. */
export interface NewFiles {
  /** Mode 0700, with missing parents. */
  createFolder(path: string): void;
  /** Mode 0600, with its folder. */
  create(file: string, content: Uint8Array): void;
}

/** Removes what was created if the action fails. */
export async function withNewFiles<Result>(action: (made: NewFiles) => Promise<Result>): Promise<Result> {
  const files: string[] = [];
  const folders: string[] = [];
  const createFolder = (path: string) => {
    folders.push(...createFolders(path, FOLDER_MODE));
  };
  const create = (file: string, content: Uint8Array) => {
    createFolder(dirname(file));
    createSecretFile(file, content);
    files.push(file);
  };
  try {
    return await action({ createFolder, create });
  } catch (error) {
    for (const file of files) removeQuietly(file);
    removeEmptyFolders(folders);
    throw error;
  }
}

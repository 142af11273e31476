import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { BackupKind, SavedFile } from '../../domain/model/backup.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { adviseOnReading, fileError } from '../files/file-advice.ts';
import { withSecretFile } from '../secret-files/secret-file.ts';
import { MAX_SECRET_BYTES, measure, type NewFiles, type ReadFile, withPlainFile } from './new-files.ts';

/** Private keys are read in locked memory. */
const READERS: { readonly [Kind in BackupKind]-?: ReadFile } = {
  installation: withPlainFile,
  masterKey: withPrivateKey,
  auditKey: withPrivateKey,
};

const MANIFEST = 'manifest.json';

/** A name in the folder: no path. */
const NAME = /^(?!manifest\.json$)\w[\w.-]*$/;

const fileSchema = z.strictObject({
  name: z.string().regex(NAME),
  purpose: z.string(),
  path: z.string(),
  bytes: z.number(),
  sha256: z.string(),
});

const manifestSchema = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['installation', 'masterKey', 'auditKey']),
  serviceVersion: z.string(),
  /** ISO 8601 UTC. */
  time: z.string(),
  files: z.array(fileSchema),
  leftOut: z.array(z.strictObject({ setting: z.string().nullable(), path: z.string(), reason: z.string() })),
});

/** A file of a backup. */
export type BackupFile = z.output<typeof fileSchema>;

/** What is in the folder and what is not; written last. */
export type Manifest = z.output<typeof manifestSchema>;

/** Adds files to a new backup, to be named by its manifest. */
export class BackupWriter {
  readonly kind: BackupKind;
  readonly #files: BackupFile[] = [];
  readonly #folder: string;
  readonly #made: NewFiles;

  /** @throws OperatorError if the folder is not empty or cannot be written */
  constructor(kind: BackupKind, folder: string, made: NewFiles) {
    made.createEmptyFolder(folder);
    this.kind = kind;
    this.#folder = folder;
    this.#made = made;
  }

  /**
   * Copies the file at `path`, or writes `content` that is found there.
   * @throws OperatorError
   */
  add(file: Pick<BackupFile, 'name' | 'purpose' | 'path'>, content?: string): void {
    const target = join(this.#folder, file.name);
    const measured =
      content === undefined
        ? this.#made.copy(READERS[this.kind], file.path, target)
        : this.#made.create(target, Buffer.from(content));
    this.#files.push({ ...file, ...measured });
  }

  /** The files with the paths of their copies. */
  get saved(): readonly SavedFile[] {
    return this.#files.map(({ name, purpose, path }) => ({ purpose, path, copy: join(this.#folder, name) }));
  }

  /** Writes the manifest: without it, a folder is no backup. @throws OperatorError */
  finish(facts: Pick<Manifest, 'serviceVersion' | 'time' | 'leftOut'>): void {
    const manifest: Manifest = { format: 1, kind: this.kind, ...facts, files: this.#files };
    this.#made.create(join(this.#folder, MANIFEST), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  }
}

/** A verified backup. */
export interface Backup extends Manifest {
  readonly folder: string;
  readonly read: ReadFile;
}

/**
 * Verifies a folder: it has the files of its manifest, unchanged, and nothing else.
 * @throws OperatorError that names the folder or file
 */
export function readBackup(kind: BackupKind, folder: string): Backup {
  const names = new Set(listFiles(folder));
  if (!names.delete(MANIFEST)) {
    throw fileError(folder, `it has no ${MANIFEST}: it is no backup, or one that was interrupted; choose another`);
  }
  const manifest = readManifest(join(folder, MANIFEST));
  if (manifest.kind !== kind) {
    throw fileError(folder, `it is a backup of the kind ${manifest.kind}, not ${kind}; give the folder of that kind`);
  }
  for (const { name, sha256 } of manifest.files) {
    const path = join(folder, name);
    if (!names.delete(name)) throw fileError(path, `${MANIFEST} names it, but it is missing; use another backup`);
    if (READERS[kind](path, measure).sha256 !== sha256) {
      throw fileError(path, `it is damaged: ${MANIFEST} has another digest; use another backup`);
    }
  }
  const [other] = names;
  if (other !== undefined) throw fileError(join(folder, other), `${MANIFEST} does not name it; move it away`);
  return { ...manifest, folder, read: READERS[kind] };
}

/** @throws OperatorError also for a link or folder in it */
function listFiles(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    const other = entries.find((entry) => !entry.isFile());
    if (other === undefined) return entries.map(({ name }) => name);
    throw fileError(join(folder, other.name), 'a backup has only regular files; move it away');
  } catch (error) {
    throw error instanceof OperatorError ? error : fileError(folder, adviseOnReading(error), error);
  }
}

function readManifest(file: string): Manifest {
  return withPlainFile(file, (content) => {
    try {
      return manifestSchema.parse(JSON.parse(content.toString()));
    } catch (error) {
      throw fileError(file, 'it is damaged, or of another version of the service; use another backup', error);
    }
  });
}

function withPrivateKey<Result>(path: string, use: (content: Buffer) => Result): Result {
  return withSecretFile(path, MAX_SECRET_BYTES, (content) => use(content));
}

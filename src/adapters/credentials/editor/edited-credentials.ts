import { realpath } from 'node:fs/promises';
import { type CredentialIssue, invalidAccount, renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { type CredentialsSnapshot, currentRevision, readCredentialsFile, unreadable } from '../credentials-file.ts';
import type { MasterKeyRing, MasterKeyStore } from '../keyring/master-keys.ts';
import { validateCredentials } from '../validate-credentials.ts';
import { replaceCredentialsFile } from './replace-credentials-file.ts';

/** The file's text: JSON with two spaces of indent and a final newline. */
export function formatCredentials(written: WrittenCredentials): string {
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** @throws OperatorError if the file was modified since it was read */
export async function assertUnchanged(file: string, revision: string): Promise<void> {
  if ((await currentRevision(file)) !== revision) throw changed(file);
}

function changed(file: string): OperatorError {
  return new OperatorError(
    `${file} was changed by another process at the same time; nothing was changed. Run the command again.`,
  );
}

/** Changes of other processes that an edit survives. */
const MAX_ATTEMPTS = 50;

/** A changed document, undefined to leave it, and what the command reports. */
export interface Edit<Result> {
  readonly written: WrittenCredentials | undefined;
  readonly result: Result;
}

/** Computes an edit from the file as it is; called again if it changes meanwhile. */
export type Change<Result> = (reading: CredentialsSnapshot) => Edit<Result> | Promise<Edit<Result>>;

/** A credentials file that is edited atomically and durably, with its master keys. */
export class EditedCredentials {
  readonly location: string;
  readonly #masterKeys: MasterKeyStore;

  constructor(location: string, masterKeys: MasterKeyStore) {
    this.location = location;
    this.#masterKeys = masterKeys;
  }

  /** @throws CredentialLoadError */
  read(): Promise<CredentialsSnapshot> {
    return readCredentialsFile(this.location);
  }

  /**
   * Validates the changed document as a load would, and writes it. The lock is held only for that:
   * `change` may decode keys or wait for a passphrase, while others can stop an account. It is
   * called again if another process wrote meanwhile.
   * @throws CredentialLoadError; OperatorError with the issues of the changed document
   */
  async edit<Result>(change: Change<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const reading = await this.read();
      const { written, result } = await apply(reading, change);
      if (written === undefined || (await this.#replace(reading.revision, written))) return result;
      if (attempt === MAX_ATTEMPTS) throw changed(this.location);
    }
  }

  /** Returns false, without a change, if the file has another revision by now. */
  async #replace(revision: string, written: WrittenCredentials): Promise<boolean> {
    const target = await realpath(this.location).catch((error: unknown) => {
      throw unreadable(this.location, error);
    });
    return withFileLock(target, async () => {
      if ((await currentRevision(this.location)) !== revision) return false;
      const confirm = () => assertUnchanged(this.location, revision);
      await replaceCredentialsFile(target, formatCredentials(written), confirm);
      return true;
    });
  }

  /** {@link edit} that writes nothing. */
  async try<Result>(change: Change<Result>): Promise<Result> {
    return (await apply(await this.read(), change)).result;
  }

  /** @throws OperatorError */
  openMasterKeys(): Promise<MasterKeyRing> {
    return this.#masterKeys.openPrimary();
  }
}

async function apply<Result>(reading: CredentialsSnapshot, change: Change<Result>): Promise<Edit<Result>> {
  const edit = await change(reading);
  if (edit.written === undefined) return edit;
  const { accounts } = edit.written;
  const { issues } = await validateCredentials(edit.written);
  if (issues.length === 0) return edit;
  const texts = issues.map((issue) => formatIssue(issue, accounts));
  throw new OperatorError(`Nothing was changed: ${texts.join('; ')}.`);
}

/** The operator knows an account by its name, not by its place in the file. */
function formatIssue(issue: CredentialIssue, accounts: WrittenCredentials['accounts']): string {
  const account = invalidAccount(issue, accounts);
  const place = account?.name ? `account ${account.name}: ${account.field}` : renderPath(issue.path);
  return `${place} ${issue.message}`;
}

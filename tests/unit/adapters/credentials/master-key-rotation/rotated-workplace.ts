import { writeFileSync } from 'node:fs';
import type { MasterKeyFiles } from '../../../../../src/adapters/credentials/master-key/master-key-pair.ts';
import { MIN_PASSPHRASE_COST } from '../../../../../src/adapters/credentials/master-key/wrapped-master-key.ts';
import { MasterKeyAdministration } from '../../../../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { TypedPassphrases } from '../../../../doubles/typed-passphrases.ts';
import type { CredentialsWorkplace } from '../credentials-workplace.ts';
import { testKey } from '../sealed-accounts.ts';

export const PASSPHRASE = 'correct horse battery';
const cost = MIN_PASSPHRASE_COST;

/** The workplace's administration, at minimum passphrase cost. */
export function administrationOf(
  workplace: CredentialsWorkplace,
  prompt: TypedPassphrases = new TypedPassphrases(),
  masterKeyFiles: MasterKeyFiles = workplace.masterKeyFiles,
): MasterKeyAdministration {
  return new MasterKeyAdministration({ file: workplace.file, masterKeyFiles, prompt, cost });
}

/** State after a kill right before the credentials file is replaced. */
export async function interruptRotation(workplace: CredentialsWorkplace, prompt?: TypedPassphrases): Promise<void> {
  const before = workplace.text();
  await administrationOf(workplace, prompt).rotate(false);
  workplace.write(before);
}

/** Writes every temporary file of commands. */
export async function leaveLeftovers({ file, masterKeyFile, previousMasterKeyFile }: CredentialsWorkplace) {
  const left = [file, masterKeyFile, previousMasterKeyFile].map((each) => `${each}.tmp`);
  for (const each of left) writeFileSync(each, testKey(1), { mode: 0o600 });
  return left;
}

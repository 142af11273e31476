import { describeRing, isWrapped, type Ring, readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { unwrapKeys } from '../../adapters/credentials/keyring/wrapped-key.ts';
import { listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { type Finding, fail, ok } from '../../adapters/machine/finding.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { WrappingKeys } from '../../ports/wrapping-keys.ts';

const CHECK = 'sealed-accounts';
/** Consequence of a master key that is missing or does not open. */
export const UNTIL_FIXED = 'The service does not load sealed accounts until this is fixed.';

/**
 * Checks that the keyring has the keys that sealed accounts name. Opens no account's key.
 * @param content null if the credentials file could not be read
 * @throws OperatorError if the keyring cannot be read
 */
export function checkMasterKeys(file: string, content: CredentialsContent | null): readonly Finding[] {
  const lines = readRing(file);
  const sources = lines
    .filter(isWrapped)
    .map(({ id, source, wrappingKey }) =>
      ok('master-key-source', `${file}: master key ${id} is wrapped by ${source}, key ${wrappingKey}`),
    );
  return [...sources, ...(content === null ? [] : [checkIds(file, lines, content)])];
}

/**
 * Opens wrapped keys through their service or token, as a start does, and wipes them. Other keys
 * are not opened; other checks report an unreadable keyring.
 */
export async function checkMasterKeyOpening(file: string, wrappingKeys: WrappingKeys): Promise<readonly Finding[]> {
  const keys = readWrapped(file);
  const issues = await unwrapKeys(keys, wrappingKeys);
  return keys.map(({ source, id }, index) => {
    const issue = issues[index];
    return issue
      ? fail('master-key-opening', `${file}: ${issue.message}`, UNTIL_FIXED)
      : ok('master-key-opening', `${file}: ${source} opened master key ${id}`);
  });
}

function readWrapped(file: string) {
  try {
    return readRing(file).filter(isWrapped);
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
}

function checkIds(file: string, lines: Ring, content: CredentialsContent): Finding {
  const missing = listMissingKeys(content, lines);
  const total = content.accounts.filter(({ key }) => 'sealed' in key).length;
  if (missing.length === 0) {
    return ok(CHECK, `all their master keys are available (sealed accounts: ${total}); no account was opened`);
  }
  return fail(
    CHECK,
    missing
      .map(({ id, accounts }) => `sealed under master key ${id}, which is not available: ${accounts} of ${total}`)
      .join('\n'),
    `For each of these accounts: ${describeRing(file, lines)}. ${UNTIL_FIXED}`,
  );
}

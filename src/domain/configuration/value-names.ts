import type { FixedValues, PayloadRule } from '../model/payload.ts';
import { findSend, listRules, type Platform } from '../model/platform.ts';
import { listSentValues } from '../model/send.ts';
import { referencedValues, requiredValues } from '../payload/payload-rules.ts';
import { type CredentialIssue, type IssuePath, isQuotableName } from './credential-issue.ts';

/** Required fixed values of any of these rules that an account lacks, unique. */
export function missingValues(rules: readonly PayloadRule[], values: FixedValues = {}): readonly string[] {
  return unique(rules.flatMap(requiredValues)).filter((name) => !Object.hasOwn(values, name));
}

/**
 * An issue for each value that is not among these names, probably misspelt.
 * @param path of `values` in the file
 * @param names that the templates of `owner` use
 * @param owner of the templates, for messages
 */
export function unusedValueIssues(
  path: IssuePath,
  values: FixedValues | undefined,
  names: () => readonly string[],
  owner: string,
): readonly CredentialIssue[] {
  // The common case of large files.
  if (values === undefined) return [];
  const named = unique(names());
  const unnamed = Object.keys(values).filter((name) => !named.includes(name));
  const accepted = named.length === 0 ? 'it uses no values' : `it uses ${named.join(', ')}`;
  const message = `is not used by any template of ${owner}; ${accepted}`;
  return unnamed.map((name) =>
    isQuotableName(name) ? { path: [...path, name], message } : { path, message: `contains a name that ${message}` },
  );
}

/** Names of the fixed values that the rules and requests of a platform use. */
export function listPlatformValues(platform: Platform): readonly string[] {
  return listRules(platform).flatMap((rule) => [
    ...referencedValues(rule),
    ...listSentValues(findSend(platform, rule)),
  ]);
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

import type { FixedValues, PayloadRule } from '../model/payload-rule.ts';
import { referencedValues, requiredValues } from '../payload/template.ts';
import { type CredentialIssue, type IssuePath, isQuotableName } from './credential-issue.ts';

/** Required fixed values of any of these rules that an account lacks, unique. */
export function missingValues(rules: readonly PayloadRule[], values: FixedValues = {}): readonly string[] {
  return unique(rules.flatMap(requiredValues)).filter((name) => !Object.hasOwn(values, name));
}

/** Fixed values that no template of these rules uses, probably misspelt. */
function unusedValues(rules: readonly PayloadRule[], values: FixedValues | undefined): readonly string[] {
  // The common case of large files.
  if (values === undefined) return [];
  const named = rules.flatMap(referencedValues);
  return Object.keys(values).filter((name) => !named.includes(name));
}

/** The names that these payload rules use, for messages: `it uses apiKey, recvWindow`. */
function formatAcceptedValues(rules: readonly PayloadRule[]): string {
  const named = unique(rules.flatMap(referencedValues));
  return named.length === 0 ? 'it uses no values' : `it uses ${named.join(', ')}`;
}

/**
 * An issue for each value that no template uses.
 * @param path of `values` in the file
 * @param owner of the templates, for messages
 */
export function unusedValueIssues(
  path: IssuePath,
  values: FixedValues | undefined,
  rules: readonly PayloadRule[],
  owner: string,
): readonly CredentialIssue[] {
  const unnamed = unusedValues(rules, values);
  if (unnamed.length === 0) return [];
  const message = `is not used by any template of ${owner}; ${formatAcceptedValues(rules)}`;
  return unnamed.map((name) =>
    isQuotableName(name) ? { path: [...path, name], message } : { path, message: `contains a name that ${message}` },
  );
}

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

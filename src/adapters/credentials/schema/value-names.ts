import type { FixedValues, PayloadRule } from '../../../domain/model/payload-rule.ts';
import { referencedValues, requiredValues } from '../../../domain/payload/template.ts';
import { type CredentialIssue, type IssuePath, isQuotableName } from '../credential-issue.ts';

/** Required fixed values that an account lacks. */
export function missingValues(rule: PayloadRule, values: FixedValues = {}): readonly string[] {
  return requiredValues(rule).filter((name) => !Object.hasOwn(values, name));
}

/** Fixed values that no template uses, probably misspelt. */
export function unusedValues(rule: PayloadRule, values: FixedValues | undefined): readonly string[] {
  // The common case of large files.
  if (values === undefined) return [];
  const named = referencedValues(rule);
  return Object.keys(values).filter((name) => !named.includes(name));
}

/** The names that a payload rule takes, for messages: `it takes apiKey, recvWindow`. */
export function formatAcceptedValues(rule: PayloadRule): string {
  const named = referencedValues(rule);
  return named.length === 0 ? 'it takes no values' : `it takes ${named.join(', ')}`;
}

/**
 * An issue for each value that no template uses.
 * @param path of `values` in the file
 * @param owner of the templates, for messages
 */
export function unusedValueIssues(
  path: IssuePath,
  values: FixedValues | undefined,
  rule: PayloadRule,
  owner: string,
): readonly CredentialIssue[] {
  const unnamed = unusedValues(rule, values);
  if (unnamed.length === 0) return [];
  const message = `is named by no template of ${owner}; ${formatAcceptedValues(rule)}`;
  return unnamed.map((name) =>
    isQuotableName(name) ? { path: [...path, name], message } : { path, message: `has a name that ${message}` },
  );
}

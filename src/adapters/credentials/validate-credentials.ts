import { conflictIssues } from '../../domain/configuration/conflict-issues.ts';
import {
  type CredentialIssue,
  listAccountEntries,
  listSchemaIssues,
  schemaMessage,
} from '../../domain/configuration/credential-issue.ts';
import { type CredentialsContent, credentialsHeadSchema } from '../../domain/configuration/credentials-schema.ts';
import { accountSchema, type ConfiguredAccount } from '../../domain/model/configured-account.ts';

/** A validated document. Complete if there are no issues; otherwise without invalid accounts. */
export interface Validation {
  readonly content: CredentialsContent;
  readonly issues: readonly CredentialIssue[];
}

/**
 * Validates a credentials document, as a file has it and as an edit makes it: its schema, then what
 * entries say of each other. The keys are not opened.
 */
export function validateCredentials(document: unknown): Validation {
  const head = credentialsHeadSchema.safeParse(document, { error: schemaMessage });
  const issues: CredentialIssue[] = head.success ? [] : [...listSchemaIssues(head.error.issues)];
  const places = new Map<number, ConfiguredAccount>();
  for (const [index, entry] of listAccountEntries(document).entries()) {
    const account = accountSchema.safeParse(entry, { error: schemaMessage });
    if (account.success) places.set(index, account.data);
    else issues.push(...listSchemaIssues(account.error.issues, ['accounts', index]));
  }
  const accounts = [...places.values()];
  if (!head.success) return { content: { version: 1, platforms: [], accounts }, issues };
  const content = { ...head.data, accounts };
  issues.push(...conflictIssues(head.data, places));
  return { content, issues };
}

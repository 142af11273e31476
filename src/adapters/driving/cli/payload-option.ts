import { InvalidArgumentError } from 'commander';
import type { WrittenRule } from '../../../domain/model/complete-rule.ts';
import { PAYLOAD_RULES } from '../../../domain/model/payload-rule.ts';
import { findDuplicateMembers } from '../../../json-text/duplicate-members.ts';
import { printable } from './printable-text.ts';

/**
 * A payload rule with options, as the credentials file writes it. The options are checked where they are written into it.
 * @throws InvalidArgumentError when it is no JSON object that names a rule, or a member stands twice in it
 */
export function parsePayload(text: string): WrittenRule {
  const written = parseJson(text);
  if (!isWrittenRule(written)) {
    throw new InvalidArgumentError(
      `It has to be a JSON object such as {"rule":"query","sort":true}; its rule is one of ${PAYLOAD_RULES.join(', ')}.`,
    );
  }
  assertNoDuplicates(text, written);
  return written;
}

function assertNoDuplicates(text: string, written: WrittenRule): void {
  const search = findDuplicateMembers(text, written, 1);
  if (search.outcome === 'nested-too-deeply') throw new InvalidArgumentError('It is nested too deeply for any rule.');
  const [duplicate] = search.duplicates;
  if (duplicate === undefined) return;
  throw new InvalidArgumentError(
    `The member ${printable(JSON.stringify(duplicate.name))} stands twice in it; remove one.`,
  );
}

function isWrittenRule(written: unknown): written is WrittenRule {
  if (typeof written !== 'object' || written === null || !('rule' in written)) return false;
  return PAYLOAD_RULES.some((rule) => rule === written.rule);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

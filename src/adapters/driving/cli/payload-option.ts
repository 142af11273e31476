import { InvalidArgumentError } from 'commander';
import type { WrittenRule } from '../../../domain/model/complete-rule.ts';
import { PAYLOAD_RULES } from '../../../domain/model/payload-rule.ts';

/**
 * A payload rule with options, as the credentials file writes it. The options are checked where they are written into it.
 * @throws InvalidArgumentError when it is no JSON object that names a rule
 */
export function parsePayload(text: string): WrittenRule {
  const written = parseJson(text);
  if (isWrittenRule(written)) return written;
  throw new InvalidArgumentError(
    `It has to be a JSON object such as {"rule":"query","sort":true}; its rule is one of ${PAYLOAD_RULES.join(', ')}.`,
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

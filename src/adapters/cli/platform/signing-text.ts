import type { Platform } from '../../../domain/model/platform.ts';
import type { Send } from '../../../domain/model/send.ts';

/**
 * What the signatures of a platform are if a rule of it makes tokens, a clause that names the form
 * in responses, `jws-compact`; undefined if none does.
 */
export function findTokenForm({
  payload,
  rules = {},
  encoding,
}: Pick<Platform, 'payload' | 'rules' | 'encoding'>): string | undefined {
  const usual = encoding ?? 'the default encoding';
  const named = Object.entries(rules);
  const tokens = named.filter(([, { rule }]) => rule === 'jwt').map(([name]) => name);
  if (payload.rule !== 'jwt') {
    return tokens.length === 0 ? undefined : `signatures in ${usual}; with rule ${tokens.join(', ')} ${TOKENS}`;
  }
  const others = named.filter(([, { rule }]) => rule !== 'jwt');
  const except = others.map(([name, rule]) => `; with rule ${name} signatures in ${rule.encoding ?? usual}`);
  return `${TOKENS}${except.join('')}`;
}

/** Where requests are sent: origins, or a WebSocket. */
export function formatTarget(send: Send): string {
  return 'origins' in send ? send.origins.join(', ') : 'a WebSocket';
}

const TOKENS = 'signatures are whole tokens (jws-compact)';

import { isPlainText } from '../../../domain/payload/plain-text.ts';
import type { ServiceLogEvent } from './service-log-line.ts';
import { escapeTreacherous } from './treacherous-characters.ts';

/** As many facts as `loggable` shows. */
const MAX_FACTS = 100;

type Facts = { readonly [name: string]: unknown };

/**
 * The line of `jsonLine` for facts that are nothing but texts, finite numbers, booleans and nulls, as those of each answered request are. `loggable` shows these as they are, and takes longer to find that out and
 * to copy them than this takes to write them. Null for all others.
 */
export function plainLine({ time, level, message }: Omit<ServiceLogEvent, 'facts'>, facts: Facts): string | null {
  try {
    if (Object.getPrototypeOf(facts) !== Object.prototype) return null;
    let members = '';
    let count = 0;
    for (const name of Object.keys(facts)) {
      const value = plainText(facts[name]);
      count += 1;
      if (value === null || count > MAX_FACTS) return null;
      members += members === '' ? `${quoted(name)}:${value}` : `,${quoted(name)}:${value}`;
    }
    return `{"time":"${time}","level":"${level}","message":${quoted(message)},"facts":{${members}}}`;
  } catch {
    return null;
  }
}

function plainText(value: unknown): string | null {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'boolean' || value === null) return String(value);
  return typeof value === 'number' && Number.isFinite(value) ? JSON.stringify(value) : null;
}

function quoted(text: string): string {
  return isPlainText(text) ? `"${text}"` : escapeTreacherous(JSON.stringify(text));
}

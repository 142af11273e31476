import type { SignedValue } from '../model/signed-content.ts';
import { type Spellings, UniqueNames } from './signed-value.ts';

const INSTRUCTION = 'instruction';

/**
 * Decodes the text that rule `backpack` signs: `instruction=…` and parameters, once for each set,
 * then timestamp and window; signed before it is encoded. No parameter has
 * one of these three names. Nothing for a set whose names are not {@link UniqueNames}.
 */
export function readBackpackText(text: string, spellings: Spellings): { readonly [field: string]: SignedValue } {
  const pairs = text.split('&').map(toPair);
  const [timestamp, window] = pairs.splice(-2).map(([, value]) => value);
  const orders: Map<string, string>[] = [];
  let names = new UniqueNames(spellings);
  for (const [name, value] of pairs) {
    if (name === INSTRUCTION) {
      orders.push(new Map());
      names = new UniqueNames(spellings);
    } else if (names.add(name)) orders.at(-1)?.set(name, value);
    else return {};
  }
  const [[, instruction] = ['', '']] = pairs;
  const [params] = orders;
  return {
    instruction,
    orders,
    timestamp: timestamp ?? '',
    window: window ?? '',
    ...(params === undefined || orders.length > 1 ? {} : { params }),
  };
}

function toPair(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1)];
}

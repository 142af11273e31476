import { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import { RedisAddress } from '../redis/redis-address.ts';
import { type SettingValues, settingSchema } from './setting-schema.ts';

const NAMES = Object.keys(settingSchema.shape) as readonly (keyof SettingValues)[];

/** Settings by their names, as a log may show them. */
interface ByName {
  readonly [name: string]: string | number | boolean;
}

/** What is in force, apart by whether the environment says it. */
export interface ShownSettings {
  readonly given: ByName;
  readonly byDefault: ByName;
}

/**
 * What is in force, for the service log: a password in the address of Redis is masked, and no other setting holds a secret.
 * @param given names of those that the environment has
 * @param found what was found in the place of settings that are not given and have no default of their own
 */
export function shownSettings(
  values: SettingValues,
  given: readonly string[],
  found: Partial<SettingValues>,
): ShownSettings {
  const isGiven = (name: string) => given.includes(name);
  const shown = NAMES.flatMap((name) => {
    const value = values[name] ?? found[name];
    return value === undefined ? [] : [[name, shownValue(value)] as const];
  });
  return {
    given: Object.fromEntries(shown.filter(([name]) => isGiven(name))),
    byDefault: Object.fromEntries(shown.filter(([name]) => !isGiven(name))),
  };
}

function shownValue(value: Exclude<SettingValues[keyof SettingValues], undefined>): string | number | boolean {
  if (value instanceof NetworkList) return value.networks.join(',');
  return value instanceof RedisAddress ? value.shown : value;
}

import { InvalidArgumentError } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import { findPreset, VENUE_PRESETS } from '../../../domain/presets/venue-presets.ts';

/** Names of all presets. */
export const PRESET_NAMES: readonly string[] = VENUE_PRESETS.map(({ name }) => name);

/** The preset of that name. @throws InvalidArgumentError that names the nearest one, or where they are listed */
export function parsePreset(name: string): VenuePreset {
  const preset = findPreset(name);
  if (preset !== undefined) return preset;
  const nearest = closest(name.toLowerCase(), PRESET_NAMES);
  const isNear = distance(name.toLowerCase(), nearest) <= Math.max(1, name.length / 3);
  throw new InvalidArgumentError(
    `There is no preset of that name.${isNear ? ` Did you mean ${nearest}?` : ''} \`platform presets\` lists them.`,
  );
}

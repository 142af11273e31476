import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { listSchemaIssues, renderPath, schemaMessage } from '../../domain/configuration/credential-issue.ts';
import { formatIssues, OperatorError } from '../../domain/model/errors.ts';
import type { NamedRule } from '../../domain/model/platform.ts';
import { programPath } from '../../program/program-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { type RuleExplanation, type Venue, type VenuePreset, venueSchema } from './venue-schema.ts';

/** Beside the built code: in an image, `config` is a volume. */
const FOLDER = programPath('venues', 'config/venues');

const REMEDY = 'The venues belong to the program: install it again.';

let venues: readonly Venue[] | undefined;

/**
 * The venues of this version, by the names of their files.
 * @throws OperatorError naming file and member, for a file that is missing, unreadable or invalid
 */
export function listVenues(): readonly Venue[] {
  venues ??= readVenues(FOLDER);
  return venues;
}

/** The presets of all venues, by name; throws like {@link listVenues}. */
export function listPresets(): readonly VenuePreset[] {
  return listVenues()
    .flatMap(({ presets }) => presets)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The preset of that name; undefined: none. Throws like {@link listVenues}. */
export function findPreset(name: string): VenuePreset | undefined {
  return listPresets().find((preset) => preset.name === name);
}

/** A rule of a preset with its explanation. */
export interface PresetRule extends RuleExplanation {
  /** Absent: the default rule. */
  readonly name?: string;
  readonly rule: NamedRule;
}

/** The rules of a preset, the default rule first. */
export function listPresetRules(preset: VenuePreset): readonly PresetRule[] {
  const { venue, docs, notes, texts, example, platform, rules = {} } = preset;
  const named = Object.entries(platform.rules ?? {}).flatMap(([name, rule]) => {
    const explained = rules[name];
    return explained === undefined ? [] : [{ name, rule, ...explained }];
  });
  return [{ rule: platform.payload, venue, docs, notes, texts, example }, ...named];
}

/**
 * Reads the venues of a folder.
 * @throws OperatorError as {@link listVenues}
 */
export function readVenues(folder: string): readonly Venue[] {
  const files = attempt(folder, () => readdirSync(folder)).filter((file) => file.endsWith('.json'));
  if (files.length === 0) throw new OperatorError(`${shown(folder)} has no venues. ${REMEDY}`);
  const found = files.toSorted().map((file) => readVenue(join(folder, file)));
  const names = found.flatMap(({ presets }) => presets.map(({ name }) => name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new OperatorError(`${shown(folder)} has two presets named ${twice}. ${REMEDY}`);
  return found;
}

function readVenue(file: string): Venue {
  const text = attempt(file, () => readFileSync(file, 'utf8'));
  const parsed = venueSchema.safeParse(parse(file, text), { error: schemaMessage });
  if (parsed.success) return { id: basename(file, '.json'), ...parsed.data };
  const issues = listSchemaIssues(parsed.error.issues).map(({ path, message }) => ({
    path: renderPath(path),
    message,
  }));
  throw new OperatorError(`${shown(file)}: ${formatIssues(issues)} ${REMEDY}`);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`${shown(file)} is not valid JSON. ${REMEDY}`, { cause: error });
  }
}

function attempt<Result>(path: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new OperatorError(`${shown(path)} cannot be read (${systemErrorCode(error)}). ${REMEDY}`, { cause: error });
  }
}

/** As typed from here. */
function shown(path: string): string {
  const local = relative('.', path);
  return local.startsWith('..') ? path : local;
}

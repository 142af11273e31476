import { isMacAlgorithm } from '../../../domain/model/algorithm.ts';
import type { WrittenRule } from '../../../domain/model/complete-rule.ts';
import type { VenuePreset } from '../../../domain/presets/venue-preset.ts';
import type { PlatformWish } from '../../../domain/services/account-administration-service.ts';

/** Options of `platform add` that say what the platform is. */
export interface PlatformOptions {
  readonly preset?: VenuePreset;
  readonly platform?: string;
  readonly format?: PlatformWish['format'];
  readonly algorithm?: PlatformWish['algorithms'];
  readonly encoding?: PlatformWish['encoding'];
  readonly rule?: PlatformWish['rule'];
  readonly payload?: WrittenRule;
  readonly secretDecoding?: PlatformWish['secretDecoding'];
  readonly verifyMac?: true;
  readonly auditClear?: PlatformWish['auditClear'];
}

/** What `platform add` has to add: what its preset says, and over that what its options say. Or a text: what is missing. */
export function platformWish(options: PlatformOptions): PlatformWish | string {
  const { preset } = options;
  const platformId = options.platform ?? preset?.name;
  if (platformId === undefined) return 'name the platform with --platform, or a --preset';
  const format = options.format ?? preset?.platform.format;
  if (format === undefined) return 'say what its data looks like with --format, or name a --preset';

  const algorithms = options.algorithm ?? preset?.platform.algorithms;
  const encoding = options.encoding ?? preset?.platform.encoding;
  const payload = options.payload ?? (options.rule === undefined ? preset?.platform.payload : undefined);
  return {
    platformId,
    format,
    ...(algorithms === undefined ? {} : { algorithms }),
    ...(encoding === undefined ? {} : { encoding }),
    ...(options.rule === undefined ? {} : { rule: options.rule }),
    ...(payload === undefined ? {} : { payload }),
    ...secretDecoding(options),
    ...(options.verifyMac ? { verify: { mac: true } } : {}),
    ...(options.auditClear === undefined ? {} : { auditClear: options.auditClear }),
  };
}

/** The preset's goes with its algorithm. */
function secretDecoding(options: PlatformOptions): Pick<PlatformWish, 'secretDecoding'> {
  const { preset, algorithm } = options;
  const ofPreset = algorithm?.some(isMacAlgorithm) === false ? undefined : preset?.platform.secretDecoding;
  const decoding = options.secretDecoding ?? ofPreset;
  return decoding === undefined ? {} : { secretDecoding: decoding };
}

import { fail, type Outcome, warning } from './outcome.ts';

/** Minimum minor version per major; later majors are supported. */
const MIN_RELEASES: readonly (readonly [major: number, minor: number])[] = [
  [20, 19],
  [22, 12],
];

/** Day on which the tables of this file were compared with their sources. Update it with them. */
const TABLES_CHECKED = '2026-11-23';

/** Older tables are not trusted: Node fixes vulnerabilities several times a year. */
const MAX_TABLE_AGE_MS = 270 * 24 * 60 * 60 * 1000;

const SCHEDULE = 'https://nodejs.org/en/about/previous-releases';

/** Last day of security fixes (https://github.com/nodejs/release#release-schedule). */
const ENDS_OF_LIFE: { readonly [major: number]: string } = {
  20: '2026-04-30',
  22: '2027-04-30',
  24: '2028-04-30',
  26: '2029-04-30',
};

/** First releases with the fix of hidden HTTP headers (CVE-2026-58044); none of 20. */
const HEADERS_FIXED: { readonly [major: number]: readonly [minor: number, patch: number] } = {
  22: [23, 2],
  24: [18, 1],
  26: [5, 1],
};

/**
 * Whether this Node is supported and still gets security fixes.
 * @param version `20.19.0`
 * @param now Unix milliseconds
 */
export function checkNodeRelease(version: string = process.versions.node, now: number = Date.now()): Outcome {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (!isSupported(major, minor)) {
    return fail(`${version} is not supported`, 'Use Node 20.19 or newer, or 22.12 or newer.');
  }
  const end = ENDS_OF_LIFE[major];
  if (end === undefined) {
    return warning(
      `${version}; its end of life is unknown: this version of the service knows the releases of ${TABLES_CHECKED}`,
      `Use a long-term support release (22 or 24), or check ${SCHEDULE}.`,
    );
  }
  if (new Date(now).toISOString().slice(0, 10) > end) {
    return warning(
      `${version} has had no security fixes since ${end}`,
      'Use a newer long-term support release, such as 24.',
    );
  }
  const fixed = HEADERS_FIXED[major];
  if (fixed !== undefined && (minor < fixed[0] || (minor === fixed[0] && patch < fixed[1]))) {
    return warning(
      `${version} lacks the fix of CVE-2026-58044 (HTTP headers beyond a limit are hidden from applications)`,
      `Use Node ${major}.${fixed.join('.')} or newer. This service rejects requests with that many headers; other fixes may be missing.`,
    );
  }
  const message = `${version}, with security fixes until ${end}`;
  if (now - Date.parse(TABLES_CHECKED) <= MAX_TABLE_AGE_MS) return message;
  return warning(
    `${message}, as known on ${TABLES_CHECKED}; later vulnerabilities are unknown to this version of the service`,
    `Update the service, or compare the release with ${SCHEDULE}.`,
  );
}

function isSupported(major: number, minor: number): boolean {
  const newest = MIN_RELEASES.at(-1)?.[0] ?? 0;
  return major > newest || MIN_RELEASES.some(([minMajor, minMinor]) => major === minMajor && minor >= minMinor);
}

import { Workplace } from './service-process.ts';

/** Command lines that add `alpha/main`, an ed25519 account whose platform takes any data. */
export const ALPHA: readonly string[] = [
  'platform add --platform alpha --format any',
  'account add --platform alpha --account main --algorithm ed25519',
];

/** An installation for all tests of a suite, made by `init` and then by these command lines. */
export function useWorkplace(
  lines: readonly string[] = [],
  environment: { readonly [name: string]: string } = {},
): Workplace {
  const place = new Workplace(environment);
  before(async () => {
    await place.prepare('init');
    for (const line of lines) await place.prepare(...line.split(' '));
  });
  after(() => place.remove());
  return place;
}

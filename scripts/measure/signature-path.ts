import { Session } from 'node:inspector/promises';
import { addSigner } from '../../tests/harness/image-service.ts';
import { print } from '../../tests/harness/print.ts';
import { Workplace } from '../../tests/harness/service-process.ts';

/*
 * Files and functions that one `POST /api/v1/sign` executes, by V8's coverage of a service in this
 * process; --list prints the files with their calls.
 *
 * npm run measure -- signature-path [--list]
 */

/** Timers add functions to some attempts; the smallest count is the signature's. */
const ATTEMPTS = 8;
const WARM_UP = 20;

const place = new Workplace({ SIGNING_LOG_LEVEL: 'error' });
const coverage = new Session();
try {
  await place.prepare('init');
  await addSigner(place);
  coverage.connect();
  await coverage.post('Profiler.enable');
  await coverage.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const service = await place.startHere();
  const data = { instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy' }, nonce: 1 };
  const sign = () => service.post('/sign', { platformId: 'alpha', accountId: 'main', data });
  for (let count = 0; count < WARM_UP; count += 1) await sign();
  const paths: (readonly Called[])[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await takeCalled();
    await sign();
    paths.push(await takeCalled());
  }
  const [path = []] = paths.toSorted((left, right) => left.length - right.length);
  const files = [...new Set(path.map(({ file }) => file))];
  const countCalls = (called: readonly Called[]) => called.reduce((sum, { calls }) => sum + calls, 0);
  const callsOf = (wanted: string) => countCalls(path.filter(({ file }) => file === wanted));
  if (process.argv.includes('--list')) for (const file of files) print(`${file}  ${callsOf(file)}`);
  print(`One signature executes ${files.length} files, ${path.length} functions, ${countCalls(path)} calls.`);
} finally {
  await place.remove();
}

/** A function of the service that was called. */
interface Called {
  readonly file: string;
  readonly calls: number;
}

/** Since the last time; without modules' own code and the compiler's helper `__name`. */
async function takeCalled(): Promise<readonly Called[]> {
  const { result } = await coverage.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    const [, file] = /^file:.*\/src\/([^?]+)/.exec(url) ?? [];
    if (file === undefined || url.includes('/node_modules/')) return [];
    return functions
      .filter(({ functionName }) => functionName !== '__name')
      .flatMap(({ ranges: [range] }) =>
        range === undefined || range.count === 0 ? [] : [{ file, calls: range.count }],
      );
  });
}

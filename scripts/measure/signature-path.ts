import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addSigner, startUnread } from '../../tests/harness/image-service.ts';
import { print } from '../../tests/harness/print.ts';
import { Workplace } from '../../tests/harness/service-process.ts';

/*
 * Files and functions that one `POST /api/v1/sign` executes, by V8's coverage; --list prints the
 * files with their calls.
 *
 * npm run measure -- signature-path [--list]
 */

const HOOK = new URL('./coverage-hook.mjs', import.meta.url).href;
/** Timers add functions to some attempts; the smallest count is the signature's. */
const ATTEMPTS = 8;
const WARM_UP = 20;

/**
 * The fields used of V8's coverage
 * (https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ScriptCoverage).
 */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

interface SignaturePath {
  /** Calls by file. */
  readonly files: ReadonlyMap<string, number>;
  readonly functions: number;
  readonly calls: number;
}

const place = new Workplace({ SIGNING_LOG_LEVEL: 'error' });
const coverageFile = join(place.folder, 'coverage.json');
try {
  await place.prepare('init');
  await addSigner(place);
  Object.assign(place.environment, { COVERAGE_FILE: coverageFile, NODE_OPTIONS: `--import=${HOOK}` });
  const service = await startUnread(place);
  const data = { instruction: { type: 'limit', market: 'SOL-USDC', side: 'buy' }, nonce: 1 };
  const sign = () => service.post('/sign', { platformId: 'alpha', accountId: 'main', data });
  for (let count = 0; count < WARM_UP; count += 1) await sign();
  const paths: SignaturePath[] = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    await sleep(300);
    await takeCoverage(service.process.pid);
    await sign();
    paths.push(toPath(await takeCoverage(service.process.pid)));
  }
  const [path] = paths.toSorted((left, right) => left.functions - right.functions);
  if (path === undefined) throw new Error('Nothing was covered.');
  if (process.argv.includes('--list')) for (const [file, calls] of path.files) print(`${file}  ${calls}`);
  print(`One signature executes ${path.files.size} files, ${path.functions} functions, ${path.calls} calls.`);
} finally {
  await place.remove();
}

async function takeCoverage(pid: number): Promise<readonly ScriptCoverage[]> {
  rmSync(coverageFile, { force: true });
  process.kill(pid, 'SIGPROF');
  while (!existsSync(coverageFile)) await sleep(5);
  return JSON.parse(readFileSync(coverageFile, 'utf8'));
}

function toPath(coverage: readonly ScriptCoverage[]): SignaturePath {
  const files = new Map<string, number>();
  let functions = 0;
  let calls = 0;
  for (const { url, functions: covered } of coverage) {
    const [, file] = /^file:.*\/dist\/(.+)$/.exec(url) ?? [];
    if (file === undefined || url.includes('/node_modules/')) continue;
    for (const { ranges } of covered) {
      const count = ranges[0]?.count ?? 0;
      if (count === 0) continue;
      functions += 1;
      calls += count;
      files.set(file, (files.get(file) ?? 0) + count);
    }
  }
  return { files, functions, calls };
}

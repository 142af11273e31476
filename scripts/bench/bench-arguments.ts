import { parseArgs } from 'node:util';
import { argumentFault } from '../stage/known-options.ts';

/** What somebody asked `npm run bench` for. */
export interface BenchArguments {
  readonly isHelp: boolean;
  readonly isQuick: boolean;
  /** Folder to write the results to; null: none was named. */
  readonly out: string | null;
  /** File of a run to compare with. */
  readonly check: string | null;
}

/** What the arguments mean. */
export const BENCH_HELP = `npm run bench [-- OPTION...]

How fast the service is, beside what the machine could do, measured in one run: under three minutes, no network. Nobody else should use the machine meanwhile.

  --quick       the main ratios, in half a minute; writes nothing unless --out says where
  --out DIR     writes latest.json and latest.svg there, instead of docs/performance
  --check FILE  compares the ratios with those of a run before, such as docs/performance/baseline.json (a latest.json that is kept),
                and ends with 1 when one is more than 20 % lower, or when other programs were busy, so that nothing can be
                told; with 2 when the file can't be compared with: a quick run with a quick one, a full one with a full one
  --help        this

Exit codes: 0 measured, whether targets are reached or not; 1 not measured, not judged, or worse than the run before; 2 wrong
arguments, or a folder or file that can't be used.
`;

/** @throws TypeError that names an argument that is not known, and those that are */
export function benchArguments(args: readonly string[]): BenchArguments {
  const { values } = parsed(args);
  if (values.out === '') throw new TypeError('--out needs a folder.');
  return {
    isHelp: values.help,
    isQuick: values.quick,
    out: values.out ?? null,
    check: values.check ?? null,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        out: { type: 'string' },
        check: { type: 'string' },
      },
    });
  } catch (error) {
    throw new TypeError(`${argumentFault(error)}. Known are --quick, --out DIR, --check FILE and --help.`);
  }
}

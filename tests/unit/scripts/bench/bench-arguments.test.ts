import { expect } from 'chai';
import { BENCH_HELP, benchArguments } from '../../../../scripts/bench/bench-arguments.ts';

const NONE = { isHelp: false, isQuick: false, out: null, check: null };

describe('The arguments of npm run bench', () => {
  it('are all optional', () => {
    expect(benchArguments([])).to.deep.equal(NONE);
    expect(benchArguments(['--quick', '--out', 'there', '--check', 'before.json'])).to.deep.equal({
      ...{ isHelp: false, isQuick: true, out: 'there', check: 'before.json' },
    });
    expect(benchArguments(['--help'])).to.deep.equal({ ...NONE, isHelp: true });
  });

  it('are refused where they are not known, or lack their value, with those that are known', () => {
    for (const args of [['--fast'], ['quick'], ['--check'], ['--out'], ['--quick=yes'], ['-q']]) {
      expect(() => benchArguments(args), args.join(' ')).to.throw(
        TypeError,
        /--quick, --out DIR, --check FILE and --help/,
      );
    }
    expect(() => benchArguments(['--fast'])).to.throw("'--fast'");
  });

  it('are refused in one line', () => {
    for (const args of [['--out', '--quick'], ['--out=']]) {
      expect(() => benchArguments(args), args.join(' ')).to.throw(TypeError, /^[^\n]+$/);
    }
  });

  it('stand all in the help', () => {
    for (const name of ['--quick', '--out DIR', '--check FILE', '--help']) expect(BENCH_HELP).to.include(`  ${name} `);
  });
});

import { expect } from 'chai';
import { isDisturbed } from '../../../scripts/bench/disturbance.ts';

const FIELDS = ['user', 'nice', 'system', 'idle', 'iowait', 'irq', 'softirq', 'steal', 'guest', 'guest_nice'] as const;

/** /proc/stat by proc_stat(5); fields in hundredths of a second. */
function stat(ticks: { readonly [field in (typeof FIELDS)[number]]?: number }): string {
  const all = FIELDS.map((field) => 1000 + (ticks[field] ?? 0)).join(' ');
  return `cpu  ${all}\ncpu0 ${all}\nintr 5 1 2\nctxt 7\n`;
}

describe('Disturbed rounds of the benchmark', () => {
  // Two seconds of one processor, or one second of two.
  const rounds: readonly (readonly [words: string, ticks: Parameters<typeof stat>[0], own: number, is: boolean])[] = [
    ['an idle machine', { idle: 200 }, 0, false],
    ['only own processes', { user: 120, nice: 10, system: 50, softirq: 5, idle: 15 }, 1.85, false],
    ['others within a tenth', { user: 118, idle: 82 }, 1, false],
    ['others above a tenth', { user: 122, idle: 78 }, 1, true],
    ['others of low priority, and interrupts', { user: 100, nice: 10, irq: 6, softirq: 6, idle: 78 }, 1, true],
    ['time that the host took', { user: 100, steal: 22, idle: 78 }, 1, true],
    ['time of guests, which is part of user time', { user: 118, guest: 18, idle: 82 }, 1, false],
    ['waiting for a disk', { user: 100, iowait: 90, idle: 10 }, 1, false],
  ];
  for (const [words, ticks, own, is] of rounds) {
    it(`${is ? 'marks' : 'does not mark'} ${words}`, () => {
      expect(isDisturbed(stat({}), stat(ticks), own)).to.equal(is);
    });
  }
});

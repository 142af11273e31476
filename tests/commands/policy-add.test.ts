import { expect } from 'chai';
import { findPreset } from '../../src/adapters/venues/venue-files.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import { commandOn } from '../harness/command-on.ts';

function presetPlatform(name: string, more: Partial<Platform> = {}): Platform {
  const preset = findPreset(name);
  if (preset === undefined) throw new Error(name);
  return { platformId: name, ...preset.platform, ...more };
}

const OKX = presetPlatform('okx');

const run = (args: readonly string[], platforms: readonly Platform[] = [OKX]) =>
  commandOn({ platforms }, ['policy', 'add', ...args]);

describe('policy add', () => {
  it('takes a platform of another name, and audit mode', async () => {
    const desk = { ...OKX, platformId: 'Desk.1', rules: { fix: { rule: 'raw' } } } as const;
    const args = ['--platform', 'Desk.1', '--preset', 'okx', '--policy', 'trade-only', '--mode', 'audit'];
    const { after, stdout } = await run(args, [desk]);
    const [policy] = after.policies;
    expect(policy).to.deep.include({ name: 'desk-1-trade-only', accounts: ['Desk.1/*'], mode: 'audit' });
    expect(policy?.when).not.to.include('login');
    expect(stdout).to.include('it denies nothing');
    const { stdout: json } = await run([...args, '--json'], [desk]);
    expect(JSON.parse(json).policies).to.deep.equal([policy]);
  });

  it("warns that the policies deny all of a rule that is not the preset's", async () => {
    const args = ['--platform', 'okx', '--policy', 'no-withdrawals'];
    const platforms = [{ ...OKX, rules: { login: { rule: 'raw' } } }] as const;
    const { after, stdout } = await run(args, platforms);
    const [policy] = after.policies;
    expect(policy?.when).not.to.include('"login"');
    expect(stdout).to.include('rule login is not of preset okx, so its ready-made policies deny every request by it');
    expect(JSON.parse((await run([...args, '--json'], platforms)).stdout).cautions).to.have.length(1);
  });

  for (const [name, args, platforms, reason] of [
    ['an unknown platform', ['--platform', 'okx'], [], 'Platform "okx" does not exist'],
    ['a platform named like no preset', ['--platform', 'desk'], [], 'Preset desk does not exist; use --preset'],
    ['a preset without policies', ['--platform', 'bybit'], [presetPlatform('bybit')], 'no ready-made policies'],
    [
      'other rules',
      ['--platform', 'okx'],
      [{ platformId: 'okx', format: 'any', algorithms: ['ed25519'], payload: { rule: 'raw' } }],
      'The payload rule of platform okx differs from that of preset okx',
    ],
  ] as const) {
    it(`refuses ${name}`, async () => {
      const { after, stderr, exitCode } = await run([...args, '--policy', 'trade-only'], platforms);
      expect(stderr).to.include(reason);
      expect([after.policies, exitCode]).to.deep.equal([undefined, 2]);
    });
  }
});

import { expect } from 'chai';
import { listPresetRules, listPresets } from '../../src/adapters/venues/venue-files.ts';
import { toSigningRule } from '../../src/domain/model/platform.ts';
import { commandOn } from '../harness/command-on.ts';

const run = (...args: readonly string[]) => commandOn({}, ['platform', 'presets', ...args]);

describe('platform presets', () => {
  it('lists every preset with its venue and algorithm', async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).to.equal(0);
    const [headings, ...rows] = stdout.split('\n');
    expect(headings).to.match(/^PRESET +VENUE +NAMED RULES +ALGORITHM$/);
    const presets = listPresets();
    for (const [index, { name, venue, platform }] of presets.entries()) {
      const row = rows[index]?.split(/ {2,}/);
      const rules = Object.keys(platform.rules ?? {}).join(', ') || '-';
      expect(row).to.deep.equal([name, venue, rules, platform.algorithms.join(', ')]);
    }
    const after = ['', 'For details: signing-service platform presets NAME', ''];
    expect(rows.slice(presets.length)).to.deep.equal(after);
  });

  it('explains each: key file and values, and of each rule its page, notes and example', async () => {
    for (const preset of listPresets()) {
      const { name, keyFile, keyFormat, values = {} } = preset;
      const { stdout } = await run(name);
      const ofRules = listPresetRules(preset).flatMap(({ rule, docs, notes, example }) => [
        ...[JSON.stringify(toSigningRule(rule)), docs, ...notes, example.signature, example.source.url],
      ]);
      const format = keyFormat === undefined ? [] : [`--key-format ${keyFormat}`];
      for (const text of [keyFile, ...format, ...Object.keys(values), ...ofRules]) {
        expect(stdout, name).to.include(text);
      }
      expect(stdout.replaceAll('\n', ''), name).to.not.match(/\p{Cc}/u);
    }
    expect((await run('bybit')).stdout).to.include('the test key "test-secret", with apiKey=test-key\n');
    expect((await run('kraken')).stdout).to.include('payload, in hexadecimal\n  2f30');
  });
});

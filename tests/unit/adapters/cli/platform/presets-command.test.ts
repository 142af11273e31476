import { expect } from 'chai';
import { platformPresetsCommand } from '../../../../../src/adapters/cli/platform/presets-command.ts';
import { listPresetRules, listPresets } from '../../../../../src/adapters/venues/venue-files.ts';
import { toSigningRule } from '../../../../../src/domain/model/platform.ts';
import { runCommand } from '../run-command.ts';

const run = (...args: readonly string[]) => runCommand(platformPresetsCommand, args);

describe('platform presets', () => {
  it('lists every preset with its venue and algorithm', async () => {
    const { stdout, error } = await run();
    expect(error).to.equal(null);
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

  it('explains each: the page of the venue, the key file, and of each rule notes and the example', async () => {
    for (const preset of listPresets()) {
      const { name: presetName, keyFile, keyFormat, values } = preset;
      const { stdout } = await run(presetName);
      expect(stdout).to.include(keyFile);
      if (keyFormat !== undefined) expect(stdout).to.include(`--key-format ${keyFormat}`);
      for (const text of Object.keys(values ?? {})) expect(stdout, presetName).to.include(text);
      for (const { name, rule, venue, docs, notes, example } of listPresetRules(preset)) {
        const label = `${presetName} ${name}`;
        expect(stdout).to.include(
          `${name === undefined ? 'payload    ' : `rule       ${name}: `}${JSON.stringify(toSigningRule(rule))}\n`,
        );
        const explained = name === undefined ? stdout : stdout.split(`\nRule ${name}: ${venue}\n`)[1];
        if (name !== undefined) expect(explained, label).to.include(`add "rule":"${name}"`);
        for (const text of [docs, ...notes, example.signature, example.source.url]) {
          expect(explained, label).to.include(text);
        }
        const data = JSON.stringify(example.data, null, 2).replace(/^/gm, '  ');
        expect(explained, label).to.include(`example: data of the request\n${data}\n`);
        const { payloadHex, payload = payloadHex ?? '' } = example;
        const steersTerminal = /\p{Cc}/u.test(payload);
        expect(explained, label).to.include(`  ${steersTerminal ? JSON.stringify(payload) : payload}\n`);
      }
      expect(stdout.replaceAll('\n', ''), presetName).to.not.match(/\p{Cc}/u);
    }
    expect((await run('bybit')).stdout).to.include('the test key "test-secret", with apiKey=test-key\n');
    expect((await run('kraken')).stdout).to.include('payload, in hexadecimal\n  2f30');
  });
});

import { expect } from 'chai';
import { platformPresetsCommand } from '../../../../../src/adapters/cli/platform/presets-command.ts';
import { ALIAS_PRESETS, listPresetRules, VENUE_PRESETS } from '../../../../../src/domain/presets/venue-presets.ts';
import { runCommand } from '../run-command.ts';

const run = (...args: readonly string[]) => runCommand(platformPresetsCommand, args);

describe('platform presets', () => {
  it('lists every preset with its venue and algorithm', async () => {
    const { stdout, error } = await run();
    expect(error).to.equal(null);
    const [headings, ...rows] = stdout.split('\n');
    expect(headings).to.match(/^PRESET +VENUE +NAMED RULES +ALGORITHM$/);
    const listed = VENUE_PRESETS.filter((preset) => !ALIAS_PRESETS.includes(preset));
    for (const [index, { name, venue, platform }] of listed.entries()) {
      const row = rows[index]?.split(/ {2,}/);
      const rules = Object.keys(platform.rules ?? {}).join(', ') || '-';
      expect(row).to.deep.equal([name, venue, rules, platform.algorithms.join(', ')]);
    }
    expect(rows.slice(listed.length, -3)).to.deep.equal([
      '',
      'Aliases, each a preset with one named rule:',
      '  binance-fix: rule fix of binance-ed25519',
      '  binance-ws: rule websocket of binance',
      '  binance-ws-ed25519: rule websocket of binance-ed25519',
      '  hyperliquid-user: rule user of hyperliquid',
    ]);
    expect(stdout).to.match(/For details: signing-service platform presets NAME\n$/);
  });

  it('explains each: the page of the venue, the rule, the key file, the notes, the published example', async () => {
    for (const { name, docs, platform, keyFile, keyFormat, values, notes, example } of VENUE_PRESETS) {
      const { stdout } = await run(name);
      expect(stdout).to.include(docs).and.include(JSON.stringify(platform.payload)).and.include(keyFile);
      if (keyFormat !== undefined) expect(stdout).to.include(`--key-format ${keyFormat}`);
      for (const text of [...notes, ...Object.keys(values ?? {}), example.signature, example.source]) {
        expect(stdout, name).to.include(text);
      }
      const data = JSON.stringify(example.data, null, 2).replace(/^/gm, '  ');
      expect(stdout, name).to.include(`example: data of the request\n${data}\n`);
      const steersTerminal = /\p{Cc}/u.test(example.payload);
      expect(stdout, name).to.include(`  ${steersTerminal ? JSON.stringify(example.payload) : example.payload}\n`);
      expect(stdout.replaceAll('\n', ''), name).to.not.match(/\p{Cc}/u);
    }
  });

  it('explains the named rules of each, and the rule of an alias', async () => {
    for (const preset of VENUE_PRESETS) {
      const { stdout } = await run(preset.name);
      for (const { name, rule, preset: alone, alias } of listPresetRules(preset)) {
        expect(stdout).to.include(`rule       ${name}: ${JSON.stringify(rule)}\n`);
        const heading = `\nRule ${name}: ${alone.venue}${alias === null ? '' : ` (also preset ${alias})`}\n`;
        const explained = stdout.split(heading)[1];
        for (const text of [`add "rule":"${name}"`, ...alone.notes, alone.example.signature]) {
          expect(explained, `${preset.name} ${name}`).to.include(text);
        }
      }
    }
    expect((await run('binance-ws')).stdout).to.include('alias for rule websocket of preset binance\n');
    expect((await run('bybit')).stdout).to.include('the test key "test-secret", with apiKey=test-key\n');
    expect((await run('kraken')).stdout).to.include('payload, in hexadecimal\n  2f30');
  });
});

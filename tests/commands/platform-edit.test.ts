import { expect } from 'chai';
import type { WrittenPlatform } from '../../src/ports/credential-editor.ts';
import { sampleListedAccount } from '../doubles/credential-builder.ts';
import { commandOn } from '../harness/command-on.ts';
import { presetOf } from '../harness/venue-vectors.ts';

const DESK: WrittenPlatform = {
  platformId: 'desk',
  format: 'any',
  algorithms: ['ed25519'],
  payload: { rule: 'raw' },
  rules: { login: { rule: 'raw' }, fix: { rule: 'jcs' } },
  audit: { clear: ['price'] },
};

const edit = (...args: readonly string[]) =>
  commandOn({ platforms: [DESK] }, ['platform', 'edit', '--platform', 'desk', ...args]);

describe('platform edit', () => {
  it('changes what is named, says how, and keeps the text of the rest', async () => {
    const { audit: _, ...masked } = DESK;
    for (const [args, expected, text] of [
      [['--encoding', 'hex'], { ...DESK, encoding: 'hex' }, 'encoding: none → "hex"'],
      [
        ['--audit-clear', 'a', 'b'],
        { ...DESK, audit: { clear: ['a', 'b'] } },
        '{"clear":["price"]} → {"clear":["a","b"]}',
      ],
      [['--audit-mask'], masked, 'audit: {"clear":["price"]} → none'],
      [['--remove-rule', 'fix'], { ...DESK, rules: { login: { rule: 'raw' } } }, 'rules: '],
      [
        ['--add-rule', 'login={"rule":"jcs"}', '--remove-rule', 'fix'],
        { ...DESK, rules: { login: { rule: 'jcs' } } },
        '"login":{"rule":"raw"}',
      ],
      [['--rule', 'query'], { ...DESK, payload: { rule: 'query' } }, 'payload: {"rule":"raw"} → {"rule":"query"'],
    ] as const) {
      const { after, stdout, stderr } = await edit(...args);
      expect(stderr).to.equal('');
      expect(after.platforms).to.deep.equal([expected]);
      expect(stdout)
        .to.match(/^Platform desk changed\.\n/)
        .and.include(text);
    }
  });

  it('takes rules and how requests are sent from a preset', async () => {
    const { after } = await commandOn({ platforms: [{ platformId: 'okx', format: 'any', payload: { rule: 'raw' } }] }, [
      ...['platform', 'edit', '--platform', 'okx', '--preset', 'okx'],
    ]);
    expect(after.platforms).to.deep.equal([{ platformId: 'okx', ...presetOf('okx').platform }]);
  });

  for (const [args, reason] of [
    [['--remove-rule', 'none'], /has no rule "none"; nothing was changed/],
    [['--algorithm', 'eip191'], /Nothing was changed: account desk\/main/],
    [['--payload', '{"rule":"query","srt":true}'], /payload\.srt is an unknown field/],
    [[], /Set at least one option besides --platform/],
  ] as const) {
    it(`refuses ${args.join(' ') || 'nothing'}, and changes nothing`, async () => {
      const accounts = [sampleListedAccount({ platformId: 'desk' })];
      const line = ['platform', 'edit', '--platform', 'desk', ...args];
      const { after, stderr, exitCode } = await commandOn({ platforms: [DESK], accounts }, line);
      expect(exitCode).to.equal(2);
      expect(stderr).to.match(reason);
      expect(after.platforms).to.deep.equal([DESK]);
    });
  }
});

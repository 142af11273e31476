import { stripVTControlCharacters } from 'node:util';
import { expect } from 'chai';
import { formatDay, formatRecord, formatWarning } from '../../../../../src/adapters/cli/audit/tail-line.ts';
import type { AuditRecord } from '../../../../../src/domain/model/audit-entry.ts';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { ReloadResult } from '../../../../../src/domain/services/reload-description.ts';
import { sampleAuditRecord } from '../../../../doubles/sample-audit-entry.ts';
import { SAMPLE_RELOAD_RESULT } from '../../../../doubles/sample-reload-result.ts';

const PLAIN = { colour: false, columns: null };
const COLOURED = { colour: true, columns: null };
const OWN = {
  platformId: null,
  accountId: null,
  algorithm: null,
  payloadDigest: null,
  signatureDigest: null,
  durationMs: null,
  remoteAddress: null,
};

function record(fields: Partial<AuditRecord> = {}): AuditRecord {
  return sampleAuditRecord({ seq: 4711, ...fields });
}

describe('An audit tail line', () => {
  it('shows a signature', () => {
    expect(formatRecord(record({ principal: 'desk-7' }), false, PLAIN)).to.equal(
      '08:49:00.123  #4711  success  sign  alpha/main  ed25519  1.25ms  127.0.0.1  by desk-7  sha256:0a0a0a0a  ' +
        'instruction.type=limit instruction.market=SOL-USDC instruction.side=buy instruction.amount=[masked] nonce=1763628540123',
    );
  });

  it('includes the date if there is no heading', () => {
    expect(formatRecord(record(), true, PLAIN)).to.match(/^2026-11-20T08:49:00\.123Z {2}#4711 {2}success {2}sign /);
    expect(formatDay('2026-11-20T08:49:00.123Z', PLAIN)).to.equal('2026-11-20 UTC');
  });

  it('shows why a request was refused and omits unknown fields', () => {
    const refused = {
      outcome: 'refused',
      errorCode: 'ACCOUNT_NOT_FOUND',
      algorithm: null,
      payloadDigest: null,
    } as const;
    expect(formatRecord(record({ ...refused, data: null, durationMs: 12.3456 }), false, PLAIN)).to.equal(
      '08:49:00.123  #4711  refused  sign  alpha/main  ACCOUNT_NOT_FOUND  12.3ms  127.0.0.1',
    );
    expect(formatRecord(record({ ...OWN, outcome: 'failed', data: null }), false, PLAIN)).to.equal(
      '08:49:00.123  #4711  failed   sign  -/-',
    );
  });

  it('names the policies that decided', () => {
    const denied = { outcome: 'refused', errorCode: 'POLICY_DENIED', policy: 'trade-only', data: null } as const;
    expect(formatRecord(record(denied), false, PLAIN)).to.include('  POLICY_DENIED  policy trade-only  ');
    expect(formatRecord(record({ policy: 'orders,audit:small' }), false, PLAIN)).to.include(
      '  ed25519  policy orders,audit:small  ',
    );
  });

  it('describes other events', () => {
    const texts = (
      [
        { event: 'start', data: { version: '0.1.0', accounts: 3, ready: true, limits: { core: 0 } } },
        { event: 'reload', outcome: 'failed', errorCode: 'INVALID_DATA_FORMAT', data: null },
        { event: 'segment', data: { reason: 'size', auditPublicKey: 'AAAA=' } },
      ] as const
    ).map((fields) => formatRecord(record({ ...OWN, ...fields }), false, PLAIN).slice('08:49:00.123  #4711  '.length));
    expect(texts).to.deep.equal([
      'success  start    version=0.1.0 accounts=3 ready=true limits.core=0',
      'failed   reload   INVALID_DATA_FORMAT',
      'success  segment  new file: size, public key AAAA=',
    ]);
  });

  describe('of a reload', () => {
    const shown = (data: Partial<ReloadResult>) => {
      const whole = { trigger: 'watch', ...SAMPLE_RELOAD_RESULT, ...data } as unknown as JsonObject;
      return formatRecord(record({ ...OWN, event: 'reload', data: whole }), false, PLAIN).split('  reload   ')[1];
    };
    const { accounts, platforms, policies, previous } = SAMPLE_RELOAD_RESULT;

    it('reports that nothing changed', () => {
      expect(shown({})).to.equal('watch: no changes');
    });

    it('names what changed, and counts the rest', () => {
      const digest = `sha256:${'0a'.repeat(32)}`;
      expect(
        shown({
          accounts: {
            added: ['alpha/new', 'alpha/two'],
            removed: ['alpha/old'],
            rekeyed: [{ account: 'alpha/key', previousPublicKey: 'long', publicKey: 'longer' }],
            disabled: ['alpha/off'],
            enabled: ['alpha/on'],
            changed: [{ account: 'beta/main', fields: ['alias', 'platform'] }],
            more: { ...accounts.more, added: 7, changed: 1 },
          },
          keys: {
            ...SAMPLE_RELOAD_RESULT.keys,
            replaced: [{ account: 'alpha/key', previousKeyId: '4948f3f7aa205272', keyId: '8609a4a124a494ec' }],
          },
          platforms: {
            ...platforms,
            changed: ['beta', 'gamma'],
            changedFields: [{ platform: 'beta', fields: ['send.origins', 'payload'] }],
          },
          policies: { ...policies, changed: [{ name: 'orders', fields: ['when'], previousDigest: digest, digest }] },
          permissions: { added: 2, removed: 1, principals: ['desk 7', 'bot-*'], more: { principals: 0 } },
          previous: { ...previous, masterKeyIds: ['1f0c5d2a9b7e4863'] },
          masterKeyIds: ['2f0c5d2a9b7e4863'],
        }),
      ).to.equal(
        'watch: accounts added alpha/new,alpha/two,+7; accounts removed alpha/old; ' +
          'accounts rekeyed alpha/key(4948f3f7aa205272->8609a4a124a494ec); ' +
          'accounts disabled alpha/off; accounts enabled alpha/on; ' +
          'accounts changed beta/main(alias,platform),+1; ' +
          'platforms changed beta(send.origins,payload),gamma; policies changed orders(when); ' +
          'permissions +2 -1 "desk 7",bot-*; master keys 1f0c5d2a9b7e4863 -> 2f0c5d2a9b7e4863',
      );
    });

    it('points out a permissions list that began or ended, even without entries', () => {
      const permissionsDigest = `sha256:${'0a'.repeat(32)}`;
      expect(shown({ permissionsDigest })).to.equal('watch: permissions list added');
      expect(shown({ previous: { ...previous, permissionsDigest } })).to.equal('watch: permissions list removed');
    });

    it('says why it failed', () => {
      const issues = [
        { path: 'accounts[1].key', message: 'is missing (line 4, column 7)' },
        { path: '', message: 'Unreadable.' },
      ];
      const line = formatRecord(record({ ...OWN, event: 'reload', data: { trigger: 'watch', issues } }), false, PLAIN);
      expect(line).to.match(/ watch: accounts\[1\]\.key is missing \(line 4, column 7\); Unreadable\.$/);
    });
  });

  it('truncates deeply nested data', () => {
    let object: JsonValue = 'end';
    let list: JsonValue = 'end';
    for (let depth = 0; depth < 10_000; depth += 1) {
      object = { o: object };
      list = [list];
    }
    const line = formatRecord(record({ ...OWN, data: { object, list } }), false, PLAIN);
    expect(line).to.match(/ object\.o\.o\.o\.o\.o\.o\.o\.o=… list=\[\[\[\[\[\[\[\[…\]\]\]\]\]\]\]\]$/);
  });

  it('quotes a principal that looks like columns', () => {
    for (const [principal, shown] of [
      ['bot  127.0.0.1  sign success', '"bot  127.0.0.1  sign success"'],
      ['spiffe://firm/bot-1', 'spiffe://firm/bot-1'],
    ] as const) {
      const line = formatRecord(record({ ...OWN, principal, data: null }), false, PLAIN);
      expect(line).to.equal(`08:49:00.123  #4711  success  sign  -/-  by ${shown}`);
    }
  });

  const hostile = 'a\u001b[2J\u009b31m\n\r\u2028\u202e\u2066\u200b\ud800\u007fb';

  it('contains no control characters or line breaks, even if the record does', () => {
    const data = { [hostile]: hostile, list: [hostile, { [hostile]: hostile }] };
    const line = formatRecord(
      record({ principal: hostile, data, errorCode: hostile, platformId: hostile }),
      true,
      PLAIN,
    );
    expect(line).to.match(/^[\x20-\x7e]+$/);
    const escaped = 'a\\u{1b}[2J\\u{9b}31m\\u{a}\\u{d}\\u{2028}\\u{202e}\\u{2066}\\u{200b}\\u{d800}\\u{7f}b';
    expect(line).to.contain(`  ${escaped}/main  `).and.to.contain(`  ed25519  ${escaped}  `);
    expect(line).to.contain('by "a\\u001b[2J\\u{9b}31m\\n\\r\\u{2028}\\u{202e}\\u{2066}\\u{200b}\\ud800\\u{7f}b"  ');
    expect(formatWarning(hostile, PLAIN)).to.match(/^[\x20-\x7e]+$/);
    const coloured = formatRecord(record({ principal: hostile, data }), true, COLOURED);
    expect(stripVTControlCharacters(coloured)).to.match(/^[\x20-\x7e]+$/);
  });

  it('fits the terminal, ends with an ellipsis if truncated, and breaks no escape sequence', () => {
    const whole = record({ principal: 'desk-7', data: { symbol: '币安人生USDT', long: 'x'.repeat(50) } });
    const full = formatRecord(whole, false, PLAIN);
    for (let columns = 1; columns <= 240; columns += 7) {
      const coloured = formatRecord(whole, false, { colour: true, columns });
      const shown = stripVTControlCharacters(coloured);
      expect(widthOf(shown), `${columns} columns`).to.be.at.most(columns);
      if (shown !== full) expect(shown, `${columns} columns`).to.match(/…$/);
      expect(full.startsWith(shown.replace(/ *…$/, ''))).to.equal(true);
      // Every style is closed, every sequence complete.
      const sequences = coloured.split('\u001b').slice(1);
      for (const sequence of sequences) expect(sequence).to.match(/^\[\d+m/);
      expect(sequences.length % 2).to.equal(0);
    }
    expect(formatRecord(whole, false, { colour: false, columns: 240 })).to.equal(full);
  });
});

/** Terminal columns: the ideographs here take two. */
function widthOf(text: string): number {
  return [...text].reduce((width, character) => width + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
}

import { expect } from 'chai';
import { reloadSection } from '../../../../../src/adapters/http/console/reload-section.ts';
import type { ActivityResponse, StatusResponse } from '../../../../../src/adapters/http/schemas/status-responses.ts';
import { SAMPLE_RELOAD_RESULT } from '../../../../doubles/sample-reload-result.ts';

const CONFIG: StatusResponse['config'] = {
  ...{ path: 'credentials.json', lastLoaded: '2026-11-20T08:49:00.000Z', isWatching: true },
  lastReload: { at: '2026-11-20T08:49:00.000Z', trigger: 'watch', outcome: 'success', issues: [] },
  reloads: { succeeded: 2, failed: 0 },
};
const NOW = Date.parse('2026-11-20T08:50:00.000Z');

/** The text of the list of this name. */
function listed(name: string, load: object): string | undefined {
  const lastLoad = { ...SAMPLE_RELOAD_RESULT, ...load } as unknown as ActivityResponse['lastLoad'];
  const { text } = reloadSection(CONFIG, lastLoad, NOW);
  const list = new RegExp(`<dt>${name}</dt><dd>(.*?)</dd>`).exec(text)?.[1];
  return list?.replace(/<\/li>(?=<li)/g, ' | ').replace(/<[^>]+>/g, '');
}

describe('The configuration on the console', () => {
  const { accounts, previous } = SAMPLE_RELOAD_RESULT;
  const [old, next] = ['0a', '0b'].map((byte) => `sha256:${byte.repeat(32)}`) as [string, string];

  it('shows the fields of changed accounts, old and new keys, and counts the rest', () => {
    const load = {
      accounts: {
        ...accounts,
        rekeyed: [
          { account: 'alpha/main', previousPublicKey: 'GDvj', publicKey: '2tsL' },
          { account: 'alpha/mac', previousPublicKey: null, publicKey: null },
        ],
        changed: [{ account: 'beta/main', fields: ['alias', 'platform'] }],
        more: { ...accounts.more, changed: 7 },
      },
    };
    expect(listed('accounts rekeyed', load)).to.equal('alpha/main: GDvj → 2tsL | alpha/mac');
    expect(listed('accounts changed', load)).to.equal('beta/main: alias, platform | and 7 more');
  });

  it('shows how many permission entries changed, for which callers, and changed master keys', () => {
    const load = {
      permissions: { added: 2, removed: 1, principals: ['bot-*', 'desk'], more: { principals: 3 } },
      ...{ permissionsDigest: next, masterKeyIds: ['5a'] },
      previous: { ...previous, permissionsDigest: old, masterKeyIds: ['4f'] },
    };
    expect(listed('permissions changed', load)).to.equal('Entries: 2 added, 1 removed | bot-* | desk | and 3 more');
    expect(listed('master keys changed', load)).to.equal('4f → 5a');
    expect(listed('permissions changed', {})).to.equal(undefined);
    expect(listed('master keys changed', {})).to.equal(undefined);
  });
});

import { expect } from 'chai';
import { listPresets } from '../../src/adapters/venues/venue-files.ts';
import { listVenuePolicyNames, toVenuePolicy } from '../../src/adapters/venues/venue-policies.ts';
import { REQUEST_GROUPS } from '../../src/adapters/venues/venue-schema.ts';
import type { PolicyEntry } from '../../src/domain/model/policy.ts';
import { samplePlatform } from '../doubles/credential-builder.ts';
import { commandOn } from '../harness/command-on.ts';

const OWN: PolicyEntry = { name: 'own', accounts: ['alpha/*'], effect: 'allow', when: 'signed.text == "a" ||\n  true' };

describe('policy show', () => {
  it('lists the requests of each ready-made policy by rule and group', async () => {
    for (const preset of listPresets()) {
      const platform = { platformId: 'desk', ...preset.platform };
      const rules = Object.keys(preset.platform.rules ?? {});
      for (const name of listVenuePolicyNames(preset)) {
        const { entry, requests } = toVenuePolicy(preset, name, 'desk', rules) ?? expect.fail(name);
        const listing = { platforms: [platform], policies: [entry] };
        const { stdout, exitCode } = await commandOn(listing, ['policy', 'show', entry.name]);
        expect(exitCode, preset.name).to.equal(0);
        expect(stdout).to.not.include(entry.when);
        for (const list of requests) {
          const shown = stdout.split(`\nRule ${list.rules.join(', ')}`)[1]?.split('\nRule ')[0] ?? '';
          for (const group of REQUEST_GROUPS) {
            const lines = (list[group] ?? []).map((one) => `    ${one === '*' ? 'every request' : one}\n`).join('');
            if (lines !== '') expect(shown, `${entry.name} ${group}`).to.include(`\n  ${group}\n${lines}`);
          }
        }
      }
    }
  });

  it('shows the condition of another policy, also of one with a changed condition', async () => {
    const listing = { platforms: [samplePlatform({ algorithms: ['ed25519'] })], policies: [OWN] };
    const { stdout } = await commandOn(listing, ['policy', 'show', 'own']);
    expect(stdout).to.equal(
      [
        'policy      own',
        'effect      allow',
        'mode        enforce',
        'accounts    alpha/*',
        'principals  (all)',
        '',
        'Condition',
        '  signed.text == "a" ||',
        '    true',
        '',
      ].join('\n'),
    );
    const json = JSON.parse((await commandOn(listing, ['policy', 'show', 'own', '--json'])).stdout);
    expect(json.policy).to.deep.equal({ ...OWN, mode: 'enforce', principals: null, readyMade: null });
  });

  it('names the command that lists the policies if there is none of that name', async () => {
    const { stderr, exitCode } = await commandOn({}, ['policy', 'show', 'none']);
    expect([stderr, exitCode]).to.deep.equal([
      'error: No such policy: "none". List the policies with `signing-service policy list`.\n',
      2,
    ]);
  });
});

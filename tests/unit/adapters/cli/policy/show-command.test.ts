import { expect } from 'chai';
import { policyShowCommand } from '../../../../../src/adapters/cli/policy/show-command.ts';
import { listPresets } from '../../../../../src/adapters/venues/venue-files.ts';
import { listVenuePolicyNames, toVenuePolicy } from '../../../../../src/adapters/venues/venue-policies.ts';
import { REQUEST_GROUPS } from '../../../../../src/adapters/venues/venue-schema.ts';
import type { PolicyEntry } from '../../../../../src/domain/model/policy.ts';
import { samplePlatform } from '../../../../doubles/credential-builder.ts';
import { NOTHING } from '../../../../doubles/recording-credential-editor.ts';
import { runCommand } from '../run-command.ts';

const OWN: PolicyEntry = { name: 'own', accounts: ['alpha/*'], effect: 'allow', when: 'signed.text == "a" ||\n  true' };

describe('policy show', () => {
  it('lists the requests of each ready-made policy by rule and group', async () => {
    for (const preset of listPresets()) {
      const platform = { platformId: 'desk', ...preset.platform };
      const rules = Object.keys(preset.platform.rules ?? {});
      for (const name of listVenuePolicyNames(preset)) {
        const { entry, requests } = toVenuePolicy(preset, name, 'desk', rules) ?? expect.fail(name);
        const listing = { ...NOTHING, platforms: [platform], policies: [entry] };
        const { stdout, error } = await runCommand(policyShowCommand, [entry.name], listing);
        expect(error, preset.name).to.equal(null);
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
    const listing = { ...NOTHING, platforms: [samplePlatform()], policies: [OWN] };
    const { stdout } = await runCommand(policyShowCommand, ['own'], listing);
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
    const json = JSON.parse((await runCommand(policyShowCommand, ['own', '--json'], listing)).stdout);
    expect(json.policy).to.deep.equal({ ...OWN, mode: 'enforce', principals: null, readyMade: null });
  });

  it('names the command that lists the policies if there is none of that name', async () => {
    const { error } = await runCommand(policyShowCommand, ['none'], NOTHING);
    expect(error).to.have.property(
      'message',
      'No such policy: "none". List the policies with `signing-service policy list`.',
    );
  });
});

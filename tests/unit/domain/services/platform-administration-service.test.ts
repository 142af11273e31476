import { expect } from 'chai';
import { EditRefusedError } from '../../../../src/domain/model/errors.ts';
import type { Platform } from '../../../../src/domain/model/platform.ts';
import {
  PlatformAdministrationService,
  type PlatformSpec,
} from '../../../../src/domain/services/platform-administration-service.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { NOTHING, RecordingCredentialEditor } from '../../../doubles/recording-credential-editor.ts';
import { rejectionOf } from './outcome-expectations.ts';
import { MESSAGE_ALGORITHMS } from './signable-data.ts';

function setUp(listing = NOTHING) {
  const editor = new RecordingCredentialEditor(samplePrivateKey(1), listing);
  return { editor, service: new PlatformAdministrationService(editor, new FixedClock(), policyCompiler()) };
}

describe('PlatformAdministrationService', () => {
  const prehash = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' } as const;
  const options = {
    algorithms: ['hmac-sha512'],
    encoding: 'base64',
    secretDecoding: 'base64',
    verify: { mac: true },
  } as const;
  const typedData = { domain: { name: 'Exchange' }, primaryType: 'Message', member: 'msg' };
  const login = { rule: 'prehash', template: '{timestamp}' } as const;

  /** What follows from a spec, apart from its ID and format. */
  const cases: readonly [what: string, spec: Omit<PlatformSpec, 'platformId'>, expected: Partial<Platform>][] = [
    ['of format A', { format: 'A' }, { algorithms: ['ed25519'], payload: { rule: 'jcs' } }],
    ['of format B', { format: 'B' }, { algorithms: ['eip191'], payload: { rule: 'jcs', field: 'message' } }],
    ['of format C', { format: 'C' }, { algorithms: MESSAGE_ALGORITHMS, payload: { rule: 'query', field: 'params' } }],
    ['of format D', { format: 'D' }, { algorithms: MESSAGE_ALGORITHMS, payload: prehash }],
    ['of format any', { format: 'any' }, { algorithms: MESSAGE_ALGORITHMS, payload: { rule: 'jcs' } }],
    ['with options', { format: 'any', ...options, rule: 'raw' }, { ...options, payload: { rule: 'raw' } }],
    [
      'with fields in clear',
      { format: 'A', auditClear: ['amount'] },
      { algorithms: ['ed25519'], payload: { rule: 'jcs' }, audit: { clear: ['amount'] } },
    ],
    [
      'with named rules',
      { format: 'A', rules: { fix: { rule: 'query', encoding: 'hex' }, login } },
      {
        algorithms: ['ed25519'],
        payload: { rule: 'jcs' },
        rules: { fix: { rule: 'query', field: 'params', encoding: 'hex' }, login },
      },
    ],
    [
      'with a rule instead of that of its format',
      { format: 'A', rule: 'prehash' },
      { algorithms: ['ed25519'], payload: prehash },
    ],
    [
      'with the rule of its format',
      { format: 'B', rule: 'jcs' },
      { algorithms: ['eip191'], payload: { rule: 'jcs', field: 'message' } },
    ],
    [
      'with a rule with options',
      { format: 'B', rule: 'raw', payload: { rule: 'jcs' } },
      { algorithms: ['eip191'], payload: { rule: 'jcs' } },
    ],
    [
      'whose rule makes typed data',
      { format: 'any', payload: { rule: 'query', ...{ typedData } } },
      { algorithms: ['eip712'], payload: { rule: 'query', field: 'params', ...{ typedData } } },
    ],
  ];
  for (const [what, spec, expected] of cases) {
    it(`adds a platform ${what}, with what follows from format and rule`, async () => {
      const { editor, service } = setUp();
      const platform = await service.addPlatform({ platformId: 'alpha', ...spec });
      expect(platform).to.deep.equal({ platformId: 'alpha', format: spec.format, ...expected });
      expect(editor.edits).to.deep.equal([{ edit: 'addPlatform', platform }]);
    });
  }

  it('adds policies that compile for the platforms of their accounts', async () => {
    const { editor, service } = setUp({ ...NOTHING, platforms: [samplePlatform()] });
    const policy = { name: 'a', accounts: ['*/*'], effect: 'allow', when: 'signed.text == "a"' } as const;
    await service.addPolicies([policy]);
    expect(editor.edits).to.deep.equal([{ edit: 'addPolicies', policies: [policy] }]);
    const undecidable = { ...policy, when: 'signed.path == "/"' };
    expect(await rejectionOf(service.addPolicies([undecidable]))).to.be.instanceOf(EditRefusedError);
    expect(editor.edits).to.have.length(1);
  });
});

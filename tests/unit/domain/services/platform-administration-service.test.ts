import { expect } from 'chai';
import { EditRefusedError } from '../../../../src/domain/model/errors.ts';
import type { PayloadRuleName } from '../../../../src/domain/model/payload-rule.ts';
import type { DataFormat } from '../../../../src/domain/model/platform.ts';
import { PlatformAdministrationService } from '../../../../src/domain/services/platform-administration-service.ts';
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
  describe('a platform', () => {
    const defaults = {
      A: { algorithms: ['ed25519'], payload: { rule: 'jcs' } },
      B: { algorithms: ['eip191'], payload: { rule: 'jcs', field: 'message' } },
      C: { algorithms: MESSAGE_ALGORITHMS, payload: { rule: 'query', field: 'params' } },
      D: {
        algorithms: MESSAGE_ALGORITHMS,
        payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
      },
      any: { algorithms: MESSAGE_ALGORITHMS, payload: { rule: 'jcs' } },
    } as const;
    for (const format of ['A', 'B', 'C', 'D', 'any'] as const) {
      it(`of format ${format} gets the format's algorithms and payload rule, and no encoding of its own`, async () => {
        const { editor, service } = setUp();
        const platform = await service.addPlatform({ platformId: 'alpha', format });
        expect(platform).to.deep.equal({ platformId: 'alpha', format, ...defaults[format] });
        expect(editor.edits).to.deep.equal([{ edit: 'addPlatform', platform }]);
      });
    }

    it('keeps the values given by the operator', async () => {
      const { service } = setUp();
      const spec = { platformId: 'alpha', format: 'any', algorithms: ['eip191'], encoding: 'base64' } as const;
      expect(await service.addPlatform({ ...spec, rule: 'raw' })).to.deep.equal({ ...spec, payload: { rule: 'raw' } });
    });

    it('may show fields cleared by the operator in audit records', async () => {
      const { editor, service } = setUp();
      const spec = { platformId: 'alpha', format: 'A', auditClear: ['amount', 'instruction.amount'] } as const;
      const platform = await service.addPlatform(spec);
      expect(platform).to.deep.equal({
        ...{ platformId: 'alpha', format: 'A', ...defaults.A },
        audit: { clear: ['amount', 'instruction.amount'] },
      });
      expect(editor.edits).to.deep.equal([{ edit: 'addPlatform', platform }]);
    });

    it('may have a rule with options, a secret decoding and permitted verification', async () => {
      const { editor, service } = setUp();
      const spec = { platformId: 'alpha', format: 'any', algorithms: ['hmac-sha512'] } as const;
      const mac = { secretDecoding: 'base64', verify: { mac: true } } as const;
      const platform = await service.addPlatform({ ...spec, ...mac, payload: { rule: 'query', ...{ sort: true } } });
      expect(platform).to.deep.equal({ ...spec, ...mac, payload: { rule: 'query', field: 'params', sort: true } });
      expect(editor.edits).to.deep.equal([{ edit: 'addPlatform', platform }]);
    });

    it('may have named rules, which get the default options of their rule', async () => {
      const { editor, service } = setUp();
      const rules = {
        fix: { rule: 'query', encoding: 'hex' },
        login: { rule: 'prehash', ...{ template: '{timestamp}' } },
      } as const;
      const platform = await service.addPlatform({ platformId: 'alpha', format: 'A', rules });
      expect(platform.rules).to.deep.equal({ ...rules, fix: { ...rules.fix, field: 'params' } });
      expect(editor.edits).to.deep.equal([{ edit: 'addPlatform', platform }]);
    });

    it('keeps a rule with options as given, regardless of the format default', async () => {
      const { service } = setUp();
      const spec = { platformId: 'alpha', format: 'B', rule: 'raw', payload: { rule: 'jcs' } } as const;
      expect((await service.addPlatform(spec)).payload).to.deep.equal({ rule: 'jcs' });
    });

    it('whose rule produces typed data gets the algorithm that signs it', async () => {
      const { service } = setUp();
      const typedData = { domain: { name: 'Exchange' }, primaryType: 'Message', member: 'msg' };
      const rules = [
        [{ rule: 'typed-data' }, 'eip712'],
        [{ rule: 'query', ...{ typedData } }, 'eip712'],
        [{ rule: 'hyperliquid-l1' }, 'hyperliquid-l1'],
      ] as const;
      for (const [payload, algorithm] of rules) {
        const { algorithms } = await service.addPlatform({ platformId: 'alpha', format: 'any', payload });
        expect(algorithms).to.deep.equal([algorithm]);
      }
    });

    const rules: readonly (readonly [DataFormat, PayloadRuleName, object])[] = [
      ['B', 'jcs', { rule: 'jcs', field: 'message' }],
      ['C', 'jcs', { rule: 'jcs' }],
      ['any', 'query', { rule: 'query', field: 'params' }],
      ['A', 'prehash', { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' }],
    ];
    for (const [format, rule, payload] of rules) {
      it(`of format ${format} with rule ${rule} alone gets the default options of format or rule`, async () => {
        const { service } = setUp();
        expect((await service.addPlatform({ platformId: 'alpha', format, rule })).payload).to.deep.equal(payload);
      });
    }
  });

  it('adds policies that compile for the platforms of their accounts', async () => {
    const platforms = [samplePlatform()];
    const { editor, service } = setUp({ ...NOTHING, platforms });
    const policy = { name: 'a', accounts: ['*/*'], effect: 'allow', when: 'signed.text == "a"' } as const;
    await service.addPolicies([policy]);
    expect(editor.edits).to.deep.equal([{ edit: 'addPolicies', policies: [policy] }]);
    const undecidable = { ...policy, when: 'signed.path == "/"' };
    expect(await rejectionOf(service.addPolicies([undecidable]))).to.be.instanceOf(EditRefusedError);
    expect(editor.edits).to.have.length(1);
  });

  it('sets the status of a platform, and removes it', async () => {
    const { editor, service } = setUp();
    await service.setPlatformStatus('alpha', 'disabled');
    await service.removePlatform('alpha');
    expect(editor.edits).to.deep.equal([
      { edit: 'setPlatformStatus', platformId: 'alpha', status: 'disabled' },
      { edit: 'removePlatform', platformId: 'alpha' },
    ]);
  });

  it('passes on refusals of the editor', async () => {
    const refusal = new EditRefusedError('There is one of that name.');
    class RefusingEditor extends RecordingCredentialEditor {
      override async addPlatform(): Promise<never> {
        throw refusal;
      }
    }
    const editor = new RefusingEditor(samplePrivateKey(1));
    const service = new PlatformAdministrationService(editor, new FixedClock(), policyCompiler());
    expect(await rejectionOf(service.addPlatform({ platformId: 'alpha', format: 'A' }))).to.equal(refusal);
  });
});

import { expect } from 'chai';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { PlatformAdministrationService } from '../../../../src/domain/services/platform-administration-service.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { policyCompiler } from '../../../doubles/policy-compiler.ts';
import { NOTHING, RecordingCredentialEditor } from '../../../doubles/recording-credential-editor.ts';
import { rejectionOf } from './outcome-expectations.ts';

describe('PlatformAdministrationService', () => {
  it('adds only policies that compile for the platforms of their accounts', async () => {
    const editor = new RecordingCredentialEditor(samplePrivateKey(1), { ...NOTHING, platforms: [samplePlatform()] });
    const service = new PlatformAdministrationService({ editor, clock: new FixedClock(), compiler: policyCompiler() });
    const policy = { name: 'a', accounts: ['*/*'], effect: 'allow', when: 'signed.path == "/"' } as const;
    expect(await rejectionOf(service.addPolicies([policy]))).to.be.instanceOf(OperatorError);
    expect(editor.edits).to.deep.equal([]);
  });
});

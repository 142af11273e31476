import { CelPolicyLanguage } from '../../src/adapters/policy/cel-policy-language.ts';
import { PolicyCompiler } from '../../src/domain/services/policy-compiler.ts';

/** A compiler of policies in the real language. */
export function policyCompiler(): PolicyCompiler {
  return new PolicyCompiler(async () => new CelPolicyLanguage());
}

import type { PolicyLanguage } from '../ports/policy-language.ts';

/** Loads the language of policies: a service without policies never needs it. */
export async function loadPolicyLanguage(): Promise<PolicyLanguage> {
  const { CelPolicyLanguage } = await import('../adapters/policy/cel-policy-language.ts');
  return new CelPolicyLanguage();
}

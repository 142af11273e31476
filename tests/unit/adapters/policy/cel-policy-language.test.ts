import { CelPolicyLanguage } from '../../../../src/adapters/policy/cel-policy-language.ts';
import { describePolicyLanguageContract } from '../../../contracts/policy-language-contract.ts';

describePolicyLanguageContract('CelPolicyLanguage', () => new CelPolicyLanguage());

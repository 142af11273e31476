import { SodiumSignatureVerifier } from '../../../../src/adapters/auth/sodium-signature-verifier.ts';
import { describeSignatureVerifierContract } from '../../../contracts/signature-verifier-contract.ts';

describeSignatureVerifierContract('SodiumSignatureVerifier', new SodiumSignatureVerifier());

import { SodiumSignatureVerifier } from '../../../../../src/adapters/driven/signature-verifier/sodium-signature-verifier.ts';
import { describeSignatureVerifierContract } from '../../../../contracts/signature-verifier-contract.ts';

describeSignatureVerifierContract('SodiumSignatureVerifier', new SodiumSignatureVerifier());

import { NodeHasher } from '../../../../src/adapters/audit/node-hasher.ts';
import { describeHasherContract } from '../../../contracts/hasher-contract.ts';

describeHasherContract('NodeHasher', () => new NodeHasher());

import { NodeHasher } from '../../../../../src/adapters/driven/hasher/node-hasher.ts';
import { describeHasherContract } from '../../../../contracts/hasher-contract.ts';

describeHasherContract('NodeHasher', () => new NodeHasher());

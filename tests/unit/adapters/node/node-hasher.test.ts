import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { describeHasherContract } from '../../../contracts/hasher-contract.ts';

describeHasherContract('NodeHasher', () => new NodeHasher());

import { EthersTypedDataEncoder } from '../../../../../src/adapters/driven/typed-data-encoder/ethers-typed-data-encoder.ts';
import { describeTypedDataEncoderContract } from '../../../../contracts/typed-data-encoder-contract.ts';

describeTypedDataEncoderContract('EthersTypedDataEncoder', () => new EthersTypedDataEncoder());

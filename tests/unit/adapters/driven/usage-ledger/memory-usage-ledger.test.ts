import { MemoryUsageLedger } from '../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { describeUsageLedgerContract } from '../../../../contracts/usage-ledger-contract.ts';

describeUsageLedgerContract('MemoryUsageLedger', () => new MemoryUsageLedger());

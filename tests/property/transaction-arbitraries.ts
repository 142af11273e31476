import { Transaction, type TransactionLike } from 'ethers';
import fc from 'fast-check';

const hexBytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);

const amount = fc.bigInt({ min: 0n, max: 2n ** 96n });

const common = fc.record({
  nonce: fc.nat(),
  gasLimit: fc.bigInt({ min: 21_000n, max: 30_000_000n }),
  to: hexBytes(20),
  value: amount,
  data: fc.uint8Array({ maxLength: 100 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
});

const chainId = fc.bigInt({ min: 1n, max: 2n ** 40n });

const accessList = fc.array(
  fc.record({ address: hexBytes(20), storageKeys: fc.array(hexBytes(32), { maxLength: 2 }) }),
  { maxLength: 2 },
);

const fees = { maxFeePerGas: amount, maxPriorityFeePerGas: fc.constant(0n) };

/** Unsigned transactions by kind. */
const KINDS: { readonly [kind: string]: fc.Arbitrary<TransactionLike> } = {
  'legacy, without a chain': fc.record({ type: fc.constant(0), gasPrice: amount }),
  'legacy, EIP-155': fc.record({ type: fc.constant(0), gasPrice: amount, chainId }),
  'type 1, EIP-2930': fc.record({ type: fc.constant(1), gasPrice: amount, chainId, accessList }),
  'type 2, EIP-1559': fc.record({ type: fc.constant(2), ...fees, chainId, accessList }),
  'type 3, EIP-4844': fc.record({
    type: fc.constant(3),
    ...fees,
    chainId,
    accessList,
    maxFeePerBlobGas: amount,
    blobVersionedHashes: fc.constant([`0x01${'ab'.repeat(31)}`]),
  }),
  'type 4, EIP-7702': fc.record({
    type: fc.constant(4),
    ...fees,
    chainId,
    accessList,
    authorizationList: fc.constant([]),
  }),
};

/** See {@link unsignedTransaction}. */
export const TRANSACTION_KINDS = Object.keys(KINDS);

/** An unsigned transaction of one kind. */
export function unsignedTransaction(kind: string): fc.Arbitrary<Transaction> {
  const special = KINDS[kind];
  if (special === undefined) throw new Error(`no transactions of kind ${kind}`);
  return fc.tuple(common, special).map(([given, more]) => Transaction.from({ ...given, ...more }));
}

import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { OperatorError } from '../../src/domain/model/errors.ts';
import type { WrappedKey, WrappingKeys } from '../../src/ports/wrapping-keys.ts';

/** A wrapping key in a service or token. */
export interface WrappingKeysHarness {
  readonly wrappingKeys: WrappingKeys;
  readonly place: Pick<WrappedKey, 'source' | 'wrappingKey'>;
  /** What errors name. */
  readonly named: string;
  /** Withdraws the permission to use the key. */
  deny(): Promise<void>;
  dispose(): Promise<void>;
}

/** For each key its plaintext, or why there is none. */
export async function unwrapAll(
  wrappingKeys: WrappingKeys,
  ...keys: readonly WrappedKey[]
): Promise<readonly (Buffer | OperatorError | undefined)[]> {
  const opened = new Map<WrappedKey, Buffer>();
  const issues = await wrappingKeys.unwrap(keys, (bytes, key) => {
    opened.set(key, Buffer.from(bytes));
    return null;
  });
  return keys.map((key, index) => issues[index] ?? opened.get(key));
}

const IDS = ['0123456789abcdef', 'fedcba9876543210'] as const;

/** Contract of all WrappingKeys, with every source. */
export function describeWrappingKeysContract(name: string, makeHarness: () => Promise<WrappingKeysHarness>): void {
  describe(`WrappingKeys contract: ${name}`, () => {
    let harness: WrappingKeysHarness;
    const keys = [randomBytes(32), randomBytes(32)] as const;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.dispose());

    const wrap = async (id: string, key: Buffer) => {
      const place = { ...harness.place, id };
      return { ...place, ciphertext: await harness.wrappingKeys.wrap(place, (use) => use(key)) };
    };
    const unwrap = (...envelopes: readonly WrappedKey[]) => unwrapAll(harness.wrappingKeys, ...envelopes);
    const explained = (outcome: unknown) => {
      if (!(outcome instanceof OperatorError)) throw outcome;
      expect(outcome.message).to.include(harness.named);
    };

    it('unwraps what it wrapped, several keys at once', async () => {
      const envelopes = [await wrap(IDS[0], keys[0]), await wrap(IDS[1], keys[1])];
      for (const { ciphertext } of envelopes) {
        for (const key of keys) expect(Buffer.from(ciphertext, 'base64url').includes(key)).to.equal(false);
      }
      expect(await unwrap(...envelopes)).to.deep.equal(keys);
    });

    it('wraps the same key to different ciphertexts', async () => {
      const [first, second] = [await wrap(IDS[0], keys[0]), await wrap(IDS[0], keys[0])];
      expect(first.ciphertext).to.not.equal(second.ciphertext);
    });

    it('rejects the ciphertext of another master key and an altered one, and opens those beside them', async () => {
      const envelope = await wrap(IDS[0], keys[0]);
      const altered = Buffer.from(envelope.ciphertext, 'base64url');
      // In base64 texts, the last characters may not matter.
      const index = altered.length - 8;
      altered.writeUInt8(altered.readUInt8(index) === 0x41 ? 0x42 : 0x41, index);
      const ciphertext = altered.toString('base64url');
      const outcomes = await unwrap({ ...envelope, id: IDS[1] }, envelope, { ...envelope, ciphertext });
      expect(outcomes[1]).to.deep.equal(keys[0]);
      for (const outcome of [outcomes[0], outcomes[2]]) explained(outcome);
    });

    it('rejects both operations without permission, and names the place', async () => {
      const envelope = await wrap(IDS[0], keys[0]);
      await harness.deny();
      for (const outcome of await unwrap(envelope)) explained(outcome);
      explained(await wrap(IDS[0], keys[0]).catch((error: unknown) => error));
    });

    it('passes the error of the callback on', async () => {
      const opened = harness.wrappingKeys.unwrap([await wrap(IDS[0], keys[0])], () => {
        throw new RangeError('of the callback');
      });
      expect(await opened.catch((error: unknown) => error)).to.be.instanceOf(RangeError);
    });
  });
}

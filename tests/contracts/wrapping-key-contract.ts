import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { MasterKeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { WrappingKey } from '../../src/ports/wrapping-key.ts';

/** A wrapping key in a service or token. */
export interface WrappingKeyHarness {
  readonly wrappingKey: WrappingKey;
  /** Name of the service or token that errors mention. */
  readonly place: string;
  /** Withdraws the permission to use the key. */
  deny(): Promise<void>;
  dispose(): Promise<void>;
}

const ID = '0123456789abcdef';

/** Contract of every WrappingKey. */
export function describeWrappingKeyContract(name: string, makeHarness: () => Promise<WrappingKeyHarness>): void {
  describe(`WrappingKey contract: ${name}`, () => {
    let harness: WrappingKeyHarness;
    const key = randomBytes(32);
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.dispose());

    const wrap = () => harness.wrappingKey.wrap(ID, (use) => use(key));
    const unwrap = (ciphertext: Uint8Array, id = ID) =>
      harness.wrappingKey.unwrap(id, ciphertext, (bytes) => Buffer.from(bytes));
    const rejection = async (promise: Promise<unknown>) => {
      const error = await promise.then(
        () => expect.fail('It should be rejected.'),
        (reason: unknown) => reason,
      );
      if (!(error instanceof MasterKeyUnavailableError)) throw error;
      return error.message;
    };

    it('unwraps what it wrapped', async () => {
      const ciphertext = await wrap();
      expect(Buffer.from(ciphertext).includes(key)).to.equal(false);
      expect((await unwrap(ciphertext)).equals(key)).to.equal(true);
    });

    it('wraps the same key to different ciphertexts', async () => {
      expect(Buffer.from(await wrap()).equals(Buffer.from(await wrap()))).to.equal(false);
    });

    it('rejects the ciphertext of another master key', async () => {
      const message = await rejection(unwrap(await wrap(), 'fedcba9876543210'));
      expect(message).to.include(harness.place);
    });

    it('rejects an altered ciphertext', async () => {
      const ciphertext = Buffer.from(await wrap());
      // In base64 texts, the last characters may not matter.
      const index = ciphertext.length - 8;
      ciphertext.writeUInt8(ciphertext.readUInt8(index) === 0x41 ? 0x42 : 0x41, index);
      expect(await rejection(unwrap(ciphertext))).to.include(harness.place);
    });

    it('rejects both operations without permission, and names the place', async () => {
      const ciphertext = await wrap();
      await harness.deny();
      for (const attempt of [() => unwrap(ciphertext), wrap]) {
        expect(await rejection(attempt())).to.include(harness.place);
      }
    });

    it('passes the error of the callback on', async () => {
      const error = await harness.wrappingKey
        .unwrap(ID, await wrap(), () => {
          throw new RangeError('of the callback');
        })
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(RangeError);
    });
  });
}

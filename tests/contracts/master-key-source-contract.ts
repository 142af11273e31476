import { expect } from 'chai';
import { KeyFileError } from '../../src/adapters/key-files/secret-file.ts';
import { MasterKeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { MasterKeySource } from '../../src/ports/master-key-source.ts';

/** A source of a known master key. */
export interface MasterKeySourceHarness {
  readonly source: MasterKeySource;
  /** 32 bytes of a test key. */
  readonly key: Buffer;
  /** Makes the key unavailable; returns what the error must name. */
  spoil(): Promise<string>;
  dispose(): Promise<void>;
}

/** Contract of every MasterKeySource. */
export function describeMasterKeySourceContract(
  name: string,
  makeHarness: () => Promise<MasterKeySourceHarness>,
): void {
  describe(`MasterKeySource contract: ${name}`, () => {
    let harness: MasterKeySourceHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(() => harness.dispose());

    it('passes the 32 bytes to the callback, and returns its result', async () => {
      const result = await harness.source.open((bytes) => ({ length: bytes.length, copy: Buffer.from(bytes) }));
      expect(result.length).to.equal(32);
      expect(result.copy.equals(harness.key)).to.equal(true);
    });

    it('passes the error of the callback on, and opens again', async () => {
      const error = await harness.source
        .open(() => {
          throw new RangeError('of the callback');
        })
        .catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(RangeError);
      expect(await harness.source.open((bytes) => Buffer.from(bytes).equals(harness.key))).to.equal(true);
    });

    it('refuses a callback that returns a promise', async () => {
      const error = await harness.source.open(async () => undefined).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
    });

    it('rejects without calling back if the key is unavailable, and names the place but no key', async () => {
      const place = await harness.spoil();
      let isCalled = false;
      const error = await harness.source
        .open(() => {
          isCalled = true;
        })
        .catch((reason: unknown) => reason);
      expect(isCalled).to.equal(false);
      if (!(error instanceof KeyFileError || error instanceof MasterKeyUnavailableError)) throw error;
      expect(error.message).to.include(place);
      for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) {
        expect(error.message).to.not.include(harness.key.toString(encoding));
      }
    });
  });
}

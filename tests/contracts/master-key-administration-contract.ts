import { expect } from 'chai';
import type { MasterKeyAdministration } from '../../src/adapters/credentials/master-key-rotation/master-key-administration.ts';
import { CredentialLoadError, EditRefusedError } from '../../src/domain/model/errors.ts';

/** A configuration with a rotatable master key. */
export interface MasterKeyAdministrationHarness {
  /** An administration of the configuration that can prompt for passphrases. */
  makeAdministration(): MasterKeyAdministration;
  /** Adds accounts with sealed keys, and one with an unsealed key. */
  fill(accounts: number): Promise<void>;
  /** Private keys that a service would load, hex, in order: test keys, so plain memory is fine. */
  loadKeys(): Promise<readonly string[]>;
  /** Leaves the state of a rotation killed after its new master key was in place. */
  interruptRotation(): Promise<void>;
  /** Leaves all leftovers of killed commands; returns what the report must name. */
  leaveLeftovers(): Promise<readonly string[]>;
  /** Makes the configuration invalid. */
  spoil(): Promise<void>;
  dispose(): Promise<void>;
}

/** Contract of every MasterKeyAdministration. `makeHarness` returns a fresh configuration. */
export function describeMasterKeyAdministrationContract(
  name: string,
  makeHarness: () => Promise<MasterKeyAdministrationHarness>,
): void {
  describe(`MasterKeyAdministration contract: ${name}`, () => {
    let harness: MasterKeyAdministrationHarness;
    let keys: readonly string[];

    beforeEach(async () => {
      harness = await makeHarness();
      await harness.fill(5);
      keys = await harness.loadKeys();
    });
    afterEach(() => harness.dispose());

    const report = () => harness.makeAdministration().report();
    const rotate = () => harness.makeAdministration().rotate(false);
    const retire = () => harness.makeAdministration().retire();
    const expectSameKeys = async () => expect(await harness.loadKeys()).to.deep.equal(keys);

    it('reports the only master key and how many accounts are sealed under it', async () => {
      const { primary, previous, missing, leftovers } = await report();
      expect(primary.id).to.match(/^[0-9a-f]{16}$/);
      expect(primary.accounts).to.equal(5);
      expect([previous, missing, leftovers]).to.deep.equal([null, [], []]);
    });

    it('seals every account under a new master key, and keeps every private key', async () => {
      const before = await report();
      const rotation = await rotate();
      expect(rotation.outcome).to.equal('made');
      expect(rotation.accounts).to.equal(5);
      expect(rotation.previous.id).to.equal(before.primary.id);
      expect(rotation.primary.id).to.not.equal(before.primary.id);
      expect(rotation.primary.file).to.equal(before.primary.file);
      await expectSameKeys();

      const after = await report();
      expect(after.primary).to.deep.equal({ ...rotation.primary, accounts: 5 });
      expect(after.previous).to.deep.equal({ ...rotation.previous, accounts: 0 });
    });

    it('reports the progress of a rotation, step by step', async () => {
      const progress: [number, number][] = [];
      await harness.makeAdministration().rotate(false, (done, total) => progress.push([done, total]));
      const steps = progress.map(([done]) => done);
      expect(steps).to.have.length.above(4);
      expect(steps).to.deep.equal(steps.toSorted((left, right) => left - right));
      for (const [done, total] of progress) expect(done).to.be.below(total);
    });

    it('keeps the previous key until it is retired', async () => {
      const { previous } = await rotate();
      expect(await retire()).to.deep.equal({ retired: previous, leftovers: [] });
      await expectSameKeys();
      expect((await report()).previous).to.equal(null);
    });

    it('rotates repeatedly if each previous key is retired', async () => {
      const seen = [(await report()).primary.id];
      for (let time = 0; time < 3; time += 1) {
        seen.push((await rotate()).primary.id);
        await retire();
        await expectSameKeys();
      }
      expect(new Set(seen).size).to.equal(4);
    });

    it('refuses a rotation while the previous key is not retired, and changes nothing', async () => {
      await rotate();
      const before = await report();
      await refused(rotate(), 'master-key retire');
      expect(await report()).to.deep.equal(before);
      await expectSameKeys();
    });

    it('refuses to retire if there is no previous key', async () => {
      await refused(retire(), 'There is no previous master key');
      await expectSameKeys();
    });

    describe('after killed commands', () => {
      let left: readonly string[];
      beforeEach(async () => {
        left = await harness.leaveLeftovers();
      });

      it('reports their leftovers', async () => {
        expect(left).to.have.lengthOf.at.least(1);
        expect((await report()).leftovers).to.have.members(left);
      });

      it('removes leftovers if there is no previous key, and then refuses', async () => {
        const { retired, leftovers } = await retire();
        expect(retired).to.equal(null);
        expect(leftovers).to.have.members(left);
        expect((await report()).leftovers).to.deep.equal([]);
        await expectSameKeys();
        await refused(retire(), 'There is no previous master key');
      });

      it('leaves no leftovers after a rotation', async () => {
        await rotate();
        expect((await report()).leftovers).to.deep.equal([]);
        await expectSameKeys();
      });

      it('removes leftovers together with the previous key', async () => {
        const { previous } = await rotate();
        await harness.leaveLeftovers();
        const { retired, leftovers } = await retire();
        expect(retired).to.deep.equal(previous);
        expect(leftovers).to.have.members(left);
        expect((await report()).leftovers).to.deep.equal([]);
        await expectSameKeys();
      });

      it('keeps leftovers while the previous key is needed', async () => {
        await harness.interruptRotation();
        await harness.leaveLeftovers();
        await refused(retire(), 'Nothing was removed');
        expect((await report()).leftovers).to.have.members(left);
        await expectSameKeys();
      });
    });

    it('rotates without accounts', async () => {
      await harness.fill(0);
      const before = await report();
      const rotation = await rotate();
      expect(rotation.accounts).to.equal(0);
      const { primary, previous } = await report();
      expect([primary.id, previous?.id]).to.deep.equal([rotation.primary.id, before.primary.id]);
      await retire();
    });

    describe('after an interrupted rotation', () => {
      beforeEach(() => harness.interruptRotation());

      it('reports how many accounts are sealed under each key, and loads all of them', async () => {
        const { primary, previous } = await report();
        expect([primary.accounts, previous?.accounts]).to.deep.equal([0, 5]);
        await expectSameKeys();
      });

      it('finishes it with the key already created', async () => {
        const before = await report();
        const rotation = await rotate();
        expect(rotation.outcome).to.equal('finished');
        expect(rotation.accounts).to.equal(5);
        expect([rotation.primary.id, rotation.previous.id]).to.deep.equal([before.primary.id, before.previous?.id]);
        await expectSameKeys();
        expect((await report()).primary.accounts).to.equal(5);
        await retire();
        await expectSameKeys();
      });

      it('finishes it once for concurrent calls, and the others report that it is done', async () => {
        const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
        expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
        const { primary, previous } = await report();
        for (const outcome of outcomes) {
          if (outcome.status === 'fulfilled') continue;
          expect(outcome.reason).to.be.instanceOf(EditRefusedError);
          expect(outcome.reason.message)
            .to.include('by another process at the same time')
            .and.include(`The rotation is complete: everything is sealed under master key ${primary.id}.`)
            .and.not.match(/not finished|rotate` again|nothing was changed/);
        }
        expect([primary.accounts, previous?.accounts]).to.deep.equal([5, 0]);
        await expectSameKeys();
      });

      it('refuses to retire a key that is still needed', async () => {
        await refused(retire(), 'still sealed under the previous master key');
        await expectSameKeys();
      });
    });

    it('performs exactly one of several concurrent rotations', async () => {
      const outcomes = await Promise.allSettled([rotate(), rotate(), rotate()]);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') continue;
        expect(outcome.reason).to.be.instanceOf(EditRefusedError);
        expect(outcome.reason.message).to.match(/The rotation is complete|master-key retire/);
        expect(outcome.reason.message).to.not.match(/as it was|not finished|rotate` again/);
      }
      await expectSameKeys();
      expect((await report()).primary.accounts).to.equal(5);
    });

    it('rejects every call with CredentialLoadError if the configuration is invalid', async () => {
      await harness.spoil();
      for (const call of [report, rotate, retire]) {
        expect(await rejection(call())).to.be.instanceOf(CredentialLoadError);
      }
    });
  });
}

async function refused(promise: Promise<unknown>, part: string): Promise<void> {
  const error = await rejection(promise);
  expect(error).to.be.instanceOf(EditRefusedError);
  expect((error as EditRefusedError).message).to.include(part);
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail('It should have been rejected.'),
    (error: unknown) => error,
  );
}

import { expect } from 'chai';
import { planRotation } from '../../../../../src/adapters/credentials/master-key-rotation/rotation-state.ts';
import { EditRefusedError } from '../../../../../src/domain/model/errors.ts';

const PRIMARY = { id: 'aaaaaaaaaaaaaaaa', file: '/keys/master.key' };
const PREVIOUS = { id: 'bbbbbbbbbbbbbbbb', file: '/keys/master.key.previous' };
const COPY = { ...PREVIOUS, id: PRIMARY.id };
const OTHER = 'cccccccccccccccc';

const countsOf = (...ids: readonly string[]) => new Map(ids.map((id) => [id, 3]));

describe('planRotation', () => {
  for (const [name, previous, sealedUnder, plan] of [
    ['there is no previous key', undefined, [PRIMARY.id], 'begin'],
    ['the previous file is a copy of the primary, made before a kill', COPY, [PRIMARY.id], 'begin'],
    ['nothing is sealed', COPY, [], 'begin'],
    ['some is sealed under the previous key', PREVIOUS, [PRIMARY.id, PREVIOUS.id], 'finish'],
  ] as const) {
    it(`plans to ${plan} when ${name}`, () => {
      expect(planRotation({ primary: PRIMARY, previous }, countsOf(...sealedUnder))).to.equal(plan);
    });
  }

  it('refuses while an unused previous key exists, and names the command', () => {
    for (const counts of [countsOf(PRIMARY.id), countsOf()]) {
      expect(() => planRotation({ primary: PRIMARY, previous: PREVIOUS }, counts)).to.throw(
        EditRefusedError,
        /master\.key\.previous still has .* run `signing-service master-key retire --yes`/,
      );
    }
  });

  it('refuses if accounts are sealed under a missing key', () => {
    for (const previous of [undefined, COPY, PREVIOUS]) {
      expect(() => planRotation({ primary: PRIMARY, previous }, countsOf(PRIMARY.id, OTHER))).to.throw(
        EditRefusedError,
        /^Accounts \(3\) are sealed under master key c{16}, .* Restore that key/,
      );
    }
  });
});

import { expect } from 'chai';
import { planRotation } from '../../../../../src/adapters/credentials/master-key-rotation/rotation-state.ts';
import { EditRefusedError } from '../../../../../src/domain/model/errors.ts';

const PRIMARY = { id: 'aaaaaaaaaaaaaaaa', file: '/keys/master.key' };
const PREVIOUS = { id: 'bbbbbbbbbbbbbbbb', file: '/keys/master.key.previous' };
const COPY = { ...PREVIOUS, id: PRIMARY.id };
const OTHER = 'cccccccccccccccc';

describe('planRotation', () => {
  const plans = [
    ['there is no previous key', undefined, [PRIMARY.id], 'begin'],
    ['there is no previous key and nothing is sealed', undefined, [], 'begin'],
    ['the previous file is a copy of the primary, made before a kill', COPY, [PRIMARY.id], 'begin'],
    ['the previous file is a copy of the primary and nothing is sealed', COPY, [], 'begin'],
    ['everything is sealed under the previous key', PREVIOUS, [PREVIOUS.id], 'finish'],
    ['some is sealed under the previous key', PREVIOUS, [PRIMARY.id, PREVIOUS.id], 'finish'],
  ] as const;
  for (const [name, previous, sealedUnder, plan] of plans) {
    it(`plans to ${plan} when ${name}`, () => {
      const counts = new Map(sealedUnder.map((id) => [id, 3]));
      expect(planRotation({ primary: PRIMARY, previous }, counts)).to.equal(plan);
    });
  }

  for (const sealedUnder of [[PRIMARY.id], []]) {
    it(`refuses while an unused previous key exists (${sealedUnder.length} keys in use), and names the command`, () => {
      const counts = new Map(sealedUnder.map((id) => [id, 3]));
      expect(() => planRotation({ primary: PRIMARY, previous: PREVIOUS }, counts))
        .to.throw(EditRefusedError)
        .with.property('message')
        .that.includes(PREVIOUS.file)
        .and.includes('run `signing-service master-key retire --yes`');
    });
  }

  for (const previous of [undefined, COPY, PREVIOUS]) {
    it(`refuses if accounts are sealed under a missing key, with ${previous?.id ?? 'no'} previous key`, () => {
      const counts = new Map([
        [PRIMARY.id, 5],
        [OTHER, 7],
      ]);
      expect(() => planRotation({ primary: PRIMARY, previous }, counts))
        .to.throw(EditRefusedError)
        .with.property('message')
        .that.includes(OTHER)
        .and.includes('(7)')
        .and.includes('Restore that key');
    });
  }
});

import { expect } from 'chai';
import { changeCautions, permissionCautions } from '../../../src/composition/permission-cautions.ts';
import type { PermissionEntry } from '../../../src/domain/model/permission-entry.ts';
import { Permissions } from '../../../src/domain/model/permissions.ts';

const BOTS: PermissionEntry = { principals: ['*'], accounts: ['*/*'], operations: ['*'] };
const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['status'] };

describe('permissionCautions', () => {
  for (const [what, entries, canIdentify, isWarned] of [
    ['no list', null, false, false],
    ['an empty list', [], false, true],
    ['a list of principals that nobody can have', [BOTS], false, true],
    ['a list that names anonymous, too', [BOTS, ANYBODY], false, false],
    ['a list of principals where callers can prove who they are', [BOTS], true, false],
  ] as const) {
    it(`${isWarned ? 'warn that every call is refused' : 'have nothing to say'} of ${what}`, () => {
      const cautions = permissionCautions(new Permissions(entries), canIdentify);
      expect(cautions.map(({ message }) => message.startsWith('Every call is refused'))).to.deep.equal(
        isWarned ? [true] : [],
      );
      for (const { remedy } of cautions) expect(remedy).to.include('anonymous');
    });
  }
});

describe('changeCautions', () => {
  for (const [what, before, after, isWarned] of [
    ['a list that is gone', [BOTS], null, true],
    ['an empty list that is gone', [], null, true],
    ['a list that became empty', [BOTS], [], false],
    ['a list that came', null, [BOTS], false],
    ['no list, as before', null, null, false],
  ] as const) {
    it(`${isWarned ? 'warn' : 'have nothing to say'} of ${what}`, () => {
      const cautions = changeCautions(new Permissions(after), new Permissions(before));
      expect(cautions.map(({ message }) => message.includes('every caller may do everything'))).to.deep.equal(
        isWarned ? [true] : [],
      );
    });
  }
});

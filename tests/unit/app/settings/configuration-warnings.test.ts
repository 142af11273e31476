import { expect } from 'chai';
import { logExposure } from '../../../../src/app/settings/configuration-warnings.ts';
import { changeWarnings, permissionWarnings } from '../../../../src/app/settings/permission-warnings.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { type PermissionEntry, Permissions } from '../../../../src/domain/model/permissions.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

describe('logExposure', () => {
  function logged(environment: { readonly [name: string]: string }): RecordingServiceLog['events'] {
    const log = new RecordingServiceLog();
    logExposure(readSettings(environment), log);
    return log.events;
  }

  it('reports nothing about the defaults', () => {
    expect(logged({})).to.deep.equal([]);
  });

  it('warns once about each overly broad setting, and names the remedy', () => {
    const events = logged({ SIGNING_ALLOWED_NETWORKS: '2.2.2.2', SIGNING_TRUSTED_PROXIES: 'private' });
    expect(events.map(({ level }) => level)).to.deep.equal(['warn', 'warn']);
    expect(events[0]?.message).to.include('SIGNING_ALLOWED_NETWORKS (2.2.2.2)').and.include('Name the networks');
    expect(events[1]?.message).to.include('SIGNING_TRUSTED_PROXIES').and.include('proxies alone');
  });
});

const BOTS: PermissionEntry = { principals: ['*'], accounts: ['*/*'], operations: ['*'] };
const ANYBODY: PermissionEntry = { principals: ['anonymous'], operations: ['status'] };

describe('permissionWarnings', () => {
  for (const [what, entries, canIdentify, isWarned] of [
    ['no list', null, false, false],
    ['an empty list', [], false, true],
    ['a list of principals that nobody can have', [BOTS], false, true],
    ['a list that names anonymous, too', [BOTS, ANYBODY], false, false],
    ['a list of principals where callers can prove who they are', [BOTS], true, false],
  ] as const) {
    it(`${isWarned ? 'warn that every call is refused' : 'report nothing'} for ${what}`, () => {
      const warnings = permissionWarnings(new Permissions(entries), canIdentify);
      expect(warnings.map(({ message }) => message.startsWith('Every call is refused'))).to.deep.equal(
        isWarned ? [true] : [],
      );
      for (const { remedy } of warnings) expect(remedy).to.include('anonymous');
    });
  }
});

describe('changeWarnings', () => {
  for (const [what, before, after, isWarned] of [
    ['a list that is gone', [BOTS], null, true],
    ['an empty list that is gone', [], null, true],
    ['a list that became empty', [BOTS], [], false],
    ['a list that came', null, [BOTS], false],
    ['no list, as before', null, null, false],
  ] as const) {
    it(`${isWarned ? 'warn' : 'report nothing'} about ${what}`, () => {
      const warnings = changeWarnings(new Permissions(after), new Permissions(before));
      expect(warnings.map(({ message }) => message.includes('every caller may do everything'))).to.deep.equal(
        isWarned ? [true] : [],
      );
    });
  }
});

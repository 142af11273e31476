import { expect } from 'chai';
import { logExposure } from '../../../src/composition/exposure.ts';
import { readSettings } from '../../../src/composition/settings.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';

describe('logExposure', () => {
  function toldOf(environment: { readonly [name: string]: string }): RecordingServiceLog['events'] {
    const log = new RecordingServiceLog();
    logExposure(readSettings(environment), log);
    return log.events;
  }

  it('says nothing of the defaults', () => {
    expect(toldOf({})).to.deep.equal([]);
  });

  it('warns once of each setting that is wider than it should be, and says what to do', () => {
    const told = toldOf({ SIGNING_ALLOWED_NETWORKS: '2.2.2.2', SIGNING_TRUSTED_PROXIES: 'private' });
    expect(told.map(({ level }) => level)).to.deep.equal(['warn', 'warn']);
    expect(told[0]?.message).to.include('SIGNING_ALLOWED_NETWORKS (2.2.2.2)').and.include('Name the networks');
    expect(told[1]?.message).to.include('SIGNING_TRUSTED_PROXIES').and.include('proxies alone');
  });
});

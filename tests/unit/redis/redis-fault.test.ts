import { expect } from 'chai';
import { replyFault } from '../../../src/redis/redis-fault.ts';

describe('The fault that an error reply of Redis tells of', () => {
  const OF_COMMAND = ['NOPERM', 'WRONGTYPE', 'NOSCRIPT', 'OOM', 'MISCONF', 'NOREPLICAS', 'BUSY', 'ERR', 'UNHEARDOF'];
  const OF_SERVER = ['NOAUTH', 'WRONGPASS', 'READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN'];

  for (const code of OF_COMMAND) {
    it(`is that of one command, which leaves the connection to others, for ${code}`, () => {
      expect(replyFault(new Error(`${code} so it is`)).isOfCommand).to.equal(true);
    });
  }

  for (const code of OF_SERVER) {
    it(`is that of the server, whatever was asked, for ${code}`, () => {
      expect(replyFault(new Error(`${code} so it is`)).isOfCommand).to.equal(false);
    });
  }

  it('holds nothing of what the other side wrote but a code that is known', () => {
    for (const text of ['UNHEARDOF h0rse', 'ERR h0rse', 'h0rse', '']) {
      expect(replyFault(new Error(text)).message).not.to.match(/h0rse|UNHEARDOF/);
    }
  });
});

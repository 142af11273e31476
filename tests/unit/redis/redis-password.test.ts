import { expect } from 'chai';
import { parseRedisUrl, type RedisAddress } from '../../../src/redis/redis-address.ts';
import { RedisFault } from '../../../src/redis/redis-fault.ts';
import { readCredentials } from '../../../src/redis/redis-password.ts';

const addressOf = (url: string) => parseRedisUrl(url) as RedisAddress;

describe('A user in the URL of Redis without a password', () => {
  for (const url of ['redis://s3cret@h', 'redis://s3cret:@h', 'rediss://s3%63ret@h:7000/1']) {
    it(`is neither shown nor sent, since it may be one: ${url}`, async () => {
      const address = addressOf(url);
      expect(address.shown)
        .to.match(/^rediss?:\/\/\*\*\*@h:/)
        .and.not.match(/cret/);
      const error: unknown = await readCredentials(address, null).catch((fault: unknown) => fault);
      expect(error).to.be.instanceOf(RedisFault);
      expect((error as RedisFault).message)
        .to.include('redis://:PASSWORD@host')
        .and.include('SIGNING_REDIS_PASSWORD_FILE');
      expect((error as RedisFault).message).not.to.match(/cret/);
    });
  }

  it('is no fault where there is no user, or a password', async () => {
    expect(await readCredentials(addressOf('redis://h'), null)).to.deep.equal({ username: null, password: null });
    expect(await readCredentials(addressOf('redis://:p@h'), null)).to.deep.equal({ username: null, password: 'p' });
    expect(await readCredentials(addressOf('redis://u:p@h'), null)).to.deep.equal({ username: 'u', password: 'p' });
  });
});

import { expect } from 'chai';
import { parseRedisUrl, type RedisAddress, readCredentials } from '../../../../src/adapters/redis/redis-address.ts';
import { RedisError } from '../../../../src/adapters/redis/redis-connection.ts';

const parseAddress = (url: string) => parseRedisUrl(url) as RedisAddress;

describe('A user without a password in the Redis URL', () => {
  for (const url of ['redis://s3cret@h', 'redis://s3cret:@h', 'rediss://s3%63ret@h:7000/1']) {
    it(`is neither shown nor sent, because it may be the password: ${url}`, async () => {
      const address = parseAddress(url);
      expect(address.shown)
        .to.match(/^rediss?:\/\/\*\*\*@h:/)
        .and.not.match(/cret/);
      const error: unknown = await readCredentials(address, null).catch((issue: unknown) => issue);
      expect(error).to.be.instanceOf(RedisError);
      expect((error as RedisError).message)
        .to.include('redis://:PASSWORD@host')
        .and.include('SIGNING_REDIS_PASSWORD_FILE');
      expect((error as RedisError).message).not.to.match(/cret/);
    });
  }

  it('is optional, and is accepted with a password', async () => {
    expect(await readCredentials(parseAddress('redis://h'), null)).to.deep.equal({ username: null, password: null });
    expect(await readCredentials(parseAddress('redis://:p@h'), null)).to.deep.equal({ username: null, password: 'p' });
    expect(await readCredentials(parseAddress('redis://u:p@h'), null)).to.deep.equal({ username: 'u', password: 'p' });
  });
});

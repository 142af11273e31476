import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { PresentedRequest } from '../../../../src/domain/model/authentication.ts';
import { AuthenticationService } from '../../../../src/domain/services/authentication-service.ts';
import type { ReplayClaimResult, ReplayKey } from '../../../../src/ports/replay-guard.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { settledReplayGuard } from '../../../doubles/settled-replay-guard.ts';

const AUTHORITY = Uint8Array.of(1);
const CLIENT = new Uint8Array(32).fill(2);
const SERVICE = Uint8Array.of(3);
const OTHER = Uint8Array.of(4);
/** Fake signatures: the key followed by its message. */
const signed = (key: Uint8Array, message: Uint8Array) => Uint8Array.of(...key, ...message);

describe('AuthenticationService', () => {
  let clock: FixedClock;
  let authorities: { current: readonly Uint8Array[] };
  let claims: ReplayKey[];
  let claim: ReplayClaimResult;
  let verified: Uint8Array[];
  let service: AuthenticationService;

  beforeEach(() => {
    clock = new FixedClock();
    authorities = { current: [OTHER, AUTHORITY] };
    claims = [];
    claim = 'new';
    verified = [];
    service = new AuthenticationService({
      authorities,
      clock,
      identity: {
        isOwn: (key) => Buffer.from(SERVICE).equals(key),
        get token() {
          return expect.fail('No token of the service is needed.');
        },
        sign: () => expect.fail('The service signs nothing here.'),
      },
      verifier: {
        verify: (key, message, signature) => {
          verified.push(key);
          return Buffer.from(signature).equals(signed(key, message));
        },
      },
      guard: {
        ...settledReplayGuard(clock),
        claim: async (key) => {
          claims.push(key);
          return claim;
        },
      },
      hasher: new NodeHasher(),
    });
  });

  function presented(given: Partial<PresentedRequest> = {}): PresentedRequest {
    const tokenContent = Buffer.from('token');
    const content = Buffer.from('request');
    return {
      token: {
        username: 'desk-1',
        publicKey: CLIENT,
        expirationTime: '',
        signature: signed(AUTHORITY, tokenContent),
      },
      tokenName: 'token of desk-1',
      tokenContent,
      expiresAt: clock.now() + 1,
      servicePublicKey: SERVICE,
      madeAt: clock.now(),
      nonce: Uint8Array.of(9),
      content,
      signature: signed(CLIENT, content),
      ...given,
    };
  }
  const wrongToken = { token: { ...presentedToken(), signature: signed(SERVICE, Buffer.from('token')) } };
  function presentedToken() {
    return { username: 'desk-1', publicKey: CLIENT, expirationTime: '', signature: Uint8Array.of() };
  }

  it('reports the first issue, signatures before all else, and uses up no nonce then', async () => {
    const wrong: readonly [fault: string, given: () => Partial<PresentedRequest>][] = [
      ['UNKNOWN_AUTHORITY', () => wrongToken],
      ['INVALID_SIGNATURE', () => ({ signature: signed(OTHER, Buffer.from('request')) })],
      ['WRONG_SERVICE', () => ({ servicePublicKey: OTHER })],
      ['TOKEN_EXPIRED', () => ({ expiresAt: clock.now() })],
      ['TIME_OUT_OF_WINDOW', () => ({ madeAt: clock.now() - 30_001 })],
    ];
    for (const [index, [issue]] of wrong.entries()) {
      const given: Partial<PresentedRequest> = Object.assign(
        {},
        ...wrong
          .slice(index)
          .map(([, make]) => make())
          .reverse(),
      );
      expect(await service.authenticate(presented(given))).to.deep.equal({ ok: false, refusal: issue });
    }
    expect(claims).to.deep.equal([]);
  });

  it("verifies the authority's signature of a token once, and its expiration each time", async () => {
    await service.authenticate(presented());
    verified.length = 0;
    await service.authenticate(presented());
    expect(verified).to.deep.equal([CLIENT]);
    const late = await service.authenticate(presented({ expiresAt: clock.now() }));
    expect(late).to.deep.equal({ ok: false, refusal: 'TOKEN_EXPIRED' });
  });

  it('caches verified tokens while all authorities of that time are trusted, in any order', async () => {
    expect(service.isTokenVerified(presented())).to.equal(false);
    await service.authenticate(presented());
    for (const list of [
      [OTHER, AUTHORITY],
      [AUTHORITY, SERVICE, OTHER],
    ]) {
      authorities.current = list.map((key) => Uint8Array.from(key));
      expect(service.isTokenVerified(presented())).to.equal(true);
      expect(service.isTokenVerified(presented({ tokenName: 'another' }))).to.equal(false);
    }
    authorities.current = [AUTHORITY, SERVICE];
    expect(service.isTokenVerified(presented())).to.equal(false);
  });

  it('caches the last 1024 tokens', async () => {
    for (let number = 0; number <= 1024; number += 1) {
      await service.authenticate(presented({ tokenName: String(number) }));
    }
    verified.length = 0;
    await service.authenticate(presented({ tokenName: '1' }));
    expect(verified).to.deep.equal([CLIENT]);
    await service.authenticate(presented({ tokenName: '0' }));
    expect(verified).to.deep.equal([CLIENT, OTHER, AUTHORITY, CLIENT]);
  });
});

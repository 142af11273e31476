import { expect } from 'chai';
import { areasOf, type CpuProfile, functionsOf, type ProfileNode } from '../../../../scripts/bench/profile-areas.ts';

const MODULES = 'file:///srv/signing-service/node_modules';
const DIST = 'file:///srv/signing-service/dist';

function node(id: number, functionName: string, url: string, ...children: number[]): ProfileNode {
  return { id, callFrame: { functionName, url }, children };
}

const NODES: readonly ProfileNode[] = [
  node(1, '(root)', '', 2, 3, 4, 5),
  node(2, '(idle)', ''),
  node(3, '(garbage collector)', ''),
  node(4, 'unheard', 'node:internal/of'),
  node(5, 'emit', 'node:events', 6),
  node(6, 'makeAll', `${DIST}/domain/services/signature-maker.js`, 7, 11),
  node(7, 'use', `${DIST}/adapters/driven/key-store/sodium-key-store.js`, 8, 10),
  node(8, 'exports.crypto_sign_detached', `${MODULES}/sodium-native/index.js`, 9),
  node(9, 'something native', ''),
  node(10, 'exports.sodium_memzero', `${MODULES}/sodium-native/index.js`),
  node(11, 'sha256Of', `${DIST}/audit-trail/sha256.js`, 12),
  node(12, 'hash', 'node:internal/crypto/hash'),
];

/** A sample of ten microseconds for each of these nodes, from 1000 on. */
function profileOf(...samples: number[]): CpuProfile {
  return { nodes: NODES, startTime: 1000, samples, timeDeltas: samples.map(() => 10) };
}

const ALWAYS = { from: 0, to: 10_000 };

describe('A profile by areas', () => {
  it('gives a sample to the innermost function that is in one of them', () => {
    const areas = areasOf(profileOf(9, 9, 9, 10, 10, 12), ALWAYS);
    expect(areas).to.deep.equal([
      { words: 'libsodium: the signature itself', time: 30 },
      { words: 'vault: opening the key, wiping, access rights', time: 20 },
      { words: 'audit record: masking, line, digests, chain', time: 10 },
    ]);
  });

  it('counts what is in none of them too, and garbage collection and waiting by themselves', () => {
    const areas = areasOf(profileOf(2, 2, 2, 3, 3, 4, 6), ALWAYS);
    expect(areas).to.deep.equal([
      { words: 'waiting for input, and reading it from sockets', time: 30 },
      { words: 'garbage collection', time: 20 },
      { words: 'all else', time: 10 },
      { words: 'services: order of the steps', time: 10 },
    ]);
  });

  it('leaves out what was before the stretch, and after it', () => {
    expect(areasOf(profileOf(4, 4, 3, 3, 4), { from: 1025, to: 1045 })).to.deep.equal([
      { words: 'garbage collection', time: 20 },
    ]);
  });

  it('names functions by the time that they took themselves, with their file', () => {
    expect(functionsOf(profileOf(7, 7, 9, 2), ALWAYS)).to.deep.equal([
      { words: 'use dist/adapters/driven/key-store/sodium-key-store.js', time: 20 },
      { words: 'something native', time: 10 },
    ]);
  });
});

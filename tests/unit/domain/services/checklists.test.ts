import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { ScureStarknetHasher } from '../../../../src/adapters/signing/scure-starknet-hasher.ts';
import {
  ATTEMPT_OPERATIONS,
  type Attempt,
  beginAttempt,
  type CheckedAttempt,
} from '../../../../src/domain/model/attempt.ts';
import { CHECKLISTS } from '../../../../src/domain/services/signing-steps.ts';
import { CONTEXT, createWorkbench, REQUEST, SIGNERS, serveMain } from './signing-workbench.ts';

const PARTS: ReadonlySet<string | symbol> = new Set(['platform', 'account', 'rule', 'payload']);

/** Throws for the reading of a part that no step has found. */
function withoutEmptyParts(attempt: Attempt): CheckedAttempt {
  return new Proxy(attempt, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (value === null && PARTS.has(name)) throw new Error(`${String(name)} is read before it is found`);
      return value;
    },
  }) as CheckedAttempt;
}

describe('The checklist of', () => {
  for (const operation of ATTEMPT_OPERATIONS) {
    it(`${operation} reads each part after the step that finds it, and finds all of them`, () => {
      const { registry, keyStore, clock, retiredKeys, audit } = serveMain(createWorkbench());
      const pure = { hasher: new NodeHasher(), starknet: new ScureStarknetHasher(), signers: SIGNERS };
      const tools = { keyStore, clock, retiredKeys, audit, verifiesSignatures: true, ...pure };
      const attempt = withoutEmptyParts(beginAttempt(operation, REQUEST, CONTEXT, 0, { signature: 'x' }));
      for (const step of CHECKLISTS[operation]) expect(step(attempt, registry.current, tools)).to.equal(null);
      for (const part of PARTS) expect(Reflect.get(attempt, part)).to.be.an('object');
    });
  }
});

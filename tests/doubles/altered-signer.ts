import type { Signer } from '../../src/ports/signer.ts';

/** A Signer with some members replaced by a test. */
export function alteredSigner<Kind extends Signer>(signer: Kind, changes: Partial<Kind>): Kind {
  return new Proxy(signer, {
    get: (target, name) => {
      if (name in changes) return Reflect.get(changes, name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

import type { Issue } from '../../../domain/model/issue.ts';
import { jsonPath } from '../../../domain/payload/json-path.ts';
import type { StructTypes } from './struct-types.ts';

/**
 * How many structs may stand in each other when each type is written out wherever it is used. Encoders walk through types in that way, and a few dozen
 * types can be woven so that the walk never ends.
 */
const MAX_STRUCTS = 64;

/** Other struct types that a type has members of, each with the index of the first such member. */
type Children = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** What of the types forbids to walk through them: a type that leads back to itself, or too many in each other. */
export function findNestingIssue(structs: StructTypes, primaryType: string): Issue | undefined {
  const children = childrenOf(structs);
  const walk = { left: MAX_STRUCTS };
  return findBelow(children, [primaryType], walk);
}

function findBelow(children: Children, ancestors: readonly string[], walk: { left: number }): Issue | undefined {
  walk.left -= 1;
  if (walk.left < 0) {
    return {
      path: 'data.types',
      message: `must not have more than ${MAX_STRUCTS} structs in each other, each type counted wherever it is used`,
    };
  }
  const name = ancestors[ancestors.length - 1] ?? '';
  for (const [child, index] of children.get(name) ?? []) {
    if (ancestors.includes(child)) {
      return {
        path: jsonPath('data', ['types', name, index, 'type']),
        message: 'must not lead back to a type that it stands in: circular types are not encoded',
      };
    }
    const issue = findBelow(children, [...ancestors, child], walk);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function childrenOf(structs: StructTypes): Children {
  return new Map(
    Array.from(structs, ([name, fields]) => {
      const found = fields.flatMap(({ type }, index) => (structs.has(type.base) ? [[type.base, index] as const] : []));
      // The last of equal keys wins in a Map: the first member is named in issues.
      return [name, new Map(found.reverse())] as const;
    }),
  );
}

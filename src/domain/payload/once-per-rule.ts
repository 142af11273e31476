/**
 * Remembers what `prepare` makes of a rule's options, so that it is made once for each rule object and not for each signature. Rules are immutable; what
 * was made of one goes with it.
 */
export function oncePerRule<Rule extends object, Prepared extends object>(
  prepare: (rule: Rule) => Prepared,
): (rule: Rule) => Prepared {
  const known = new WeakMap<Rule, Prepared>();
  return (rule) => {
    const found = known.get(rule);
    if (found !== undefined) return found;
    const prepared = prepare(rule);
    known.set(rule, prepared);
    return prepared;
  };
}

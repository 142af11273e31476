/**
 * Node reads the headers of a request into ordinary objects. With `--disable-proto=throw` a header named `__proto__` makes that throw where nobody can catch it, and the process would end with the first
 * such request. Where that accessor throws it is removed, as `--disable-proto=delete` does: the name is then one like any other, and prototypes are as far out of reach.
 */
export function makeProtoHarmless(): void {
  try {
    Reflect.get({}, '__proto__');
  } catch {
    Reflect.deleteProperty(Object.prototype, '__proto__');
  }
}

/** More names than an object that somebody wrote has: an insertion sort is quadratic. */
const MANY = 32;

/**
 * Names of an object's own members, by their UTF-16 code units. They are few as a rule, and mostly in order: an insertion sort is done with those before `Array.prototype.sort` has begun
 * (`npm run measure:encodings`).
 */
export function namesInOrder(object: object): readonly string[] {
  const names = Object.keys(object);
  // Without a comparison of its own, sort goes by UTF-16 code units.
  if (names.length > MANY) return names.sort();
  for (let index = 1; index < names.length; index += 1) {
    const name = names[index] as string;
    let place = index;
    for (; place > 0 && (names[place - 1] as string) > name; place -= 1) names[place] = names[place - 1] as string;
    names[place] = name;
  }
  return names;
}

/** Values of a systemd unit, in order, by section and key: `Service.ExecStart`. */
export type UnitFile = ReadonlyMap<string, readonly string[]>;

/** Reads a unit or a drop-in. An empty value resets what was said before, as systemd.unit(5) has it. */
export function readUnit(text: string): UnitFile {
  const values = new Map<string, readonly string[]>();
  let section = '';
  for (const line of text.split('\n')) {
    const [, heading] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (heading !== undefined) section = heading;
    const [, key, value = ''] = /^([A-Za-z]+)=(.*)$/.exec(line) ?? [];
    if (key === undefined) continue;
    const name = `${section}.${key}`;
    values.set(name, value === '' ? [] : [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** The variables that a unit sets: `Environment=NAME=value NAME=value`. */
export function environmentOf(unit: UnitFile): { readonly [name: string]: string } {
  const assignments = (unit.get('Service.Environment') ?? []).flatMap((line) => line.split(' '));
  return Object.fromEntries(assignments.map((assignment) => assignment.split(/=(.*)/s, 2)));
}

/** How the requests of a list appear in what is signed. */
export interface RequestForm {
  /** The signed field that names a request; absent: method and path, or the path alone. */
  readonly field?: string | undefined;
  /** Names of query parameters, where nothing separates the query from the path. */
  readonly parameters?: readonly string[] | undefined;
}

/** Stands for one segment of a path, at most once. */
const PLACEHOLDER = '{id}';

/**
 * A condition in CEL: the request is one of these. A request is `METHOD /path`, `/path` where the
 * method is not signed, or the name of an instruction or action. `{id}` in a path stands for one
 * segment that is not empty. All else is compared as it is spelt, so that other letter case, a
 * suffix or one segment more makes another request.
 */
export function toCondition(requests: readonly string[], { field, parameters }: RequestForm): string {
  if (parameters !== undefined) return startsWithTarget(requests, field ?? '', parameters);
  if (field !== undefined) return isOneOf(field, requests);
  const byMethod = new Map<string, string[]>();
  for (const request of requests) {
    const [path = '', method = ''] = request.split(' ').reverse();
    byMethod.set(method, [...(byMethod.get(method) ?? []), path]);
  }
  return Array.from(byMethod, ([method, paths]) =>
    method === '' ? isPath(paths) : `signed.method == "${method}" && (${isPath(paths)})`,
  ).join(' || ');
}

function isPath(paths: readonly string[]): string {
  const exact = paths.filter((path) => !path.includes(PLACEHOLDER));
  const bySuffix = new Map<string, string[]>();
  for (const path of paths.filter((one) => !exact.includes(one))) {
    const [prefix = '', suffix = ''] = path.split(PLACEHOLDER);
    bySuffix.set(suffix, [...(bySuffix.get(suffix) ?? []), prefix]);
  }
  const terms = Array.from(bySuffix, ([suffix, prefixes]) => hasOneSegmentBetween(prefixes, suffix));
  return [...(exact.length === 0 ? [] : [isOneOf('signed.path', exact)]), ...terms].join(' || ');
}

function hasOneSegmentBetween(prefixes: readonly string[], suffix: string): string {
  const end = suffix === '' ? '' : `, size(signed.path) - ${suffix.length}`;
  const terms = [
    'signed.path.startsWith(p)',
    ...(suffix === '' ? [] : [`signed.path.endsWith("${suffix}")`]),
    `size(signed.path) > size(p)${suffix === '' ? '' : ` + ${suffix.length}`}`,
    `!signed.path.substring(size(p)${end}).contains("/")`,
  ];
  return `${toList(prefixes)}.exists(p, ${terms.join(' && ')})`;
}

/** The path, alone or with the name of a parameter and `=` right behind it. */
function startsWithTarget(paths: readonly string[], field: string, parameters: readonly string[]): string {
  const isQuery = `${field}.contains("=") && ${field}.substring(size(p)).split("=")[0] in ${toList(parameters)}`;
  return `${toList(paths)}.exists(p, ${field} == p || ${field}.startsWith(p) && ${isQuery})`;
}

function isOneOf(field: string, names: readonly string[]): string {
  return `${field} in ${toList(names)}`;
}

function toList(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(', ')}]`;
}

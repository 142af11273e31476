/** What a CPU profile of V8 (`node --cpu-prof`) has, as far as it is read here. Times are in microseconds of the machine's monotonic clock. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function as called on one way down the stack. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

/** A stretch of time, microseconds of the machine's monotonic clock. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Time of some work in a stretch, microseconds. */
export interface TimeOfArea {
  readonly words: string;
  readonly time: number;
}

/** Functions of what a signature takes, by `url function`. A sample belongs to the innermost function that is in one of them: what a signer has libsodium do is libsodium's, what the record hashes is the record's. */
const AREAS: readonly (readonly [words: string, functions: RegExp])[] = [
  ['libsodium: the signature itself', /sodium-native\/\S* exports\.crypto_sign_detached/],
  [
    'vault: opening the key, wiping, access rights',
    /sodium-native\/|dist\/secure-memory\/|dist\/adapters\/driven\/key-store\//,
  ],
  ['signature as text, libsecp256k1, Keccak', /dist\/adapters\/driven\/signer\/|hash-wasm\//],
  [
    'audit record: masking, line, digests, chain',
    /dist\/(?:audit-trail|adapters\/driven\/audit-sink|adapters\/driven\/hasher|adapters\/driven\/usage-ledger)\/|mask-data\.js|audit-entry-service\.js/,
  ],
  ['payload: checks, canonical bytes', /dist\/domain\/payload\/|payload-maker\.js|data-format-validator\//],
  [
    'JSON and shape of the request',
    /dist\/json-text\/|json-body\.js|request-body\.js|signing-request\.js|http\/schemas\/|node_modules\/zod\//,
  ],
  ['service log', /dist\/adapters\/driven\/service-log\/|log-requests\.js/],
  ['metrics', /dist\/adapters\/driven\/metrics\/|measure-requests\.js|prom-client/],
  ['Node: HTTP, sockets, streams', /node:_http_|node:net|node:internal\/stream/],
  ['Express', /node_modules\/(?:express|router|finalhandler)\//],
  ['routes: admission, who calls, answers', /dist\/adapters\/driving\//],
  ['services: order of the steps', /dist\/(?:domain|adapters|composition)\//],
  ['garbage collection', /\(garbage collector\)/],
  ['event loop, system calls outside JavaScript', /\(program\)/],
];
const REST = 'all else';
const IDLE = '(idle)';
/** Node tells V8 that it is idle while libuv polls, and with that while it reads what came. */
const POLLING = 'waiting for input, and reading it from sockets';

/** How the time of a stretch is shared out, the most first. */
export function areasOf(profile: CpuProfile, stretch: Stretch): readonly TimeOfArea[] {
  const parents = parentsOf(profile);
  const areaOfNode = new Map(profile.nodes.map((node) => [node.id, areaOf(node, parents)]));
  return summed(profile, stretch, (id) => areaOfNode.get(id) ?? REST);
}

/** Functions by the time that they took themselves, without what they called; the most first. */
export function functionsOf(profile: CpuProfile, stretch: Stretch): readonly TimeOfArea[] {
  const nameOfNode = new Map(profile.nodes.map((node) => [node.id, nameOf(node)]));
  return summed(profile, stretch, (id) => nameOfNode.get(id) ?? REST).filter(({ words }) => words !== IDLE);
}

function summed(
  { startTime, samples, timeDeltas }: CpuProfile,
  { from, to }: Stretch,
  wordsOf: (id: number) => string,
) {
  const times = new Map<string, number>();
  let at = startTime;
  for (const [index, id] of samples.entries()) {
    const time = timeDeltas[index] ?? 0;
    at += time;
    if (at < from || at > to) continue;
    const words = wordsOf(id);
    times.set(words, (times.get(words) ?? 0) + time);
  }
  return [...times].map(([words, time]) => ({ words, time })).sort((left, right) => right.time - left.time);
}

function parentsOf({ nodes }: CpuProfile): ReadonlyMap<number, ProfileNode> {
  return new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)));
}

function areaOf(leaf: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): string {
  for (let node: ProfileNode | undefined = leaf; node !== undefined; node = parents.get(node.id)) {
    const { functionName, url } = node.callFrame;
    if (functionName === IDLE) return POLLING;
    const area = AREAS.find(([, functions]) => functions.test(`${url} ${functionName}`));
    if (area !== undefined) return area[0];
  }
  return REST;
}

/** With its file, as far as that says whose it is. */
function nameOf({ callFrame: { functionName, url } }: ProfileNode): string {
  const file = url.replace(/^.*?\/(?=dist\/|node_modules\/)/, '');
  return `${functionName || '(anonymous)'} ${file}`.trim();
}

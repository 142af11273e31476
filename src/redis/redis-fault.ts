/** Why nothing can be done with Redis just now. The message completes "Redis …: ", and holds nothing that Redis or an operator wrote. */
export class RedisFault extends Error {
  override readonly name = 'RedisFault';
  /** The code of Redis' error reply; null where it was none, or one that is unknown here. */
  readonly code: string | null;
  /** Whether Redis answered, and refused this command alone: what others ask on the same connection has nothing to do with it. */
  readonly isOfCommand: boolean;

  constructor(message: string, code: string | null = null, isOfCommand = false) {
    super(message);
    this.code = code;
    this.isOfCommand = isOfCommand;
  }
}

/** Codes that begin error replies, and what helps. What else such a reply says stays unsaid: it is whatever the other side sends. */
const REPLIES: { readonly [code: string]: string } = {
  NOAUTH: 'it asks for a password',
  WRONGPASS: 'it does not take this user and password',
  NOPERM: "its user may not do what this service needs (docs/OPERATIONS.md, 'Several replicas')",
  OOM: 'it has no memory left for writes (maxmemory)',
  READONLY: 'it is a read-only replica',
  LOADING: 'it is still loading its data',
  MASTERDOWN: 'it is a replica whose master is down',
  MISCONF: 'it refuses writes since it can not save its data',
  NOREPLICAS: 'it refuses writes since it has too few replicas',
  BUSY: 'it is busy with a script',
  WRONGTYPE: 'a key of this service holds something else',
  MOVED: 'it is a node of a cluster, which is not supported',
  CLUSTERDOWN: 'it is a node of a cluster that is down',
  ERR: 'it refuses a command',
};

/** Codes that are about the server or whom it takes this service for, whatever was asked: a new connection may find another server, one that has loaded, or other credentials. */
const OF_SERVER: readonly string[] = ['NOAUTH', 'WRONGPASS', 'READONLY', 'LOADING', 'MASTERDOWN', 'CLUSTERDOWN'];

/** The fault that an error reply tells of. */
export function replyFault(reply: Error): RedisFault {
  const code = /^[A-Z]+/.exec(reply.message)?.[0] ?? '';
  const explanation = REPLIES[code];
  const isOfCommand = !OF_SERVER.includes(code);
  return explanation === undefined
    ? new RedisFault('it answers with an error', null, isOfCommand)
    : new RedisFault(`${explanation} (${code})`, code, isOfCommand);
}

/** What made a connection fail, in words that are safe to log: codes of the operating system and of TLS, never a text from outside. */
export function connectionFault(error: unknown): RedisFault {
  if (error instanceof RedisFault) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^[A-Z][A-Z0-9_]{1,63}$/.test(code)) return new RedisFault(`it can not be reached (${code})`);
  if (error instanceof Error && /^(?:Socket|Connection|Client|Disconnects)/.test(error.constructor.name)) {
    return new RedisFault('the connection was closed');
  }
  return new RedisFault(`unforeseen (${error instanceof Error ? error.constructor.name : typeof error})`);
}

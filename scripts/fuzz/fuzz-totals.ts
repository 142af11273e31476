import { print, printRow } from '../stage/print.ts';
import { answersTo } from './answers-to.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { Transcript } from './play-case.ts';

const TABLE = [38, 7, 7, 9, 8, 8] as const;
const SIGNATURE = /"signature":"/g;

interface Count {
  cases: number;
  answers: number;
  closed: number;
  left: number;
}

const NONE: Count = { cases: 0, answers: 0, closed: 0, left: 0 };

/** What was sent, and what came of it. */
export class FuzzTotals {
  readonly #kinds = new Map<string, Count>();
  readonly #statuses = new Map<number, number>();
  /** Signatures that came in whole answers. */
  signatures = 0;
  cases = 0;
  answers = 0;

  add(one: FuzzCase, transcript: Transcript): void {
    const { end } = transcript;
    const { answers } = answersTo(one, transcript);
    const count = this.#kinds.get(one.kind) ?? { cases: 0, answers: 0, closed: 0, left: 0 };
    this.#kinds.set(one.kind, count);
    count.cases += 1;
    count.answers += answers.length;
    if (end === 'closed') count.closed += 1;
    else count.left += 1;
    this.cases += 1;
    this.answers += answers.length;
    for (const { status, body } of answers) {
      this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
      if (status === 200) this.signatures += body.match(SIGNATURE)?.length ?? 0;
    }
  }

  /** By kind. */
  get kinds(): ReadonlyMap<string, Count> {
    return this.#kinds;
  }

  get statuses(): ReadonlyMap<number, number> {
    return this.#statuses;
  }
}

/** Prints what was sent over HTTP and HTTPS, one line a kind, and how it ended: closed by the service, or left by the caller. */
export function printTotals({ http, https }: { readonly http: FuzzTotals; readonly https: FuzzTotals }): void {
  const kinds = [...new Set([...http.kinds.keys(), ...https.kinds.keys()])].sort();
  printRow(['what was sent', 'HTTP', 'HTTPS', 'answers', 'closed', 'left'], TABLE);
  for (const kind of kinds) {
    const [plain, tls] = [http.kinds.get(kind) ?? NONE, https.kinds.get(kind) ?? NONE];
    const sums = [plain.answers + tls.answers, plain.closed + tls.closed, plain.left + tls.left];
    printRow([kind, ...[plain.cases, tls.cases, ...sums].map(String)], TABLE);
  }
  const statuses = [...new Set([...http.statuses.keys(), ...https.statuses.keys()])].sort();
  const told = statuses.map(
    (status) => `${status} × ${(http.statuses.get(status) ?? 0) + (https.statuses.get(status) ?? 0)}`,
  );
  print(`\nCases: ${http.cases + https.cases}; answers: ${http.answers + https.answers}: ${told.join(', ')}`);
  print(`Signatures that came: ${http.signatures + https.signatures}`);
}

import { faultOf } from './answer-faults.ts';
import type { Failure } from './failure-file.ts';
import type { FuzzCase } from './fuzz-case.ts';
import { type FuzzedService, placesOf } from './fuzzed-service.ts';
import { type FuzzedPlaces, playCase } from './play-case.ts';
import { shrink } from './shrink.ts';

const ENDED = 'a process ended';
const KIND_LENGTH = 30;
const LIMIT_MS = 3000;
const NOTICE_MS = 300;
/** For making failures smaller, of all the time that there is afterwards. */
const MOST_MS = 60_000;
/** Of a process that ended; each takes seconds. */
const MOST_RESTARTS = 40;

/** Plays cases again, one at a time, and makes those that fail smaller. */
export class FindCulprit {
  #services: { readonly http: FuzzedService; readonly https: FuzzedService };
  readonly #certificates: FuzzedPlaces['certificates'];
  readonly #until = performance.now() + MOST_MS;
  #restarts = 0;

  constructor(http: FuzzedService, https: FuzzedService, certificates: FuzzedPlaces['certificates']) {
    this.#services = { http, https };
    this.#certificates = certificates;
  }

  /** The failure with the least bytes that bring it about; as it is when it does not happen again. */
  async smallest(what: string, one: FuzzCase): Promise<Failure> {
    const kind = await this.#faultKind(one);
    if (kind === null) return { what: `${what} (once; not when it was sent again)`, cases: [one] };
    const [bytes = Buffer.alloc(0)] = one.writes;
    if (one.writes.length !== 1) return { what, cases: [one] };
    // What fails in another way is another failure, or none: a part of a request has no answer.
    const isAlike = async (shorter: Buffer) =>
      performance.now() < this.#until && (await this.#faultKind({ ...one, writes: [shorter] })) === kind;
    return { what, cases: [{ ...one, writes: [await shrink(bytes, isAlike)] }] };
  }

  /** Which of the cases ended the process, made smaller; all of them when none does so alone. */
  async ofEnd(what: string, suspects: readonly FuzzCase[]): Promise<Failure> {
    await this.#revive();
    for (const one of suspects) {
      if ((await this.#faultKind(one)) === ENDED) return this.smallest(what, one);
    }
    return { what: `${what} (by none of these alone)`, cases: suspects };
  }

  /** What happens in short, without numbers; null when all is as it should be. */
  async #faultKind(one: FuzzCase): Promise<string | null> {
    if (this.#restarts > MOST_RESTARTS) return null;
    const places = placesOf(this.#services, this.#certificates);
    const transcript = await playCase({ ...one, limitMs: Math.min(one.limitMs, LIMIT_MS) }, places);
    const fault = faultOf(one, transcript);
    await new Promise((resolve) => setTimeout(resolve, fault === null ? 1 : NOTICE_MS));
    const { http, https } = this.#services;
    if (http.isAlive && https.isAlive) return fault?.replaceAll(/\d+/g, '').slice(0, KIND_LENGTH) ?? null;
    await this.#revive();
    return ENDED;
  }

  async #revive(): Promise<void> {
    const { http, https } = this.#services;
    this.#restarts += 1;
    this.#services = {
      http: http.isAlive ? http : await http.restart(),
      https: https.isAlive ? https : await https.restart(),
    };
  }
}

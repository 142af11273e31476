import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { copyFolder } from '../harness/copy-folder.ts';
import { Workplace } from '../harness/service-process.ts';

/** The request that every configured place signs. */
export const SIGN = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

// biome-ignore lint/suspicious/noExplicitAny: records of every event; a wrong path fails the test.
type AuditRecord = any;

/** Copies prepared installations: a fresh place for each test, with its audit file's content. */
export class AuditedPlaces {
  readonly configured = new Workplace();
  /** After one signature and a stop. */
  readonly stopped = new Workplace();
  /** The signing account. */
  signature = '';
  #place: Workplace | undefined;

  /** Place of the current test. */
  get place(): Workplace {
    if (this.#place === undefined) throw new Error('There is no place outside a test.');
    return this.#place;
  }

  async prepare(): Promise<void> {
    const { configured, stopped } = this;
    await configured.prepare('init');
    await configured.prepare('platform', 'add', '--platform', 'alpha', '--format', 'any');
    await configured.prepare('account', 'add', '--platform', 'alpha', '--account', 'main', '--algorithm', 'ed25519');
    this.configure(configured, stopped);
    const service = await stopped.startHere();
    const { body } = await service.post('/sign', SIGN);
    this.signature = body.data.signature;
    await service.stop();
  }

  makePlace(): Workplace {
    this.#place = new Workplace();
    return this.#place;
  }

  configure(from = this.configured, to = this.place): void {
    copyFolder(from.folder, to.folder);
  }

  records(): readonly AuditRecord[] {
    return this.#lines().map((line) => JSON.parse(line));
  }

  auditEvents(): readonly string[] {
    return this.records().map(({ event }) => event);
  }

  /** Appends valid records to the audit file, computed with SHA-256 alone. */
  appendForeignRecords(count: number): void {
    for (let added = 0; added < count; added += 1) {
      const { seq, time } = this.records().at(-1);
      const prevHash = `sha256:${createHash('sha256')
        .update(this.#lines().at(-1) ?? '')
        .digest('hex')}`;
      const { sig: _, ...sign } = this.records().find(({ event }) => event === 'sign');
      appendFileSync(this.place.path('audit.jsonl'), `${JSON.stringify({ ...sign, seq: seq + 1, time, prevHash })}\n`);
    }
  }

  /** Records of a service that signed and stopped. */
  expectCompleteRecord(): void {
    expect(this.auditEvents()).to.deep.equal(['segment', 'start', 'reload', 'sign', 'stop']);
    expect(this.records().at(-1).sig).to.be.a('string');
  }

  #lines(): readonly string[] {
    return readFileSync(this.place.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
  }
}

/** Creates the installations once and a place before each test; removes them. */
export function useAuditedPlaces(): AuditedPlaces {
  const places = new AuditedPlaces();
  before(() => places.prepare());
  after(() => Promise.all([places.configured.remove(), places.stopped.remove()]));
  beforeEach(() => {
    places.makePlace();
  });
  afterEach(() => places.place.remove());
  return places;
}

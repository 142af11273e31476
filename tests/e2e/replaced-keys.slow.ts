import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { memoizeByObject } from '../../src/domain/model/memoize.ts';
import { isEd25519Signature } from '../contracts/independent-verification.ts';
import { signatureBytes } from '../contracts/signature-bytes.ts';
import type { ServiceProcess } from '../harness/service-process.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const CALLERS = 4;
const BATCH_SIZE = 20;
const REPLACEMENTS = 6;
const IDS = ['--platform', 'alpha', '--account', 'main'];

/** A signature, and when its request was sent, milliseconds. */
interface Received {
  readonly sentAt: number;
  readonly text: string;
  readonly signature: string;
  /** As the response names it; absent for an item of a batch. */
  readonly publicKey?: string;
}

describe('A key that is replaced under load', () => {
  const place = useWorkplace(['platform add --platform alpha --format any --rule raw']);
  const received: Received[] = [];
  const failures: unknown[] = [];
  /** Keys in order, and when the reload that put each in force had ended. */
  const keys: { readonly publicKey: string; readonly inForceAt: number }[] = [];
  let service: ServiceProcess;
  let count = 0;
  let isOver = false;

  const isOf = (publicKey: string, { text, signature }: Received) =>
    isEd25519Signature(publicKey, Buffer.from(text), signatureBytes(signature, 'base58'));
  const findSigners = memoizeByObject((one: Received) => keys.filter(({ publicKey }) => isOf(publicKey, one)));
  const toRequest = () => {
    count += 1;
    return { platformId: 'alpha', accountId: 'main', data: { text: `message ${count}` } };
  };

  async function signUntilOver(): Promise<void> {
    while (!isOver) {
      const sentAt = performance.now();
      const request = toRequest();
      const { status, body } = await service.post('/sign', request);
      if (status === 200) received.push({ sentAt, text: request.data.text, ...body.data });
      else failures.push(body);
    }
  }

  async function signBatchesUntilOver(): Promise<void> {
    while (!isOver) {
      const sentAt = performance.now();
      const requests = Array.from({ length: BATCH_SIZE }, (_, index) => ({ requestId: `${index}`, ...toRequest() }));
      const { status, body } = await service.post('/sign/batch', { requests });
      if (status !== 200) failures.push(body);
      for (const [index, result] of (body.data?.results ?? []).entries()) {
        if (result.status !== 'success') failures.push(result);
        else received.push({ sentAt, text: requests[index]?.data.text ?? '', ...result });
      }
    }
  }

  /** Replaces the key; every other time with an overlap. */
  async function replace(index: number): Promise<void> {
    const overlap = index % 2 === 0 ? [] : ['--overlap', '1'];
    const { stdout, stderr, exitCode } = await place.command('account', 'replace-key', ...IDS, ...overlap, '--json');
    expect(exitCode, stderr).to.equal(0);
    const { account, previous } = JSON.parse(stdout);
    expect(previous.publicKey).to.equal(keys.at(-1)?.publicKey);
    expect((await service.post('/config/reload')).status).to.equal(200);
    keys.push({ publicKey: account.publicKey, inForceAt: performance.now() });
  }

  before(async function () {
    this.timeout(120_000);
    await place.prepare('account', 'add', ...IDS, '--algorithm', 'ed25519');
    // With a budget a request waits between its check and its signature, so that reloads come
    // between.
    const file = place.path('credentials.json');
    const budget = { name: 'count', accounts: ['alpha/*'], sum: '1', max: '1000000000', windowSeconds: 3600 };
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), budgets: [budget] }));
    service = await place.start();
    const { publicKey } = (await service.get('/accounts/alpha/main')).body.data;
    keys.push({ publicKey, inForceAt: 0 });

    const callers = [...Array.from({ length: CALLERS }, signUntilOver), signBatchesUntilOver()];
    for (let index = 0; index < REPLACEMENTS; index += 1) {
      await sleep(200);
      await replace(index);
    }
    await sleep(200);
    isOver = true;
    await Promise.all(callers);
  });

  it('fails no call', () => {
    expect(failures).to.deep.equal([]);
    expect(received.length).to.be.greaterThan(REPLACEMENTS);
  });

  it('signs each request with exactly one of its keys, also the one that the response names', () => {
    const used = new Set<string>();
    for (const one of received) {
      const [signer = expect.fail('No key made it.'), ...others] = findSigners(one);
      expect(others).to.deep.equal([]);
      expect(one.publicKey ?? signer.publicKey).to.equal(signer.publicKey);
      used.add(signer.publicKey);
    }
    expect(used.size).to.equal(REPLACEMENTS + 1);
  }).timeout(120_000);

  it('signs no request with a previous key that was sent after the reload had ended', () => {
    for (const one of received) {
      const [signer = expect.fail('No key made it.')] = findSigners(one);
      const replacedAt = keys[keys.indexOf(signer) + 1]?.inForceAt ?? Number.POSITIVE_INFINITY;
      expect(one.sentAt).to.be.lessThan(replacedAt);
    }
  });

  it('has each replacement on record with both public keys', () => {
    const records = readFileSync(place.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const reloads = records.map((line) => JSON.parse(line)).filter(({ event }) => event === 'reload');
    const rekeyed = reloads.slice(1).map(({ data }) => data.accounts.rekeyed);
    expect(rekeyed).to.deep.equal(
      keys
        .slice(1)
        .map(({ publicKey }, index) => [
          { account: 'alpha/main', previousPublicKey: keys[index]?.publicKey, publicKey },
        ]),
    );
  });
});

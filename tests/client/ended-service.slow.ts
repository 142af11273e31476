import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SigningClient, SigningClientError } from '../../src/client/client.ts';
import { addAccount } from '../harness/run-command.ts';
import { useWorkplace } from '../harness/use-workplace.ts';

const CALLERS = 4;

/** Outcomes of all calls. */
interface Counts {
  signed: number;
  certainlyNot: number;
  perhaps: number;
}

describe('SigningClient while the service stops', function () {
  this.timeout(30_000);
  const place = useWorkplace(['platform add --platform desk --format any']);

  before(async () => {
    await addAccount(place.environment, 'desk', 'main', 'ed25519');
  });

  /** Signs in a loop until the service is gone; returns outcomes and audit records. */
  async function signUntil(signal: 'SIGTERM' | 'SIGKILL'): Promise<{ counts: Counts; recorded: number }> {
    place.environment['SIGNING_AUDIT_FILE'] = place.path(`${signal}.jsonl`);
    const service = await place.start();
    const client = new SigningClient({ url: service.url, retry: { baseDelayMs: 5 } });
    const counts: Counts = { signed: 0, certainlyNot: 0, perhaps: 0 };
    const caller = async (own: number): Promise<void> => {
      for (let index = 0; ; index += 1) {
        try {
          await client.sign({ platformId: 'desk', accountId: 'main', data: { own, index } });
          counts.signed += 1;
        } catch (error) {
          if (!(error instanceof SigningClientError)) throw error;
          if (error.mayHaveBeenDone) counts.perhaps += 1;
          else counts.certainlyNot += 1;
          return;
        }
      }
    };
    const callers = Array.from({ length: CALLERS }, (_, own) => caller(own));
    while (counts.signed < 100) await sleep(5);
    service.process.signal(signal);
    await Promise.all(callers);
    await service.process.ended();
    client.close();
    const lines = readFileSync(place.path(`${signal}.jsonl`), 'utf8').split('\n');
    return { counts, recorded: lines.filter((line) => line.includes('"event":"sign"')).length };
  }

  it('gracefully: returns every signature made, and makes none twice', async () => {
    const { counts, recorded } = await signUntil('SIGTERM');
    expect(counts.signed).to.equal(recorded);
    // A request sent on a connection that closes may or may not have been executed.
    expect(counts.certainlyNot + counts.perhaps).to.equal(CALLERS);
  });

  it('abruptly: reports every signature that may have been made, and makes none twice', async () => {
    const { counts, recorded } = await signUntil('SIGKILL');
    expect(counts.certainlyNot + counts.perhaps).to.equal(CALLERS);
    expect(recorded).to.be.within(counts.signed, counts.signed + counts.perhaps);
  });
});

import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { useWorkplace } from '../harness/use-workplace.ts';

describe('main.js', () => {
  const place = useWorkplace();

  for (const argument of ['--help', 'serve']) {
    it(`does not start the service with the argument ${argument}, and names the help command`, async () => {
      const { exitCode, stdout, stderr } = await place.spawn('main.js', [argument]).ended();
      expect({ exitCode, stdout }).to.deep.equal({ exitCode: 2, stdout: '' });
      expect(stderr).to.match(
        /^main\.js takes no arguments\. .*environment variables.*`node dist\/cli\.js --help`.*\n$/,
      );
      expect(existsSync(place.path('audit.jsonl'))).to.equal(false);
    });
  }
});

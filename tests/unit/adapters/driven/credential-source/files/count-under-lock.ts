/** A process that raises the number in a file by one, so many times, each time under the file's lock. Arguments: file, how many. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '../../../../../../src/adapters/driven/credential-source/files/file-lock.ts';

const [file = '', count = '0'] = process.argv.slice(2);
for (let done = 0; done < Number(count); done += 1) {
  await withFileLock(file, async () => {
    const number = Number(await readFile(file, 'utf8'));
    await sleep(1);
    await writeFile(file, String(number + 1));
  });
}

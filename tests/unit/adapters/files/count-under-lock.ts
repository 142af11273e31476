/** Program: increments the number in a file under its lock. Arguments: file, times. */
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { withFileLock } from '../../../../src/adapters/files/file-lock.ts';

const [file = '', count = '0'] = process.argv.slice(2);
for (let done = 0; done < Number(count); done += 1) {
  await withFileLock(file, async () => {
    const number = Number(await readFile(file, 'utf8'));
    await sleep(1);
    await writeFile(file, String(number + 1));
  });
}

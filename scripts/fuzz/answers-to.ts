import { type Answers, readAnswers } from './answers.ts';
import type { FuzzCase } from './fuzz-case.ts';
import type { Transcript } from './play-case.ts';

const HTTP_1_0 = /^[^\r\n]+ HTTP\/1\.0\r?$/m;

/** What came back to a case, read with what is known of its requests. */
export function answersTo(one: FuzzCase, { received, end }: Pick<Transcript, 'received' | 'end'>): Answers {
  return readAnswers(received, {
    methods: one.methods,
    isOfHttp10: HTTP_1_0.test(Buffer.concat(one.writes).toString('latin1')),
    isClosed: end === 'closed',
  });
}

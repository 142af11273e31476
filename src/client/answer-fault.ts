/** An answer's data is not what the API promises. */
export class AnswerFault extends Error {}

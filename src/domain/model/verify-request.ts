import type { Payload } from './payload.ts';
import type { SignRequest } from './sign-request.ts';

/** A signature that somebody holds against data and an account. */
export interface VerifyRequest extends SignRequest {
  /** Text in the encoding of the account's platform. */
  readonly signature: string;
}

/** Whether it is that account's signature over that data. */
export interface VerifiedResult {
  readonly valid: boolean;
  /** What the signature had to be over. */
  readonly payload: Payload;
}

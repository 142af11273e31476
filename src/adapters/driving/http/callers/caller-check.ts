import type { Request, Response } from 'express';
import type { HttpRefusal } from '../http-refusal.ts';

/** Looks at what a connection or the headers show of a caller, says with `identifyCaller` who it is, and gives the reason why the request is refused before anything is done for it; null when it is not. */
export type CallerCheck = (request: Request, response: Response) => HttpRefusal | null;

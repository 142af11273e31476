import type { RequestHandler } from 'express';
import { otherHttpVersion } from '../http-refusal.ts';
import { isServedVersion } from '../http-version.ts';
import { refuseAndClose } from './refuse-and-close.ts';

/** Refuses requests of other versions than HTTP/1.1 and HTTP/1.0, and whatever comes after them on the connection. */
export const requireHttp1: RequestHandler = refuseAndClose(isServedVersion, otherHttpVersion());

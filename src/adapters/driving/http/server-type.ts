import type { Server as HttpServer } from 'node:http';
import type { Server as HttpsServer } from 'node:https';

/** The server that carries the application: plain, or under TLS. */
export type Server = HttpServer | HttpsServer;

import { ServiceUnavailableError } from '../../domain/model/errors.ts';
import { defineCommand } from './define-command.ts';
import { excludes, flag } from './inputs.ts';
import { STATUS_CALL } from './status/source.ts';
import { formatReading, isAsciiTerminal } from './status/status-page.ts';
import { watchStatus } from './status/watch.ts';

/** `status`: shows the state of a running service. */
export const STATUS = defineCommand({
  description: 'show the state of a running service',
  inputs: { watch: excludes(flag('--watch', 'update until Ctrl-C'), 'json'), ...STATUS_CALL },
  manual: {
    notes: [
      "Without --url it calls the operators' port of the settings, else the main port, with https if the settings have TLS, and trusts the certificate in SIGNING_TLS_CERT_FILE. With --url it reads no settings: use it for another machine.",
      'The caller needs the permission `status`. --cert and --key identify it by a client certificate, --token and its companions by an access token of SIGNING_AUTH.',
      'With --watch it runs until Ctrl-C: on a terminal it redraws the page every 2 s, elsewhere it prints a line every 2 s. While the service is away, it is shown as unreachable.',
      'Rates, refusals and records are those of the process that responds: behind a load balancer, call each replica.',
    ],
    settings: [
      ...['SIGNING_ADMIN_HOST', 'SIGNING_ADMIN_PORT', 'SIGNING_HOST', 'SIGNING_PORT'],
      ...['SIGNING_TLS_CERT_FILE', 'SIGNING_TLS_KEY_FILE'],
    ],
    exitCodes: {
      0: 'the service is ready; with --watch, stopped by Ctrl-C',
      2: 'an option, setting or file is invalid',
      4: 'the service responds, but is not ready',
      5: 'no status: the service cannot be reached, or refuses',
    },
    examples: [
      'status',
      'status --watch',
      'status --url https://signer-1.internal:8081 --ca ca.pem --cert operator.pem --key operator.key',
      'status --json | jq .status.audit.head',
    ],
  },
  run: async ({ watch, ...call }, session) => {
    const isAscii = isAsciiTerminal(session.environment);
    const source = await session.openStatusSource(session.environment, call);
    try {
      if (watch) await watchStatus(source, session.openLiveOutput(), isAscii);
      const reading = watch ? null : await source.read();
      if (reading?.ready === false) session.endAs('notReady');
      return { reading, isAscii };
    } finally {
      source.close();
    }
  },
  document: ({ reading }) => reading ?? {},
  text: ({ reading, isAscii }, page) =>
    reading === null || (reading.ready === null && reading.status === null)
      ? ''
      : formatReading(reading, page, isAscii),
  conclude: ({ reading }) => {
    const problem = reading?.problem;
    if (problem) throw new ServiceUnavailableError(problem.message, problem.kind === 'not-ready');
  },
});

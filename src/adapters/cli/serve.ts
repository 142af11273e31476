import { defineCommand } from './define-command.ts';

/** `serve`: runs the service. */
export const SERVE = defineCommand({
  description: 'run the service until SIGTERM or SIGINT',
  manual: {
    notes: ['It uses all settings.'],
    exitCodes: {
      0: 'stopped by a signal; in-flight requests were completed',
      2: 'failed to start (see standard error)',
    },
    examples: ['serve'],
  },
  run: (_, session) => session.serve(session.environment),
});

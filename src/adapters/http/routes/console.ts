import { programPath, readProgramFile } from '../../../program/program-file.ts';
import { type Endpoint, ROUTES, type Route } from '../route.ts';
import { consoleQuery } from '../schemas/queries.ts';
import { fileEndpoint } from './file-endpoint.ts';

/** Nothing but the console's own files, responses of this service, and the icon in the page. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * The read-only console: three files, read once, over `GET /status`, `/readyz` and `/accounts`.
 * @throws OperatorError naming a file that is missing
 */
export function consoleRoutes(hasOwnPort: boolean): readonly Route[] {
  const page = { ...readConsoleFile('index.html', 'text/html'), query: consoleQuery };
  return [
    { ...ROUTES.console, ...page },
    ...(hasOwnPort ? [{ ...ROUTES.consoleHome, ...page }] : []),
    { ...ROUTES.consoleScript, ...readConsoleFile('console.js', 'text/javascript') },
    { ...ROUTES.consoleStyles, ...readConsoleFile('console.css', 'text/css') },
  ];
}

function readConsoleFile(name: string, type: string): Endpoint {
  return readProgramFile(programPath(`console/${name}`, `dist/console/${name}`), (text) =>
    fileEndpoint(text, `${type}; charset=utf-8`, POLICY),
  );
}

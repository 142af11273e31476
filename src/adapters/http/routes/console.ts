import { programPath, readProgramFile } from '../../files/program-file.ts';
import { respondWithText } from '../responses.ts';
import { type Endpoint, ROUTES, type Route } from '../route.ts';
import { consoleQuery } from '../schemas/queries.ts';

/**
 * Content-Security-Policy (W3C CSP Level 3): nothing but the console's own files, responses of this
 * service, and the icon, which is in the page.
 */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", 'img-src data:'],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

/**
 * The read-only console: three files, read once, over `GET /status`, `/readyz` and `/accounts`.
 * @throws OperatorError naming a file that is missing
 */
export function consoleRoutes(hasOwnPort: boolean): readonly Route[] {
  const page = { ...fileEndpoint('index.html', 'text/html'), query: consoleQuery };
  return [
    { ...ROUTES.console, ...page },
    ...(hasOwnPort ? [{ ...ROUTES.consoleHome, ...page }] : []),
    { ...ROUTES.consoleScript, ...fileEndpoint('console.js', 'text/javascript') },
    { ...ROUTES.consoleStyles, ...fileEndpoint('console.css', 'text/css') },
  ];
}

function fileEndpoint(name: string, type: string): Endpoint {
  const text = readProgramFile(programPath(`console/${name}`, `dist/console/${name}`), (read) => read);
  return {
    handle({ response }) {
      response.setHeader('Content-Security-Policy', POLICY);
      respondWithText(response, 200, `${type}; charset=utf-8`, text);
      return undefined;
    },
  };
}

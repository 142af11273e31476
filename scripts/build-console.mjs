import { buildSync } from 'esbuild';

/** Makes the page, the style sheet and the script of the console, the latter with all it imports. */
export function buildConsole(folder) {
  buildSync({
    entryPoints: ['index.html', 'console.css', 'console.ts'].map((file) => `src/console/${file}`),
    outdir: folder,
    bundle: true,
    loader: { '.css': 'copy', '.html': 'copy' },
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
  });
}

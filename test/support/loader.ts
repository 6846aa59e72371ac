// Loads sources natively, as the bundle would: a template is its text, and JSX becomes calls of React's product build.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

/** What follows a source's name where a test wants modules of its own: all that these import are its own, too. */
const OWN = '?own';
const SOURCE = /^\.{1,2}\/.*\.(?:tsx?|eta)$/;
const VITEST = /(?:%3F|\?)vitest=\d+$/;
const STRING_WIDTH = new URL('../../bin/string-width.js', import.meta.url).href;
const JSX = { jsx: { runtime: 'automatic', development: false }, sourcemap: true } as const;
/** Who watches sources is told by Vitest's own hook which test imports which: it runs where this one passes on. */
const isWatching = process.env.VITEST_MODE === 'WATCH';

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (specifier === 'string-width' && !parentURL.endsWith('/bin/string-width-library.cjs'))
      return { url: STRING_WIDTH, format: 'module', shortCircuit: true };
    const isOwn = parentURL.endsWith(OWN);
    if (isWatching && !isOwn) return next(specifier, context);
    // Vitest wants a file that tests are in anew at each run; here, it is run once.
    const isOfVitest = VITEST.test(specifier);
    if (!isOfVitest && (!SOURCE.test(specifier) || parentURL.includes('/node_modules/')))
      return next(specifier, context);
    // Relative, and with its ending, as all our imports are: there is nothing to look for.
    const { href } = new URL(specifier.replace(VITEST, ''), parentURL);
    const format = href.endsWith('.ts') ? 'module-typescript' : 'module';
    return { url: isOwn ? `${href}${OWN}` : href, format, shortCircuit: true };
  },
  load(url, context, next) {
    const place = url.replace(/\?.*$/, '');
    if (!/\.(?:eta|tsx)$/.test(place)) return next(url, context);
    const file = fileURLToPath(place);
    const text = readFileSync(file, 'utf8');
    return {
      format: 'module',
      shortCircuit: true,
      source: file.endsWith('.eta') ? `export default ${JSON.stringify(text)};` : calls(file, text),
    };
  },
});

function calls(file: string, text: string): string {
  const { code, map } = transformSync(file, text, JSX);
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  return `${code}\n//# sourceMappingURL=${url}\n`;
}

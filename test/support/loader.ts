// Loads sources natively, with the result of the bundle: a template is its text, and JSX calls React's production
// build.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

/** URL suffix of a source that a test loads as separate module instances. All its imports get the suffix, too. */
const INSTANCE_SUFFIX = '?own';
const SOURCE = /^\.{1,2}\/.*\.(?:tsx?|eta)$/;
const VITEST = /(?:%3F|\?)vitest=\d+$/;
const STRING_WIDTH = new URL('../../bin/string-width.js', import.meta.url).href;
const JSX = { jsx: { runtime: 'automatic', development: false }, sourcemap: true } as const;
/** In watch mode Vitest's own hook has to see which test imports which source. It runs when this hook passes on. */
const isWatching = process.env.VITEST_MODE === 'WATCH';

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    if (specifier === 'string-width' && !parentURL.endsWith('/bin/string-width-library.cjs'))
      return { url: STRING_WIDTH, format: 'module', shortCircuit: true };
    const isSeparate = parentURL.endsWith(INSTANCE_SUFFIX);
    if (isWatching && !isSeparate) return next(specifier, context);
    // Vitest requests a fresh instance of a test file for each run. Here, each file runs once.
    const isTestFile = VITEST.test(specifier);
    if (!isTestFile && (!SOURCE.test(specifier) || parentURL.includes('/node_modules/')))
      return next(specifier, context);
    // All imports of the project are relative and have an extension: there is nothing to search for.
    const { href } = new URL(specifier.replace(VITEST, ''), parentURL);
    const format = href.endsWith('.ts') ? 'module-typescript' : 'module';
    return { url: isSeparate ? `${href}${INSTANCE_SUFFIX}` : href, format, shortCircuit: true };
  },
  load(url, context, next) {
    const fileUrl = url.replace(/\?.*$/, '');
    if (!/\.(?:eta|tsx)$/.test(fileUrl)) return next(url, context);
    const file = fileURLToPath(fileUrl);
    const text = readFileSync(file, 'utf8');
    return {
      format: 'module',
      shortCircuit: true,
      source: file.endsWith('.eta') ? `export default ${JSON.stringify(text)};` : compileJsx(file, text),
    };
  },
});

function compileJsx(file: string, text: string): string {
  const { code, map } = transformSync(file, text, JSX);
  const url = `data:application/json;base64,${Buffer.from(JSON.stringify(map)).toString('base64')}`;
  return `${code}\n//# sourceMappingURL=${url}\n`;
}

// Prints the size of the project: files, lines, exports and imports of the sources, and the lines of the tests.
// `node test/tools/figures.ts [ROOT]`
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';

const SOURCE_FOLDERS = ['src', 'screens', 'templates', 'bin'];

interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly exports: number;
  readonly imports: number;
}

/** Counts the files below a folder of the project; exports and imports only of JavaScript and TypeScript. */
function countFolder(root: string, folder: string): Figures {
  const start = join(root, folder);
  const entries = existsSync(start) ? readdirSync(start, { recursive: true, withFileTypes: true }) : [];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  let [lines, exports, imports] = [0, 0, 0];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    lines += text.split('\n').length - 1;
    if (!/\.[jt]sx?$/.test(file)) continue;
    const { module } = parseSync(file, text);
    imports += module.staticImports.length;
    exports += module.staticExports.flatMap(({ entries: names }) => names).length;
  }
  return { files: files.length, lines, exports, imports };
}

const root = process.argv[2] ?? '.';
const sources = SOURCE_FOLDERS.map((folder) => countFolder(root, folder));
const sum = (key: keyof Figures) => sources.reduce((total, figures) => total + figures[key], 0);
process.stdout.write(
  [
    `source files       ${sum('files')}`,
    `source lines       ${sum('lines')}`,
    `exports            ${sum('exports')}`,
    `import statements  ${sum('imports')}`,
    `test lines         ${countFolder(root, 'test').lines}`,
    '',
  ].join('\n'),
);

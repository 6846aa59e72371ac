// Checks the direction of the imports. Reads every import with a real parser (type imports and import() too) and counts
// them. Fails when it read too few: a checker that reads nothing must not pass.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

/**
 * The base folders, which everything may import. `ALLOWED` then lists the other folders that each folder may import.
 */
const BASE = ['i18n', 'platform'];
const DATA = [...BASE, 'design', 'openshift'];
const SITE = ['kube', 'csr', 'host', 'probes', 'installer'];
const ALLOWED: Record<string, readonly string[]> = {
  platform: [],
  i18n: ['platform'],
  design: BASE,
  openshift: BASE,
  probes: [...DATA, 'host', 'installer'],
  host: [...DATA, 'probes'],
  installer: DATA,
  session: DATA,
  kube: [...DATA, 'probes'],
  csr: [...DATA, 'checks', 'kube', 'probes', 'session'],
  infra: [...DATA, 'checks', 'kube', 'probes', 'session'],
  artifacts: [...DATA, 'infra', 'templates'],
  checks: [...DATA, ...SITE, 'artifacts'],
  steps: [...DATA, ...SITE, 'checks', 'infra', 'session', 'artifacts'],
  wizard: [...DATA, 'checks', 'steps'],
  rows: [...BASE, 'wizard'],
  ui: [...BASE, 'rows', 'wizard'],
  terminal: BASE,
  plain: [...DATA, 'checks', 'wizard', 'steps', 'session', 'rows', 'terminal'],
  cli: [...DATA, 'checks', 'csr', 'infra', 'wizard', 'steps', 'session', 'plain', 'rows', 'terminal', 'rehearsal'],
  rehearsal: [...BASE, 'design', 'templates'],
  // The line-by-line output also has everything that the screens show.
  screens: [...DATA, 'checks', 'csr', 'infra', 'wizard', 'rows', 'ui', 'terminal', 'steps', 'plain'],
};

/** Imports of single files beyond the list of their folder. */
const EXCEPTIONS: readonly { readonly file: RegExp; readonly target: RegExp }[] = [
  // Opening a cluster, with --design and --kubeconfig or with --dir.
  { file: /^src\/cli\/shared\/cluster-target\.ts$/, target: /^src\/kube\/connect-cluster\.ts$/ },
];

/** Packages and Node.js modules that only some folders may import. */
const RESTRICTED: readonly { readonly module: RegExp; readonly folders: RegExp }[] = [
  { module: /^(?:react|ink)(?:\/|$)/, folders: /^(?:ui|screens|terminal)$/ },
  { module: /^@kubernetes\/client-node/, folders: /^kube$/ },
  { module: /^conf$/, folders: /^session$/ },
  { module: /^execa$/, folders: /^(?:host|installer|cli|rehearsal)$/ },
  { module: /^@peculiar\/x509$/, folders: /^rehearsal$/ },
  { module: /^zod$/, folders: /^platform$/ },
];

export interface Violation {
  readonly file: string;
  readonly specifier: string;
  readonly reason: string;
}

export interface Report {
  readonly files: number;
  readonly imports: number;
  readonly violations: readonly Violation[];
}

/** Checks the tree below `root`, which has `src/` and `screens/`. */
export function checkImports(root: string): Report {
  const files = [...listSources(join(root, 'src')), ...listSources(join(root, 'screens'))];
  const violations: Violation[] = [];
  const edges = new Map<string, string[]>(files.map((file) => [file, []]));
  let imports = 0;
  for (const file of files) {
    const folder = getFolder(root, file);
    for (const { specifier, isType } of parseImports(file)) {
      imports += 1;
      if (specifier.startsWith('.')) edges.get(file)?.push(resolve(dirname(file), specifier));
      const reason = checkImport(root, file, folder, specifier, isType);
      if (reason) violations.push({ file: relative(root, file), specifier, reason });
    }
  }
  for (const cycle of findCycles(edges)) {
    const [file = '', specifier = ''] = cycle.map((each) => relative(root, each));
    violations.push({ file, specifier, reason: `a cycle: ${cycle.map((each) => relative(root, each)).join(' -> ')}` });
  }
  return { files: files.length, imports, violations };
}

/**
 * Finds files that import each other, by type or by value. Each cycle begins with the file where the search reached it.
 */
function findCycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const cycles: string[][] = [];
  const visited = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    if (path.includes(file)) return void cycles.push([...path.slice(path.indexOf(file)), file]);
    if (visited.has(file)) return;
    visited.add(file);
    path.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    path.pop();
  };
  for (const file of edges.keys()) visit(file);
  return cycles;
}

function checkImport(root: string, file: string, folder: string, specifier: string, isType: boolean): string | null {
  // The entry writes the first frame itself, before the components are loaded.
  const isPage = folder === 'screens' && file.endsWith('.ts') && !file.endsWith('/app/main.ts');
  if (!specifier.startsWith('.')) {
    if (isPage && /^(?:react|ink)(?:\/|$)/.test(specifier)) return 'a page is rows: only components (.tsx) import it';
    if (specifier.startsWith('node:') && (/^(?:ui|rows)$/.test(folder) || isScreenPart(file, folder)))
      return 'screens, rows and ui do no I/O';
    if (
      /^(?:design|openshift|moves|artifacts|diagnosis|i18n)$/.test(folder) &&
      /^node:(?!net$|crypto$|util$)/.test(specifier)
    )
      return `${folder} is pure`;
    const restricted = RESTRICTED.find(({ module }) => module.test(specifier));
    return restricted && !restricted.folders.test(folder) ? `only ${restricted.folders.source} may import it` : null;
  }
  const target = resolve(dirname(file), specifier);
  if (folder === 'screens' && getFolder(root, target) === 'screens') {
    const [from, to] = [getScreen(root, file), getScreen(root, target)];
    return from === to || from === 'app' || to === 'shared' ? null : 'screens do not import each other';
  }
  const to = getFolder(root, target);
  if (isPage && to === 'ui') return 'a page is rows: only components (.tsx) draw them';
  if (folder === 'steps' && to === 'steps')
    return checkStepImport(getStepFolder(root, file), getStepFolder(root, target), target);
  if (to === folder || ALLOWED[folder]?.includes(to)) return null;
  const [from, targetPath] = [relative(root, file), relative(root, target)];
  if (EXCEPTIONS.some((one) => one.file.test(from) && one.target.test(targetPath))) return null;
  // The direction holds for types too, although they do not exist at run time.
  return `${folder} may not import ${to}${isType ? ' (not even its types)' : ''}`;
}

/** Modules that every step uses, besides the registry in the root of the folder. */
const STEP_BASE = ['contract', 'step-action', 'step-state', 'probe-cache', 'wait-progress'];

/** A step imports shared code, and of another step its only file or its index. Shared code imports no step. */
function checkStepImport(from: string, to: string, target: string): string | null {
  if (from === to || from === 'registry' || STEP_BASE.includes(to)) return null;
  if (STEP_BASE.includes(from)) return 'a base module of the steps imports no step';
  if (to === 'shared') return null;
  if (from === 'shared') return 'shared code of the steps imports no step';
  return target.endsWith('/index.ts') || dirname(target).endsWith('/steps')
    ? null
    : "a step imports another step's index.ts alone";
}

/** `src/steps/boot/node-join.ts` -> `boot`; `src/steps/contract.ts` -> `contract`. */
function getStepFolder(root: string, file: string): string {
  return (relative(join(root, 'src/steps'), file).split('/')[0] ?? '').replace(/\.ts$/, '');
}

function isScreenPart(file: string, folder: string): boolean {
  return folder === 'screens' && !/\/app\/(?:main|mount)\.tsx?$/.test(file);
}

/** `screens/boot.tsx` -> `boot`; `screens/app/start.tsx` -> `app`. The code that connects them is `app`. */
function getScreen(root: string, file: string): string {
  return (relative(join(root, 'screens'), file).split('/')[0] ?? '').replace(/\.tsx?$/, '');
}

function getFolder(root: string, file: string): string {
  const [top = '', second = ''] = relative(root, file).split('/');
  return top === 'src' ? second : top;
}

function parseImports(file: string): { specifier: string; isType: boolean }[] {
  const text = readFileSync(file, 'utf8');
  const { module, errors } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const found = module.staticImports.map((entry) => ({
    specifier: entry.moduleRequest.value,
    isType: entry.entries.length > 0 && entry.entries.every(({ isType }) => isType),
  }));
  for (const entry of module.staticExports.flatMap(({ entries }) => entries)) {
    if (entry.moduleRequest) found.push({ specifier: entry.moduleRequest.value, isType: entry.isType });
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = text.slice(moduleRequest.start, moduleRequest.end);
    if (/^['"]/.test(specifier)) found.push({ specifier: specifier.slice(1, -1), isType: false });
  }
  return found;
}

function listSources(dir: string): string[] {
  try {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const report = checkImports(resolve(dirname(fileURLToPath(import.meta.url)), '../..'));
  for (const { file, specifier, reason } of report.violations) console.error(`${file}: ${specifier}: ${reason}`);
  const hasTooFewImports = report.imports < report.files;
  if (hasTooFewImports)
    console.error(`only ${report.imports} imports found in ${report.files} files: the checker misses some`);
  console.log(`${report.imports} imports in ${report.files} files, ${report.violations.length} against the direction`);
  process.exitCode = report.violations.length > 0 || hasTooFewImports ? 1 : 0;
}

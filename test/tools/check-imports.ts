// Checks the direction of the imports. Reads every import with a real parser (type imports and import() too), counts
// them, and fails when it read too few: a checker that reads nothing must not pass.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'rolldown/utils';

/** The ground floor, which everything may import; then which rooms each room may import besides itself. */
const GROUND = ['i18n', 'platform'];
const DATA = [...GROUND, 'design', 'diagnosis'];
const ALLOWED: Record<string, readonly string[]> = {
  platform: [],
  i18n: ['platform'],
  design: GROUND,
  openshift: GROUND,
  moves: [...GROUND, 'design', 'openshift'],
  diagnosis: [...GROUND, 'design', 'openshift', 'moves'],
  artifacts: [...DATA, 'moves', 'templates'],
  session: DATA,
  installer: DATA,
  bastion: DATA,
  cluster: [...DATA, 'openshift', 'moves'],
  steps: [...DATA, 'openshift', 'moves', 'cluster', 'bastion', 'installer', 'session', 'artifacts'],
  wizard: [...DATA, 'steps'],
  ui: [...DATA, 'wizard'],
  terminal: GROUND,
  plain: [...DATA, 'wizard', 'steps', 'session', 'terminal'],
  cli: [...DATA, 'moves', 'wizard', 'steps', 'session', 'plain', 'terminal', 'rehearsal'],
  rehearsal: [...GROUND, 'design', 'templates'],
  // What the screens can do and show is also said line by line.
  screens: [...DATA, 'wizard', 'ui', 'terminal', 'steps', 'plain'],
};

/** What single files may import beyond their room's list. */
const EXCEPTIONS: readonly { readonly file: RegExp; readonly target: RegExp }[] = [
  // Opening a cluster, with --design and --kubeconfig or with --dir.
  { file: /^src\/cli\/shared\/live\.ts$/, target: /^src\/cluster\/client\.ts$/ },
];

/** Packages and Node modules that only some rooms may import. */
const CAPTIVE: readonly { readonly what: RegExp; readonly rooms: RegExp }[] = [
  { what: /^(?:react|ink|ink-select-input)(?:\/|$)/, rooms: /^(?:ui|screens|terminal)$/ },
  { what: /^@kubernetes\/client-node/, rooms: /^cluster$/ },
  { what: /^conf$/, rooms: /^session$/ },
  { what: /^execa$/, rooms: /^(?:bastion|installer|cli|rehearsal)$/ },
  { what: /^@peculiar\/x509$/, rooms: /^rehearsal$/ },
  { what: /^zod$/, rooms: /^platform$/ },
];

export interface Violation {
  readonly file: string;
  readonly specifier: string;
  readonly why: string;
}

export interface Report {
  readonly files: number;
  readonly imports: number;
  readonly violations: readonly Violation[];
}

/** Checks the tree under `root`, which has `src/` and `screens/`. */
export function checkImports(root: string): Report {
  const files = [...sources(join(root, 'src')), ...sources(join(root, 'screens'))];
  const violations: Violation[] = [];
  const edges = new Map<string, string[]>(files.map((file) => [file, []]));
  let imports = 0;
  for (const file of files) {
    const room = roomOf(root, file);
    for (const { specifier, isType } of importsOf(file)) {
      imports += 1;
      if (specifier.startsWith('.')) edges.get(file)?.push(resolve(dirname(file), specifier));
      const why = judge(root, file, room, specifier, isType);
      if (why) violations.push({ file: relative(root, file), specifier, why });
    }
  }
  for (const circle of circlesOf(edges)) {
    const [file = '', specifier = ''] = circle.map((each) => relative(root, each));
    violations.push({ file, specifier, why: `a circle: ${circle.map((each) => relative(root, each)).join(' -> ')}` });
  }
  return { files: files.length, imports, violations };
}

/** Files that import each other, by type or by value, each circle from the file where the search came to it. */
function circlesOf(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file)) return;
    done.add(file);
    path.push(file);
    for (const next of edges.get(file) ?? []) visit(next);
    path.pop();
  };
  for (const file of edges.keys()) visit(file);
  return circles;
}

function judge(root: string, file: string, room: string, specifier: string, isType: boolean): string | null {
  if (!specifier.startsWith('.')) {
    if (specifier.startsWith('node:') && (room === 'ui' || isScreenPart(file, room))) return 'screens and ui do no I/O';
    if (
      /^(?:design|openshift|moves|artifacts|diagnosis|i18n)$/.test(room) &&
      /^node:(?!net$|crypto$|util$)/.test(specifier)
    )
      return `${room} is pure`;
    const captive = CAPTIVE.find(({ what }) => what.test(specifier));
    return captive && !captive.rooms.test(room) ? `only ${captive.rooms.source} may import it` : null;
  }
  const target = resolve(dirname(file), specifier);
  if (room === 'screens' && roomOf(root, target) === 'screens') {
    const [from, to] = [screenOf(root, file), screenOf(root, target)];
    return from === to || from === 'app' || to === 'shared' ? null : 'screens do not import each other';
  }
  const to = roomOf(root, target);
  if (room === 'steps' && to === 'steps') return judgeStep(stepRoom(root, file), stepRoom(root, target), target);
  if (to === room || ALLOWED[room]?.includes(to)) return null;
  const [from, into] = [relative(root, file), relative(root, target)];
  if (EXCEPTIONS.some((one) => one.file.test(from) && one.target.test(into))) return null;
  // A type is gone at run time, but the direction holds for it as well.
  return `${room} may not import ${to}${isType ? ' (not even its types)' : ''}`;
}

/** What every step stands on, beside the registry in the root of the room. */
const GROUND_OF_STEPS = ['contract', 'step-state', 'probe-cache'];

/** A step imports shared code and the index of another step; shared code imports no step. */
function judgeStep(from: string, to: string, target: string): string | null {
  if (from === to || from === 'registry' || GROUND_OF_STEPS.includes(to)) return null;
  if (GROUND_OF_STEPS.includes(from)) return 'what every step stands on imports none of them';
  if (to === 'shared') return null;
  if (from === 'shared') return 'what all steps share imports none of them';
  return target.endsWith('/index.ts') ? null : "a step imports another step's index.ts alone";
}

/** `src/steps/boot/joining.ts` -> `boot`; `src/steps/contract.ts` -> `contract`. */
function stepRoom(root: string, file: string): string {
  return (relative(join(root, 'src/steps'), file).split('/')[0] ?? '').replace(/\.ts$/, '');
}

function isScreenPart(file: string, room: string): boolean {
  return room === 'screens' && !file.endsWith('/app/main.tsx');
}

/** `screens/boot.tsx` -> `boot`; `screens/hosts/rows.ts` -> `hosts`; what wires them is `app`. */
function screenOf(root: string, file: string): string {
  return (relative(join(root, 'screens'), file).split('/')[0] ?? '').replace(/\.tsx?$/, '');
}

function roomOf(root: string, file: string): string {
  const [top = '', second = ''] = relative(root, file).split('/');
  return top === 'src' ? second : top;
}

function importsOf(file: string): { specifier: string; isType: boolean }[] {
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

function sources(dir: string): string[] {
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
  for (const { file, specifier, why } of report.violations) console.error(`${file}: ${specifier}: ${why}`);
  const isBlind = report.imports < report.files;
  if (isBlind)
    console.error(`only ${report.imports} imports seen in ${report.files} files: the checker does not see them`);
  console.log(`${report.imports} imports in ${report.files} files, ${report.violations.length} against the direction`);
  process.exitCode = report.violations.length > 0 || isBlind ? 1 : 0;
}

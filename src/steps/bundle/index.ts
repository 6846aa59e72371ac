import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { redactPasswords } from '../../design/imports/yaml-output.ts';
import { jobFiles } from '../../host/jobs/job-files.ts';
import { findJob } from '../../host/jobs/job-status.ts';
import { readProgramFacts } from '../../host/programs.ts';
import { createTar } from '../../host/tar.ts';
import { type Catalogue, catalogue } from '../../i18n/catalogue.ts';
import { homeDirectory } from '../../platform/environment.ts';
import { sanitize } from '../../platform/sanitize.ts';
import { containsSecret, redact, redactJson, redactLines } from '../../platform/secrets.ts';

import { workspace } from '../shared/workspace.ts';
import { readFileTail } from './file-tail.ts';
import { registerInstallSecrets } from './known-secrets.ts';
import { listFiles } from './listing.ts';

/** Kind of a file in a bundle. */
type BundlePart = keyof Catalogue['bundle']['parts'];

/** A file of a bundle, without secrets. */
interface BundleFile {
  /** Its path in the bundle. */
  readonly path: string;
  readonly part: BundlePart;
  readonly text: string;
}

/** Support bundle: the files that the user sends to a support engineer. */
export interface Bundle {
  readonly files: readonly BundleFile[];
  /** Expected files that are missing, and why. */
  readonly missing: readonly { readonly path: string; readonly why: string }[];
}

interface BundleOptions {
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of upi-wizard. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Format of a file: one JSON document, one per line, or text. */
type FileFormat = 'json' | 'lines' | 'text';

interface BundleSource {
  readonly path: string;
  readonly part: BundlePart;
  readonly file: string;
  readonly format: FileFormat;
}

/** Number of last lines of a job's output; of other files, as much as is read at once. */
const JOB_LINES = 500;

/**
 * Gathers files that help to understand an installation, and no secrets: it reads only these files, redacts every text,
 * and omits texts that still contain a known secret. The order is always the same.
 */
export async function gatherBundle({ dir, env, version, now }: BundleOptions): Promise<Bundle> {
  const session = await readFileTail(join(workspace(dir).state, 'session.json'));
  const saved = 'text' in session ? tryParseJson(session.text) : undefined;
  const design = isRecord(saved) ? saved.design : undefined;
  await registerInstallSecrets(dir, design, env);

  const files: BundleFile[] = [];
  const missing: { path: string; why: string }[] = [];
  const add = (path: string, part: BundlePart, text: string) => {
    if (text.trim() === '') return;
    const safe = sanitize(text, Number.POSITIVE_INFINITY);
    if (containsSecret(safe)) missing.push({ path, why: words().withheld });
    else files.push({ path, part, text: safe.endsWith('\n') ? safe : `${safe}\n` });
  };

  add('about.json', 'about', formatJson(await describeInstallation(dir, version, now)));
  add('programs.json', 'programs', formatJson(await readProgramFacts([dir, join(dir, 'bin')], env.PATH ?? '')));
  if (isRecord(design)) add('design.json', 'design', formatJson(redactPasswords(design).document));
  for (const { path, part, file, format } of await listSources(dir, homeDirectory(env))) {
    const found = await readFileTail(file);
    if ('text' in found)
      add(path, part, part === 'job' ? takeLastLines(FORMATTERS[format](found.text)) : FORMATTERS[format](found.text));
    else if (found.why !== null) missing.push({ path, why: found.why });
  }
  for (const name of await listJobNames(dir)) add(`jobs/${name}.json`, 'job', formatJson(await describeJob(dir, name)));
  add('listing.txt', 'listing', redactLines(await listFiles(dir)));
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), missing };
}

const words = () => catalogue().bundle;

async function listSources(dir: string, home: string): Promise<readonly BundleSource[]> {
  const { state, jobs, files, installerLog, bootLog, bootConfig, report } = workspace(dir);
  const names = (await readdir(state).catch(() => [])).sort();
  const stateFiles = names.flatMap((name): BundleSource[] => {
    const file = join(state, name);
    if (/^session\.(?:previous\.)?json$/.test(name)) return [{ path: name, part: 'session', file, format: 'json' }];
    if (/^session\.json\.bad-\d{1,4}$/.test(name)) return [{ path: name, part: 'session', file, format: 'text' }];
    if (/^journal(?:\.\d{1,4})?\.ndjson$/.test(name)) return [{ path: name, part: 'journal', file, format: 'lines' }];
    return [];
  });
  const jobLogs = (await listJobNames(dir)).map(
    (name): BundleSource => ({ path: `jobs/${name}.log`, part: 'job', file: jobFiles(jobs, name).log, format: 'text' }),
  );
  const userLog = join(home, '.local', 'state', 'upi-wizard', 'upi-wizard.log');
  return [
    ...stateFiles,
    { path: 'upi-wizard.log', part: 'programLog', file: join(state, 'upi-wizard.log'), format: 'lines' },
    { path: 'upi-wizard-of-user.log', part: 'programLog', file: userLog, format: 'lines' },
    { path: 'generated-files.json', part: 'generated', file: join(files, 'files.json'), format: 'json' },
    { path: 'openshift_install.log', part: 'installerLog', file: installerLog, format: 'text' },
    { path: 'boot-server.json', part: 'bootServer', file: bootConfig, format: 'json' },
    { path: 'boot-requests.ndjson', part: 'bootServer', file: bootLog, format: 'lines' },
    { path: 'report.md', part: 'report', file: report, format: 'text' },
    ...jobLogs,
  ];
}

const FORMATTERS: Readonly<Record<FileFormat, (text: string) => string>> = {
  json: (text) => {
    const value = tryParseJson(text);
    return value === undefined ? redactLines(text) : formatJson(value);
  },
  lines: (text) =>
    text
      .split('\n')
      .map((line) => {
        const value = tryParseJson(line);
        return value === undefined ? redact(line) : JSON.stringify(redactJson(value));
      })
      .join('\n'),
  text: redactLines,
};

function takeLastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-JOB_LINES).join('\n');
}

function formatJson(value: unknown): string {
  return JSON.stringify(redactJson(value), null, 2);
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function describeInstallation(dir: string, version: string, now: number) {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  return {
    'upi-wizard': version,
    node: process.version,
    system: /^PRETTY_NAME="?([^"\n]*)/m.exec(system)?.[1] ?? platform(),
    kernel: `${platform()} ${release()} ${arch()}`,
    directory: dir,
    made: new Date(now).toISOString(),
  };
}

async function listJobNames(dir: string): Promise<string[]> {
  const names = await readdir(workspace(dir).jobs).catch(() => []);
  return names.flatMap((name) => /^([a-z0-9][a-z0-9-]{0,60})\.json$/.exec(name)?.[1] ?? []).sort();
}

async function describeJob(dir: string, name: string) {
  const job = await findJob(workspace(dir).jobs, name);
  return job && { ...job, startedAt: new Date(job.startedAt).toISOString() };
}

/**
 * Packs a bundle into a compressed archive, with the digest by which the user and the support engineer verify that they
 * have the same file.
 * @param now the time of its files, ms since the epoch
 */
export function createArchive({ files }: Bundle, now: number): { readonly archive: Buffer; readonly sha256: string } {
  const entries = files.map(({ path, text }) => ({ path: `upi-wizard-bundle/${path}`, content: Buffer.from(text) }));
  const archive = gzipSync(createTar(entries, now));
  return { archive, sha256: createHash('sha256').update(archive).digest('hex') };
}

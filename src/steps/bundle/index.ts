import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { jobFiles } from '../../bastion/jobs/job-files.ts';
import { findJob } from '../../bastion/jobs/job-status.ts';
import { programFacts } from '../../bastion/program-facts.ts';
import { tarOf } from '../../bastion/tar.ts';
import { withoutPasswords } from '../../design/imports/index.ts';
import { homeDirectory } from '../../ports/home.ts';
import { type Catalogue, catalogue } from '../../text/catalogue.ts';
import { holdsSecret, redact, redactJson, redactLines } from '../../text/redact.ts';
import { sanitize } from '../../text/sanitize.ts';
import { workspace } from '../shared/workspace.ts';
import { learnSecretsOf } from './known.ts';
import { listing } from './listing.ts';
import { readPart } from './read-part.ts';

/** What a file of a bundle is. */
export type BundlePart = keyof Catalogue['bundle']['parts'];

/** A file of a bundle, without secrets. */
export interface BundleFile {
  /** Its path in the bundle. */
  readonly path: string;
  readonly part: BundlePart;
  readonly text: string;
}

/** What a person sends to whoever helps them. */
export interface Bundle {
  readonly files: readonly BundleFile[];
  /** What should be in it and is not, and why. */
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

/** How a file is read: one JSON document, one per line, or text. */
type Form = 'json' | 'lines' | 'text';

interface Source {
  readonly path: string;
  readonly part: BundlePart;
  readonly file: string;
  readonly form: Form;
}

/** The last lines of what a job printed; of other files as much as is read at once. */
const JOB_LINES = 500;

/**
 * Gathers what helps to understand an installation, and nothing secret: only these files are read, every text goes through the
 * redaction, and what still holds a known secret is left out. The order is always the same.
 */
export async function gatherBundle({ dir, env, version, now }: BundleOptions): Promise<Bundle> {
  const session = await readPart(join(workspace(dir).state, 'session.json'));
  const saved = 'text' in session ? parsed(session.text) : undefined;
  const design = isRecord(saved) ? saved.design : undefined;
  await learnSecretsOf(dir, design, env);

  const files: BundleFile[] = [];
  const missing: { path: string; why: string }[] = [];
  const add = (path: string, part: BundlePart, text: string) => {
    if (text.trim() === '') return;
    const safe = sanitize(text, Number.POSITIVE_INFINITY);
    if (holdsSecret(safe)) missing.push({ path, why: words().withheld });
    else files.push({ path, part, text: safe.endsWith('\n') ? safe : `${safe}\n` });
  };

  add('about.json', 'about', jsonText(await about(dir, version, now)));
  add('programs.json', 'programs', jsonText(await programFacts([dir, join(dir, 'bin')], env.PATH ?? '')));
  if (isRecord(design)) add('design.json', 'design', jsonText(withoutPasswords(design).document));
  for (const { path, part, file, form } of await sourcesOf(dir, homeDirectory(env))) {
    const found = await readPart(file);
    if ('text' in found) add(path, part, part === 'job' ? lastLines(READ[form](found.text)) : READ[form](found.text));
    else if (found.why !== null) missing.push({ path, why: found.why });
  }
  for (const name of await jobNames(dir)) add(`jobs/${name}.json`, 'job', jsonText(await jobFacts(dir, name)));
  add('listing.txt', 'listing', redactLines(await listing(dir)));
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), missing };
}

const words = () => catalogue().bundle;

async function sourcesOf(dir: string, home: string): Promise<readonly Source[]> {
  const { state, jobs, files, installerLog, bootLog, bootConfig, report } = workspace(dir);
  const names = (await readdir(state).catch(() => [])).sort();
  const ours = names.flatMap((name): Source[] => {
    const file = join(state, name);
    if (/^session\.(?:previous\.)?json$/.test(name)) return [{ path: name, part: 'session', file, form: 'json' }];
    if (/^session\.json\.bad-\d{1,4}$/.test(name)) return [{ path: name, part: 'session', file, form: 'text' }];
    if (/^journal(?:\.\d{1,4})?\.ndjson$/.test(name)) return [{ path: name, part: 'journal', file, form: 'lines' }];
    return [];
  });
  const ofJobs = (await jobNames(dir)).map(
    (name): Source => ({ path: `jobs/${name}.log`, part: 'job', file: jobFiles(jobs, name).log, form: 'text' }),
  );
  const ofUser = join(home, '.local', 'state', 'upi-wizard', 'upi-wizard.log');
  return [
    ...ours,
    { path: 'upi-wizard.log', part: 'programLog', file: join(state, 'upi-wizard.log'), form: 'lines' },
    { path: 'upi-wizard-of-user.log', part: 'programLog', file: ofUser, form: 'lines' },
    { path: 'generated-files.json', part: 'generated', file: join(files, 'files.json'), form: 'json' },
    { path: 'openshift_install.log', part: 'installerLog', file: installerLog, form: 'text' },
    { path: 'boot-server.json', part: 'bootServer', file: bootConfig, form: 'json' },
    { path: 'boot-requests.ndjson', part: 'bootServer', file: bootLog, form: 'lines' },
    { path: 'report.md', part: 'report', file: report, form: 'text' },
    ...ofJobs,
  ];
}

const READ: Readonly<Record<Form, (text: string) => string>> = {
  json: (text) => {
    const value = parsed(text);
    return value === undefined ? redactLines(text) : jsonText(value);
  },
  lines: (text) =>
    text
      .split('\n')
      .map((line) => {
        const value = parsed(line);
        return value === undefined ? redact(line) : JSON.stringify(redactJson(value));
      })
      .join('\n'),
  text: redactLines,
};

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-JOB_LINES).join('\n');
}

function jsonText(value: unknown): string {
  return JSON.stringify(redactJson(value), null, 2);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

async function about(dir: string, version: string, now: number) {
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

async function jobNames(dir: string): Promise<string[]> {
  const names = await readdir(workspace(dir).jobs).catch(() => []);
  return names.flatMap((name) => /^([a-z0-9][a-z0-9-]{0,60})\.json$/.exec(name)?.[1] ?? []).sort();
}

async function jobFacts(dir: string, name: string) {
  const job = await findJob(workspace(dir).jobs, name);
  return job && { ...job, startedAt: new Date(job.startedAt).toISOString() };
}

/**
 * A bundle as a compressed archive, and the digest by which a person and whoever helps them tell that they have the same.
 * @param now the time of its files, milliseconds since the epoch
 */
export function archiveOf({ files }: Bundle, now: number): { readonly archive: Buffer; readonly sha256: string } {
  const inside = files.map(({ path, text }) => ({ path: `upi-wizard-bundle/${path}`, content: Buffer.from(text) }));
  const archive = gzipSync(tarOf(inside, now));
  return { archive, sha256: createHash('sha256').update(archive).digest('hex') };
}

import { constants } from 'node:fs';
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import { arch, platform, release } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { listFencingSecrets } from '../design/fencing.ts';
import { redactProxyPasswords } from '../design/yaml.ts';
import { getJobFiles } from '../host/jobs/job-files.ts';
import { findJob } from '../host/jobs/job-status.ts';
import { readProgramVersions } from '../host/programs.ts';
import { createTar } from '../host/tar.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { Catalogue } from '../i18n/en/index.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { getList, getMultilineString, getString } from '../openshift/object.ts';
import { getHomeDirectory } from '../platform/environment.ts';
import { sanitize, sanitizeLine } from '../platform/sanitize.ts';
import {
  containsSecret,
  listPullSecretSecrets,
  redact,
  redactJson,
  redactLines,
  registerSecrets,
} from '../platform/secrets.ts';
import { computeSha256 } from '../platform/text.ts';
import { resolveDesignPath } from './shared/files/design-paths.ts';
import { workspace } from './shared/workspace.ts';

/** Maximum bytes read from a file; of a longer file, only the end is read. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads the end of a file, from the start of a line; follows no link and waits for no pipe.
 * @returns `why`: the reason why it cannot be read; null if there is no such file
 */
async function readFileTail(file: string): Promise<{ readonly text: string } | { readonly reason: string | null }> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) return { reason: catalogue().bundle.notFile };
      const start = Math.max(0, stat.size - MAX_BYTES);
      const buffer = Buffer.alloc(stat.size - start);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
      const chunk = buffer.subarray(0, bytesRead);
      return { text: chunk.subarray(start === 0 ? 0 : chunk.indexOf(0x0a) + 1).toString('utf8') };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { reason: null };
    return { reason: code === 'ELOOP' ? catalogue().bundle.notFile : describeSystemError(error, 'read') };
  }
}

/**
 * Registers the secrets of an install directory for redaction in every form: those of this and earlier runs of the
 * installer, of the design, and of the environment. A file that cannot be read is not in a bundle either.
 * @param design the document as saved
 */
async function registerInstallSecrets(dir: string, design: unknown, env: Readonly<Record<string, string | undefined>>) {
  const { archiveDir, installConfigCopy, hostFilesDir } = workspace(dir);
  const runs = [dir, ...(await readdir(archiveDir).catch(() => [])).map((name) => join(archiveDir, name))];
  const pullSecretFile = getString(design, 'credentials', 'pullSecretFile');
  const sshKeyFile = getString(design, 'credentials', 'sshKeyFile');
  const fencingFile = getString(design, 'credentials', 'fencingFile');
  const bastion = getString(design, 'services', 'bastion', 'name') ?? 'bastion';
  const configs = [
    installConfigCopy,
    ...runs.map((run) => join(run, 'install-config.yaml')),
    join(hostFilesDir(bastion), 'root', 'upi-wizard', 'install-config.yaml'),
  ];
  const secrets = await Promise.all([
    ...runs.map(async (run) => [await readTextOrEmpty(join(run, 'auth', 'kubeadmin-password'))]),
    ...runs.map(async (run) => findKubeconfigSecrets(await readTextOrEmpty(join(run, 'auth', 'kubeconfig')))),
    ...configs.map(async (file) => findInstallConfigSecrets(await readTextOrEmpty(file))),
    ...(pullSecretFile === null ? [] : [readPullSecret(resolveDesignPath(pullSecretFile, dir))]),
    ...(sshKeyFile === null ? [] : [readKeyLines(resolveDesignPath(sshKeyFile, dir).replace(/\.pub$/, ''))]),
    ...(fencingFile === null ? [] : [readFencingSecrets(resolveDesignPath(fencingFile, dir))]),
    ...(await listPrivateKeys(dir)).map(readKeyLines),
  ]);
  const proxies = ['httpProxy', 'httpsProxy'].map((name) => getString(design, 'proxy', name));
  const proxyUrls = [...proxies, env.HTTP_PROXY, env.HTTPS_PROXY, env.http_proxy, env.https_proxy];
  registerSecrets([...secrets.flat(), ...proxyUrls.flatMap((address) => findUrlPasswords(address ?? ''))]);
}

const readTextOrEmpty = (file: string) => readFile(file, 'utf8').catch(() => '');

async function readPullSecret(file: string): Promise<string[]> {
  return listPullSecretSecrets(await readTextOrEmpty(file));
}

async function readFencingSecrets(file: string): Promise<string[]> {
  return listFencingSecrets(await readTextOrEmpty(file));
}

/** Lists private keys that the wizard created or imported from a file. */
async function listPrivateKeys(dir: string): Promise<string[]> {
  const names = await readdir(dir).catch((): string[] => []);
  return names.filter((name) => names.includes(`${name}.pub`)).map((name) => join(dir, name));
}

/** Returns each line of a key: a single line reveals part of it. */
async function readKeyLines(file: string): Promise<string[]> {
  return splitKeyLines(await readTextOrEmpty(file));
}

function splitKeyLines(text: string): string[] {
  if (!/PRIVATE KEY-----/.test(text)) return [];
  return text.split('\n').filter((line) => line.length >= 40 && !line.includes('-----'));
}

function findKubeconfigSecrets(text: string): string[] {
  const fields = [...text.matchAll(/^\s*-?\s*(?:token|password|client-key-data):\s*["']?([^\s"']+)/gm)];
  return fields.flatMap(([, value = '']) => [value, ...splitKeyLines(Buffer.from(value, 'base64').toString('latin1'))]);
}

function findInstallConfigSecrets(text: string): string[] {
  try {
    const config: unknown = parse(text);
    const passwords = getList(config, 'controlPlane', 'fencing', 'credentials').flatMap((login) => [
      getString(login, 'password') ?? '',
    ]);
    return [...listPullSecretSecrets(getMultilineString(config, 'pullSecret') ?? ''), ...passwords];
  } catch {
    return [];
  }
}

function findUrlPasswords(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

const MAX_FILES = 3000;

/** Lists names, sizes, modes and times of the files in a directory, without their content; at most MAX_FILES. */
async function listFiles(dir: string): Promise<string> {
  const lines: string[] = [];
  const addDirectory = async (subdirectory: string): Promise<void> => {
    const names = await readdir(join(dir, subdirectory)).catch(() => []);
    for (const name of names.sort()) {
      if (lines.length === MAX_FILES) return;
      const path = join(subdirectory, name);
      const stat = await lstat(join(dir, path)).catch(() => null);
      if (stat === null) continue;
      const kind = stat.isDirectory() ? 'd' : stat.isFile() ? '-' : stat.isSymbolicLink() ? 'l' : '?';
      const mode = `0${(stat.mode & 0o7777).toString(8)}`;
      const modifiedAt = new Date(stat.mtimeMs).toISOString();
      lines.push(`${kind} ${mode} ${String(stat.size).padStart(10)} ${modifiedAt} ${sanitizeLine(path)}`);
      if (stat.isDirectory()) await addDirectory(path);
    }
  };
  await addDirectory('');
  return lines.join('\n');
}

/** Kind of a file in a bundle. */
type BundlePart = keyof Catalogue['bundle']['parts'];

/** A file of a bundle, without secrets. */
interface BundleFile {
  /** The path of the file in the bundle. */
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
  /** The version of upi-wizard. */
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

/** Number of lines taken from the end of a job's output; other files are limited by MAX_BYTES only. */
const MAX_JOB_LINES = 500;

/**
 * Gathers files that help to understand an installation, and no secrets: it reads only these files, redacts every text,
 * and omits texts that still contain a known secret. The order is always the same.
 */
export async function gatherBundle({ dir, env, version, now }: BundleOptions): Promise<Bundle> {
  const session = await readFileTail(join(workspace(dir).stateDir, 'session.json'));
  const savedSession = 'text' in session ? tryParseJson(session.text) : undefined;
  const design = isRecord(savedSession) ? savedSession.design : undefined;
  await registerInstallSecrets(dir, design, env);

  const files: BundleFile[] = [];
  const missingFiles: { path: string; why: string }[] = [];
  const addFile = (path: string, part: BundlePart, text: string) => {
    if (text.trim() === '') return;
    const safeText = sanitize(text, Number.POSITIVE_INFINITY);
    if (containsSecret(safeText)) missingFiles.push({ path, why: words().withheld });
    else files.push({ path, part, text: safeText.endsWith('\n') ? safeText : `${safeText}\n` });
  };

  addFile('about.json', 'about', formatRedactedJson(await describeInstallation(dir, version, now)));
  addFile(
    'programs.json',
    'programs',
    formatRedactedJson(await readProgramVersions([dir, join(dir, 'bin')], env.PATH ?? '')),
  );
  if (isRecord(design)) addFile('design.json', 'design', formatRedactedJson(redactProxyPasswords(design).document));
  for (const { path, part, file, format } of await listSources(dir, getHomeDirectory(env))) {
    const tail = await readFileTail(file);
    if ('text' in tail)
      addFile(
        path,
        part,
        part === 'job' ? takeLastLines(FORMATTERS[format](tail.text)) : FORMATTERS[format](tail.text),
      );
    else if (tail.reason !== null) missingFiles.push({ path, why: tail.reason });
  }
  for (const name of await listJobNames(dir))
    addFile(`jobs/${name}.json`, 'job', formatRedactedJson(await describeJob(dir, name)));
  addFile('listing.txt', 'listing', redactLines(await listFiles(dir)));
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), missing: missingFiles };
}

const words = () => catalogue().bundle;

async function listSources(dir: string, home: string): Promise<readonly BundleSource[]> {
  const paths = workspace(dir);
  const { stateDir: state, jobsDir: jobs, filesDir: files, installerLog, bootLog, bootConfig } = paths;
  const names = (await readdir(state).catch(() => [])).sort();
  const stateFiles = names.flatMap((name): BundleSource[] => {
    const file = join(state, name);
    if (/^session\.(?:previous\.)?json$/.test(name)) return [{ path: name, part: 'session', file, format: 'json' }];
    if (/^session\.json\.bad-\d{1,4}$/.test(name)) return [{ path: name, part: 'session', file, format: 'text' }];
    if (/^journal(?:\.\d{1,4})?\.ndjson$/.test(name)) return [{ path: name, part: 'journal', file, format: 'lines' }];
    return [];
  });
  const jobLogs = (await listJobNames(dir)).map(
    (name): BundleSource => ({
      path: `jobs/${name}.log`,
      part: 'job',
      file: getJobFiles(jobs, name).log,
      format: 'text',
    }),
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
    { path: 'report.md', part: 'report', file: paths.report, format: 'text' },
    { path: 'report.html', part: 'report', file: paths.reportHtml, format: 'text' },
    ...jobLogs,
  ];
}

const FORMATTERS: Readonly<Record<FileFormat, (text: string) => string>> = {
  json: (text) => {
    const value = tryParseJson(text);
    return value === undefined ? redactLines(text) : formatRedactedJson(value);
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
  return text.trimEnd().split('\n').slice(-MAX_JOB_LINES).join('\n');
}

function formatRedactedJson(value: unknown): string {
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
  const names = await readdir(workspace(dir).jobsDir).catch(() => []);
  return names.flatMap((name) => /^([a-z0-9][a-z0-9-]{0,60})\.json$/.exec(name)?.[1] ?? []).sort();
}

async function describeJob(dir: string, name: string) {
  const job = await findJob(workspace(dir).jobsDir, name);
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
  return { archive, sha256: computeSha256(archive) };
}

import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { syncDirectory } from '../platform/durable-files.ts';
import { makeDirectory } from '../platform/files.ts';
import * as z from '../platform/zod.ts';
import type { Excerpt, FileVisitor, ReadLimits } from './tar.ts';

const words = () => catalogue().artifacts;

/** The list of the generated files, in the output directory. */
const MANIFEST_FILE = 'files.json';

/**
 * The list of the files that are being written, and of those that interrupted runs had written. It exists from before
 * the first file until after the new `files.json`.
 */
const IN_PROGRESS_FILE = 'files.json.begun';

/** `<file>.<12 hexadecimal digits>.tmp`: an incomplete file. */
const TEMP_FILE = /^(.+)\.[0-9a-f]{12}\.tmp$/;

/** A generated set and its differences from the disk. */
interface OutputToWrite {
  /** Written as `files.json`. */
  readonly manifest: object;
  /** `file` is relative to the output directory, `mode` octal ("0644"). */
  readonly files: readonly { readonly file: string; readonly content: string; readonly mode: string }[];
  readonly changes: readonly {
    readonly file: string;
    readonly state: 'new' | 'unchanged' | 'changed' | 'edited' | 'obsolete' | 'obsolete-edited';
  }[];
}

/** Result of writing a set. All files are relative to the output directory. */
export interface WriteResult {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** Files that the user had changed, and the names of their backups. */
  readonly saved: readonly { readonly file: string; readonly as: string }[];
  /** Obsolete files that the user changed: left in place. */
  readonly kept: readonly string[];
  /** Files that the user changed; if there are any, nothing was written. */
  readonly refused: readonly string[];
}

/** Output of an earlier run: its list, and a reader for the current contents of its files. */
interface PreviousOutput {
  readonly manifest: Manifest;
  readonly contents: (file: string) => string | null;
  /** A run was interrupted before it wrote its list; some of its files may be written. */
  readonly isInterrupted: boolean;
}

/** `file` is used to read and to remove, so it must be relative and must not contain `.` or `..` segments. */
const manifestSchema = z.object({
  files: z.array(
    z.object({
      file: z.string().refine((file) => file !== '' && !file.split('/').some((part) => /^(?:\.{0,2})$/.test(part))),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      serial: z.number().int().positive().optional(),
    }),
  ),
});
type Manifest = z.infer<typeof manifestSchema>;
const inProgressSchema = manifestSchema.extend({ earlier: manifestSchema.shape.files.optional() });
type ManifestFile = Manifest['files'][number];

/**
 * Reads the output that an earlier run left in the directory; null if there is none. Of an interrupted run, files that
 * it had written count as generated, and the others as before: neither counts as edited by the user.
 * @throws UserErrorException `output-manifest-unreadable`; `output-unsafe` for a file behind a symbolic link
 */
export function readPreviousOutput(dir: string): PreviousOutput | null {
  const contents = (file: string) => readInside(dir, file);
  const previous = readList(dir, MANIFEST_FILE, manifestSchema);
  const inProgress = readList(dir, IN_PROGRESS_FILE, inProgressSchema);
  const manifest = inProgress ? resolveInterruptedRun(previous, inProgress, contents) : previous;
  return manifest && { manifest, contents, isInterrupted: inProgress !== null };
}

function readList<List>(dir: string, file: string, schema: z.ZodType<List>): List | null {
  const text = readInside(dir, file);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new UserErrorException(
      { code: 'output-manifest-unreadable', ...words().manifestUnreadable(join(dir, file)) },
      { cause: error },
    );
  }
}

/** For each file, the entry that matches the disk; the previous entry if none does. */
function resolveInterruptedRun(
  previous: Manifest | null,
  inProgress: z.infer<typeof inProgressSchema>,
  contents: (file: string) => string | null,
): Manifest {
  const isWritten = ({ file, sha256 }: ManifestFile) => {
    const text = contents(file);
    return text !== null && createHash('sha256').update(text).digest('hex') === sha256;
  };
  const files = new Map(previous?.files.map((entry) => [entry.file, entry]));
  for (const entry of [...(inProgress.earlier ?? []), ...inProgress.files])
    if (isWritten(entry)) files.set(entry.file, entry);
  return { files: [...files.values()] };
}

/**
 * The list of this run, with the entries of an interrupted one before it: if this run is killed, too, no file counts as
 * edited by the user.
 */
function formatInProgress(manifest: object, dir: string, isInterrupted: boolean): string {
  const earlier = isInterrupted ? (readPreviousOutput(dir)?.manifest.files ?? []) : [];
  return `${JSON.stringify({ ...manifest, ...(earlier.length > 0 ? { earlier } : {}) }, null, 2)}\n`;
}

/**
 * Reads the text of a file below the output directory; null if there is none.
 * @throws UserErrorException `output-unsafe` if its path contains a symbolic link
 */
export function readInside(dir: string, file: string): string | null {
  if (!existsSync(dir)) return null;
  const path = resolveInside(dir, file);
  if (!lstatSync(path, { throwIfNoEntry: false })) return null;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a generated set, each file completely or not at all, `files.json` last. The next run completes one that was
 * killed. If the user changed a file, nothing is written, unless `force`: then the changed file is kept as
 * `<file>.<n>.orig`.
 * @throws UserErrorException `output-unsafe` if a path contains a symbolic link
 */
export function writeOutput(dir: string, output: OutputToWrite, { force }: { readonly force: boolean }): WriteResult {
  const filesInState = (...states: readonly string[]) =>
    output.changes.filter(({ state }) => states.includes(state)).map(({ file }) => file);
  const editedFiles = filesInState('edited');
  const kept = filesInState('obsolete-edited');
  if (editedFiles.length > 0 && !force) return { written: [], removed: [], saved: [], kept, refused: editedFiles };

  makeDirectory(dir, 0o777);
  const inProgress = readList(dir, IN_PROGRESS_FILE, inProgressSchema);
  const knownFiles = [...output.files, ...(inProgress?.files ?? []), ...(inProgress?.earlier ?? [])].map(
    ({ file }) => file,
  );
  removeTempFiles(dir, [MANIFEST_FILE, IN_PROGRESS_FILE, ...knownFiles]);
  const unchanged = new Set(filesInState('unchanged'));
  const toWrite = output.files.filter(({ file, mode }) => !unchanged.has(file) || readMode(dir, file) !== mode);
  const obsoleteFiles = filesInState('obsolete');
  const list = `${JSON.stringify(output.manifest, null, 2)}\n`;
  if (readInside(dir, MANIFEST_FILE) === list && inProgress === null && toWrite.length === 0)
    return { written: [], removed: [], saved: [], kept, refused: [] };

  writeInside(dir, IN_PROGRESS_FILE, formatInProgress(output.manifest, dir, inProgress !== null), 0o644);
  syncDirectory(dir);
  const backups = editedFiles.map((file) => ({ file, as: moveToBackup(dir, file) }));
  for (const { file, content, mode } of toWrite) writeInside(dir, file, content, Number.parseInt(mode, 8));
  for (const file of obsoleteFiles) rmSync(resolveInside(dir, file));
  for (const directory of new Set(
    [...toWrite.map(({ file }) => file), ...obsoleteFiles].map((file) => dirname(join(dir, file))),
  ))
    syncDirectory(directory);
  writeInside(dir, MANIFEST_FILE, list, 0o644);
  syncDirectory(dir);
  rmSync(resolveInside(dir, IN_PROGRESS_FILE));
  syncDirectory(dir);
  return { written: toWrite.map(({ file }) => file), removed: obsoleteFiles, saved: backups, kept, refused: [] };
}

/** Resolves a path below the real directory and rejects symbolic links in it. The writer creates missing parts. */
function resolveInside(dir: string, file: string): string {
  const root = realpathSync(dir);
  const parts = file.split('/');
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (part === '' || part === '.' || part === '..' || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new UserErrorException({ code: 'output-unsafe', ...words().outsideOutput(join(dir, file)) });
  }
  return path;
}

function readMode(dir: string, file: string): string {
  return `0${(lstatSync(resolveInside(dir, file)).mode & 0o777).toString(8)}`;
}

function moveToBackup(dir: string, file: string): string {
  let number = 1;
  while (lstatSync(resolveInside(dir, `${file}.${number}.orig`), { throwIfNoEntry: false })) number += 1;
  const as = `${file}.${number}.orig`;
  renameSync(resolveInside(dir, file), resolveInside(dir, as));
  return as;
}

/** Removes the temporary files that a killed run left of these files. */
function removeTempFiles(dir: string, files: readonly string[]): void {
  for (const directory of new Set(files.map((file) => dirname(file)))) {
    const path = directory === '.' ? realpathSync(dir) : resolveInside(dir, directory);
    const names = new Set(files.filter((file) => dirname(file) === directory).map((file) => basename(file)));
    const entryNames = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
    for (const name of entryNames) if (names.has(TEMP_FILE.exec(name)?.[1] ?? '')) rmSync(join(path, name));
  }
}

function writeInside(dir: string, file: string, content: string, mode: number): void {
  const path = resolveInside(dir, file);
  makeDirectory(dirname(path), 0o777);
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  // Private until it is complete; then the requested mode, regardless of the umask.
  try {
    const descriptor = openSync(temporary, flags, 0o600);
    try {
      writeFileSync(descriptor, content);
      fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

const MAX_DEPTH = 40;

/**
 * Reads the wanted files below a directory, one after the other, sorted by name. Links, pipes and devices are skipped;
 * unreadable files count as missing.
 * @returns `isCut` if a limit ended it, or something could not be read
 * @throws the system's error for the directory itself
 */
export async function readTree(
  directory: string,
  { selectPart, onFile }: FileVisitor,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  let [contentBytes, entries, isCut] = [0, 0, false];
  const isLimitReached = () => contentBytes >= limits.contentBytes || entries > limits.entries;

  async function readDirectory(subpath: string, depth: number): Promise<void> {
    const directoryEntries = await readdir(join(directory, subpath), { withFileTypes: true });
    for (const entry of directoryEntries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      entries += 1;
      if (isLimitReached()) return;
      const path = subpath === '' ? entry.name : `${subpath}/${entry.name}`;
      const excerpt = entry.isFile() ? selectPart(path) : null;
      try {
        if (entry.isDirectory() && depth < MAX_DEPTH) await readDirectory(path, depth + 1);
        if (excerpt === null) continue;
        const read = await readExcerpt(join(directory, path), excerpt);
        contentBytes += read.content.length;
        onFile({ path, ...read });
      } catch (error) {
        if (!(error instanceof Error && 'syscall' in error)) throw error;
        isCut = true;
      }
    }
  }

  await readDirectory('', 0);
  return { isCut: isCut || isLimitReached() };
}

async function readExcerpt(path: string, { part, maxBytes }: Excerpt) {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  const { size, mtimeMs } = await handle.stat();
  const length = Math.min(size, maxBytes);
  const content = Buffer.alloc(length);
  const { bytesRead } = await handle.read(content, 0, length, part === 'start' ? 0 : size - length);
  return { content: content.subarray(0, bytesRead), isWhole: bytesRead === size, modifiedAt: mtimeMs };
}

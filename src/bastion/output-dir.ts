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
import { basename, dirname, join } from 'node:path';
import { syncDirectory } from '../ports/durable.ts';
import { makeDirectory } from '../ports/make-directory.ts';
import * as z from '../ports/zod.ts';
import { catalogue } from '../text/catalogue.ts';
import { TroubleError } from '../text/trouble.ts';

const words = () => catalogue().artifacts;

/** The list of what was generated, in the output directory. */
const MANIFEST_FILE = 'files.json';
/**
 * The list of what is being written, and of what runs that were interrupted before it had written; it is there from before
 * the first file until after the new `files.json`.
 */
const BEGUN_FILE = 'files.json.begun';

/** `<file>.<12 hexadecimal digits>.tmp`: a file before it is whole. */
const UNFINISHED = /^(.+)\.[0-9a-f]{12}\.tmp$/;

/** A generated set and how it stands to what is on disk. */
export interface OutputToWrite {
  /** Written as `files.json`. */
  readonly manifest: object;
  /** `file` is relative to the output directory, `mode` octal ("0644"). */
  readonly files: readonly { readonly file: string; readonly content: string; readonly mode: string }[];
  readonly changes: readonly {
    readonly file: string;
    readonly state: 'new' | 'unchanged' | 'changed' | 'edited-by-person' | 'obsolete' | 'obsolete-edited';
  }[];
}

/** What writing a set came to. All files are relative to the output directory. */
export interface WriteResult {
  readonly written: readonly string[];
  readonly removed: readonly string[];
  /** What a person had changed, and where it was kept. */
  readonly saved: readonly { readonly file: string; readonly as: string }[];
  /** No longer belongs, but a person changed it: left in place. */
  readonly kept: readonly string[];
  /** A person changed these; when there are any, nothing was written. */
  readonly refused: readonly string[];
}

/** What an earlier run wrote: its list, and how to read its files as they are now. */
export interface OutputOnDisk {
  readonly manifest: PreviousList;
  readonly contents: (file: string) => string | null;
  /** A run was interrupted: its list is not written yet, whatever of its files is. */
  readonly isInterrupted: boolean;
}

/** `file` is used to read and to remove, so it has to be relative and free of dots that lead upwards. */
const previousList = z.object({
  files: z.array(
    z.object({
      file: z.string().refine((file) => file !== '' && !file.split('/').some((part) => /^(?:\.{0,2})$/.test(part))),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
      serial: z.number().int().positive().optional(),
    }),
  ),
});
type PreviousList = z.infer<typeof previousList>;
const begunList = previousList.extend({ earlier: previousList.shape.files.optional() });
type ListedFile = PreviousList['files'][number];

/**
 * What an earlier run left in the directory; null where none has. Of a run that was interrupted, what it had written counts as
 * generated, and what it had not come to as it was before: nobody is taken to have edited either.
 * @throws TroubleError `output-manifest-unreadable`; reading a file through a link: `output-unsafe`
 */
export function readPreviousOutput(dir: string): OutputOnDisk | null {
  const contents = (file: string) => readInside(dir, file);
  const before = readList(dir, MANIFEST_FILE, previousList);
  const begun = readList(dir, BEGUN_FILE, begunList);
  const manifest = begun ? settled(before, begun, contents) : before;
  return manifest && { manifest, contents, isInterrupted: begun !== null };
}

function readList<List>(dir: string, file: string, schema: z.ZodType<List>): List | null {
  const text = readInside(dir, file);
  if (text === null) return null;
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new TroubleError(
      { code: 'output-manifest-unreadable', ...words().manifestUnreadable(join(dir, file)) },
      { cause: error },
    );
  }
}

/** Each file as the list has it that tells what lies on disk; the list of before where neither does. */
function settled(
  before: PreviousList | null,
  begun: z.infer<typeof begunList>,
  contents: (file: string) => string | null,
): PreviousList {
  const isWritten = ({ file, sha256 }: ListedFile) => {
    const text = contents(file);
    return text !== null && createHash('sha256').update(text).digest('hex') === sha256;
  };
  const files = new Map(before?.files.map((entry) => [entry.file, entry]));
  for (const entry of [...(begun.earlier ?? []), ...begun.files]) if (isWritten(entry)) files.set(entry.file, entry);
  return { files: [...files.values()] };
}

/** What this run begins, with what an interrupted one before it left: killed in its turn, neither is blamed on a person. */
function begunText(manifest: object, dir: string, isInterrupted: boolean): string {
  const earlier = isInterrupted ? (readPreviousOutput(dir)?.manifest.files ?? []) : [];
  return `${JSON.stringify({ ...manifest, ...(earlier.length > 0 ? { earlier } : {}) }, null, 2)}\n`;
}

/**
 * The text of a file below the output directory, or null where there is none.
 * @throws TroubleError `output-unsafe` when it leads through a symbolic link
 */
export function readInside(dir: string, file: string): string | null {
  if (!existsSync(dir)) return null;
  const path = inside(dir, file);
  if (!lstatSync(path, { throwIfNoEntry: false })) return null;
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a generated set, each file whole or not at all, `files.json` last. A run that is killed in the middle is finished by
 * the next one. Where a person changed a file nothing at all is written, unless `force`: then what was there is kept as
 * `<file>.<n>.orig`.
 * @throws TroubleError `output-unsafe` when a path leads through a symbolic link
 */
export function writeOutput(dir: string, output: OutputToWrite, { force }: { readonly force: boolean }): WriteResult {
  const having = (...states: readonly string[]) =>
    output.changes.filter(({ state }) => states.includes(state)).map(({ file }) => file);
  const edited = having('edited-by-person');
  const kept = having('obsolete-edited');
  if (edited.length > 0 && !force) return { written: [], removed: [], saved: [], kept, refused: edited };

  makeDirectory(dir, 0o777);
  const begun = readList(dir, BEGUN_FILE, begunList);
  const known = [...output.files, ...(begun?.files ?? []), ...(begun?.earlier ?? [])].map(({ file }) => file);
  clearUnfinished(dir, [MANIFEST_FILE, BEGUN_FILE, ...known]);
  const unchanged = new Set(having('unchanged'));
  const toWrite = output.files.filter(({ file, mode }) => !unchanged.has(file) || modeOf(dir, file) !== mode);
  const removed = having('obsolete');
  const list = `${JSON.stringify(output.manifest, null, 2)}\n`;
  if (readInside(dir, MANIFEST_FILE) === list && begun === null && toWrite.length === 0)
    return { written: [], removed: [], saved: [], kept, refused: [] };

  writeInside(dir, BEGUN_FILE, begunText(output.manifest, dir, begun !== null), 0o644);
  syncDirectory(dir);
  const saved = edited.map((file) => ({ file, as: setAside(dir, file) }));
  for (const { file, content, mode } of toWrite) writeInside(dir, file, content, Number.parseInt(mode, 8));
  for (const file of removed) rmSync(inside(dir, file));
  for (const place of new Set([...toWrite.map(({ file }) => file), ...removed].map((file) => dirname(join(dir, file)))))
    syncDirectory(place);
  writeInside(dir, MANIFEST_FILE, list, 0o644);
  syncDirectory(dir);
  rmSync(inside(dir, BEGUN_FILE));
  syncDirectory(dir);
  return { written: toWrite.map(({ file }) => file), removed, saved, kept, refused: [] };
}

/** Below the real directory, with no symbolic link on the way; what is not there yet is made by the writer. */
function inside(dir: string, file: string): string {
  const root = realpathSync(dir);
  const parts = file.split('/');
  let path = root;
  for (const part of parts) {
    path = join(path, part);
    if (part === '' || part === '.' || part === '..' || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new TroubleError({ code: 'output-unsafe', ...words().outsideOutput(join(dir, file)) });
  }
  return path;
}

function modeOf(dir: string, file: string): string {
  return `0${(lstatSync(inside(dir, file)).mode & 0o777).toString(8)}`;
}

function setAside(dir: string, file: string): string {
  let number = 1;
  while (lstatSync(inside(dir, `${file}.${number}.orig`), { throwIfNoEntry: false })) number += 1;
  const as = `${file}.${number}.orig`;
  renameSync(inside(dir, file), inside(dir, as));
  return as;
}

/** Removes what a run that was killed had begun to write of these files. */
function clearUnfinished(dir: string, files: readonly string[]): void {
  for (const place of new Set(files.map((file) => dirname(file)))) {
    const path = place === '.' ? realpathSync(dir) : inside(dir, place);
    const names = new Set(files.filter((file) => dirname(file) === place).map((file) => basename(file)));
    const found = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ? readdirSync(path) : [];
    for (const name of found) if (names.has(UNFINISHED.exec(name)?.[1] ?? '')) rmSync(join(path, name));
  }
}

function writeInside(dir: string, file: string, content: string, mode: number): void {
  const path = inside(dir, file);
  makeDirectory(dirname(path), 0o777);
  const fresh = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  // Private until it is complete; then the mode that was asked for, whatever the umask.
  try {
    const descriptor = openSync(fresh, flags, 0o600);
    try {
      writeFileSync(descriptor, content);
      fchmodSync(descriptor, mode);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

import { createHash, type Hash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../i18n/user-error.ts';
import { writeFully } from '../platform/files.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { type Excerpt, type FileVisitor, NotAnArchiveError, type ReadLimits, readArchive } from './tar.ts';

// A directory with downloads, such as a USB stick: what `export downloads` fetches. It is only read. Nothing in it is
// trusted: its names are listed and matched, links out of it and devices are refused, and contents count by checksum.

const words = () => catalogue().steps.prepare.mirror;

/** A directory with downloads. */
export interface MirrorDirectory {
  readonly dir: string;
  /** The names of its files. */
  readonly fileNames: readonly string[];
  /** The published checksums in its lists, by name. */
  readonly checksumByName: ReadonlyMap<string, string>;
}

interface CopyOptions {
  readonly report: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The lists of checksums as `export downloads` saves them. */
const SUM_LISTS = ['sha256sum.txt', 'sha256sum-rhcos.txt'];
const MAX_LIST_BYTES = 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const PROGRESS_BYTES = 100_000_000;

/**
 * Lists a directory with downloads.
 * @throws UserErrorException `mirror-unreadable`
 */
export async function openMirrorDirectory(dir: string): Promise<MirrorDirectory> {
  const fileNames = await readdir(dir).catch((error: unknown) => {
    throw createReadError(dir, error);
  });
  const mirror = { dir, fileNames, checksumByName: new Map<string, string>() };
  for (const name of SUM_LISTS.filter((listName) => fileNames.includes(listName))) {
    await using handle = await openMirrorFile(mirror, name);
    const text = (await readStart(handle, MAX_LIST_BYTES)).toString('utf8');
    for (const [, sum = '', file = ''] of text.matchAll(/^([0-9a-f]{64}) [ *](\S+)$/gm))
      mirror.checksumByName.set(file, sum);
  }
  return mirror;
}

async function readStart(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(maxBytes);
  const { bytesRead } = await handle.read(buffer, 0, maxBytes, 0);
  return buffer.subarray(0, bytesRead);
}

/**
 * Opens a plain file of the directory. A symbolic link is allowed if it leads to another file of the directory.
 * @throws UserErrorException `mirror-file-kind`, `mirror-unreadable`
 */
async function openMirrorFile({ dir, fileNames }: MirrorDirectory, name: string): Promise<FileHandle> {
  const path = fileNames.includes(name) ? await resolveMirrorPath(dir, name) : null;
  const handle = path === null ? null : await openIfPlain(path, join(dir, name));
  if (handle !== null) return handle;
  const text = words().notPlain(sanitizeLine(name), sanitizeLine(dir));
  throw new UserErrorException({ code: 'mirror-file-kind', ...text });
}

/**
 * Opens a plain file; null for a device, a pipe or a directory.
 * @param displayPath the path for messages
 */
async function openIfPlain(path: string, displayPath: string): Promise<FileHandle | null> {
  try {
    // Opening a pipe would wait for its writer.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return null;
  } catch (error) {
    throw createReadError(displayPath, error);
  }
}

/** Resolves the links of a file; null if its path leads out of the directory, or to nothing. */
async function resolveMirrorPath(dir: string, name: string): Promise<string | null> {
  const [root, path] = await Promise.all(
    [dir, join(dir, name)].map((linkedPath) => realpath(linkedPath).catch(() => null)),
  );
  if (!root || !path) return null;
  return path.startsWith(root.endsWith(sep) ? root : root + sep) ? path : null;
}

/**
 * Copies a file of the directory; the copy gets its name when it is whole and has the checksum.
 * @param sha256 hexadecimal; null: no checksum is known
 * @param targetPath absolute path; a file of that name stays until the copy is whole
 * @throws UserErrorException `mirror-checksum`, `mirror-file-kind`, `mirror-unreadable`, `mirror-unwritable`
 */
export async function copyMirrorFile(
  mirror: MirrorDirectory,
  name: string,
  targetPath: string,
  sha256: string | null,
  {
    mode = 0o644,
    ...options
  }: CopyOptions & { readonly mode?: number; readonly accept?: (path: string) => Promise<void> },
): Promise<void> {
  await using source = await openMirrorFile(mirror, name);
  await writeFileAtomically(targetPath, mode, options.accept, async (target) => {
    const hash = createHash('sha256');
    await readChunks(mirror, name, source, options, (chunk) => {
      hash.update(chunk);
      writeFully(target.fd, chunk);
    });
    assertChecksum(mirror, name, hash, sha256);
  });
}

/**
 * Unpacks one program of an archive (tar in gzip) of the directory.
 * @param options.accept checks the unpacked program before it gets its name; throws if it is the wrong one
 * @throws UserErrorException as `copyMirrorFile`; `mirror-cut` for an archive that is damaged or lacks the program
 */
export async function unpackMirrorProgram(
  mirror: MirrorDirectory,
  { archive, program, to, sha256 }: Readonly<Record<'archive' | 'program' | 'to', string>> & { sha256: string | null },
  options: CopyOptions & { readonly accept?: (path: string) => Promise<void> },
): Promise<void> {
  await using source = await openMirrorFile(mirror, archive);
  const hash = createHash('sha256');
  await readChunks(mirror, archive, source, options, (chunk) => hash.update(chunk));
  assertChecksum(mirror, archive, hash, sha256);
  const path = (await resolveMirrorPath(mirror.dir, archive)) ?? '';
  await writeFileAtomically(to, 0o755, options.accept, async (target) => {
    let isComplete = false;
    const visitor = {
      selectPart: (entry: string) =>
        entry.replace(/^\.\//, '') === program
          ? { part: 'all' as const, write: (chunk: Buffer) => writeFully(target.fd, chunk) }
          : null,
      onFile: (file: { readonly isComplete: boolean }) => {
        isComplete = file.isComplete;
      },
    };
    const { isCut } = await readArchive(path, visitor, ARCHIVE_LIMITS, options.signal).catch((error: unknown) => {
      if (error instanceof NotAnArchiveError) return { isCut: true };
      const isReadError = error instanceof Error && 'syscall' in error && error.syscall === 'read';
      throw isReadError ? createReadError(path, error) : error;
    });
    if (isCut || !isComplete)
      throw new UserErrorException({
        code: 'mirror-cut',
        ...words().truncated(archive, sanitizeLine(mirror.dir), program, formatFetchCommand()),
      });
  });
}

/** Limits for an archive with one program: openshift-install has half a gigabyte. */
const ARCHIVE_LIMITS = { contentBytes: 1, unpackedBytes: 8 * 1024 ** 3, entryCount: 1000 };

async function readChunks(
  mirror: MirrorDirectory,
  name: string,
  handle: FileHandle,
  { report, signal }: CopyOptions,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  const title = words().reading(sanitizeLine(name), sanitizeLine(mirror.dir));
  report(title);
  let reportedPosition = 0;
  for (let position = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position).catch((error: unknown) => {
      throw createReadError(join(mirror.dir, name), error);
    });
    if (bytesRead === 0) return;
    onChunk(buffer.subarray(0, bytesRead));
    position += bytesRead;
    if (position - reportedPosition < PROGRESS_BYTES) continue;
    reportedPosition = position;
    report(catalogue().steps.prepare.fetch.progress(title, Math.floor(position / 1_000_000)));
  }
}

function assertChecksum({ dir }: MirrorDirectory, name: string, hash: Hash, expectedChecksum: string | null): void {
  const actualChecksum = hash.digest('hex');
  if (expectedChecksum === null || actualChecksum === expectedChecksum) return;
  throw new UserErrorException({
    code: 'mirror-checksum',
    ...words().wrong(name, sanitizeLine(dir), expectedChecksum, actualChecksum, formatFetchCommand()),
  });
}

/** Writes a new file, which gets its name when it is complete and accepted; otherwise it is removed. */
async function writeFileAtomically(
  targetPath: string,
  mode: number,
  accept: ((path: string) => Promise<void>) | undefined,
  write: (target: FileHandle) => Promise<void>,
): Promise<void> {
  const temporaryPath = `${targetPath}.new`;
  try {
    await mkdir(dirname(targetPath), { recursive: true, mode: 0o755 });
    await rm(temporaryPath, { force: true });
    {
      await using target = await open(temporaryPath, 'wx', 0o600);
      await write(target);
      await target.chmod(mode);
      await target.sync();
    }
    await accept?.(temporaryPath);
    await rename(temporaryPath, targetPath);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    if (!(error instanceof Error && 'syscall' in error) || error instanceof UserErrorException) throw error;
    const text = words().unwritable(sanitizeLine(targetPath), describeSystemError(error));
    throw new UserErrorException({ code: 'mirror-unwritable', ...text }, { cause: error });
  }
}

/** Computes the SHA-256 of a file of the directory. */
export async function hashMirrorFile(mirror: MirrorDirectory, name: string, options: CopyOptions): Promise<string> {
  await using source = await openMirrorFile(mirror, name);
  const hash = createHash('sha256');
  await readChunks(mirror, name, source, options, (chunk) => hash.update(chunk));
  return hash.digest('hex');
}

interface MissingFile {
  readonly name: string;
  readonly sha256: string | null;
  /** A file of the same kind that the directory has; null: none. */
  readonly similarFile: string | null;
}

/** Creates the error for files that the directory lacks; `files` has at least one. */
export function createMissingFilesError({ dir }: MirrorDirectory, files: readonly MissingFile[]): UserErrorException {
  const [displayDir, command] = [sanitizeLine(dir), formatFetchCommand()];
  const [firstFile, ...otherFiles] = files;
  const text =
    firstFile !== undefined && otherFiles.length === 0
      ? words().missing(
          firstFile.name,
          displayDir,
          firstFile.sha256,
          firstFile.similarFile && sanitizeLine(firstFile.similarFile),
          command,
        )
      : words().missingFiles(files, displayDir, command);
  return new UserErrorException({ code: 'mirror-missing', ...text });
}

/** Creates the error for a program of another version or architecture than the design's. */
export function createWrongReleaseError(
  { dir }: MirrorDirectory,
  name: string,
  release: { readonly actual: string; readonly expected: string },
): UserErrorException {
  const { actual, expected } = release;
  const text = words().otherRelease(
    sanitizeLine(name),
    sanitizeLine(dir),
    sanitizeLine(actual),
    expected,
    formatFetchCommand(),
  );
  return new UserErrorException({ code: 'mirror-version', ...text });
}

const formatFetchCommand = () => formatCommandLine('export', 'downloads');

function createReadError(path: string, error: unknown): UserErrorException {
  const text = words().unreadable(sanitizeLine(path), describeSystemError(error, 'read'));
  return new UserErrorException({ code: 'mirror-unreadable', ...text }, { cause: error });
}

const MAX_DEPTH = 40;

/**
 * Reads the selected files below a directory, one after the other, sorted by name. Links, pipes and devices are
 * skipped; unreadable files count as missing.
 * @returns `isCut`: a limit ended the read, or something could not be read
 * @throws the system's error for the directory itself
 */
export async function readDirectoryTree(
  directory: string,
  { selectPart, onFile }: FileVisitor,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  let [contentBytes, entryCount, isCut] = [0, 0, false];
  const isLimitReached = () => contentBytes >= limits.contentBytes || entryCount > limits.entryCount;

  async function readDirectory(subpath: string, depth: number): Promise<void> {
    const directoryEntries = await readdir(join(directory, subpath), { withFileTypes: true });
    for (const entry of directoryEntries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      signal?.throwIfAborted();
      entryCount += 1;
      if (isLimitReached()) return;
      const path = subpath === '' ? entry.name : `${subpath}/${entry.name}`;
      const excerpt = entry.isFile() ? selectPart(path) : null;
      try {
        if (entry.isDirectory() && depth < MAX_DEPTH) await readDirectory(path, depth + 1);
        if (excerpt === null) continue;
        const filePart = await readExcerpt(join(directory, path), excerpt);
        contentBytes += filePart.content.length;
        onFile({ path, ...filePart });
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
  return { content: content.subarray(0, bytesRead), isComplete: bytesRead === size, modifiedAt: mtimeMs };
}

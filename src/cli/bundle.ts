import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { catalogue, isYesAnswer } from '../i18n/catalogue.ts';
import { systemClock } from '../platform/clock.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { wrapLines } from '../platform/text.ts';
import { findInstallDirectory } from '../session/install-directories.ts';
import { type Bundle, createArchive, gatherBundle } from '../steps/bundle.ts';
import type { Arguments } from './commands.ts';
import { createNoSessionError } from './session/open-session.ts';
import { formatStyledLine, type Span } from './shared/colours.ts';
import type { CommandContext } from './shared/context.ts';
import { describeUnwritablePath, UsageError, writeNewFile } from './shared/io.ts';
import type { ProcessIo } from './shared/process-io.ts';
import { formatTableLines } from './shared/table.ts';

const words = () => catalogue().bundle;

/**
 * `upi-wizard bundle [--dir D] [--out FILE] [--yes] [--json]`: lists the contents of a support bundle, asks, and writes
 * it.
 * @returns 0 written and complete; 2 no install directory; 4 declined, not written, or written without something that
 * could not be read; 5 the file already exists
 */
export async function bundleCommand(
  { options }: Arguments<'bundle'>,
  { openIo, readVersion }: CommandContext,
): Promise<number> {
  const io = await openIo();
  if (!options.yes && io.ask === null) throw new UsageError(words().needsYes);
  const dir = findInstallDirectory(options.dir, io);
  if (!existsSync(dir)) throw new UsageError(words().noDirectory(sanitizeLine(dir)));
  if (!existsSync(join(dir, '.upi-wizard'))) throw createNoSessionError(dir);

  const now = systemClock.now();
  const file = resolve(
    io.cwd,
    options.out ?? `upi-wizard-bundle-${new Date(now).toISOString().replace(/[-:]|\..*/g, '')}.tar.gz`,
  );
  if (existsSync(file)) return reportFailure(io, words().alreadyExists(sanitizeLine(file)), 5);
  const bundle = await gatherBundle({ dir, env: io.env, version: readVersion(), now });
  const { archive, sha256 } = createArchive(bundle, now);
  io.stderr(formatContents(bundle, dir, io.columns));
  if (!options.yes) {
    const answer = (await io.ask?.(words().question(sanitizeLine(file), bundle.files.length, archive.length))) ?? '';
    if (!isYesAnswer(answer)) return reportFailure(io, words().declined, 4);
  }
  const failure = writeNewFile(file, archive);
  if (failure !== null) {
    const isPresent = 'code' in failure && failure.code === 'EEXIST';
    const name = sanitizeLine(file);
    return isPresent
      ? reportFailure(io, words().alreadyExists(name), 5)
      : reportFailure(io, describeUnwritablePath(file, failure, '--out'), 4);
  }
  if (options.json) io.stdout(formatJson(createBundleDocument(bundle, file, sha256)));
  else io.stdout(`${words().result(sanitizeLine(file), sha256)}\n`);
  io.stderr(`${words().inspectHint(sanitizeLine(file))}\n`);
  return bundle.missing.length === 0 ? 0 : 4;
}

function reportFailure(io: ProcessIo, message: string, exitCode: number): number {
  io.stderr(`${message}\n`);
  return exitCode;
}

function formatContents({ files, missing }: Bundle, dir: string, columns: number): string {
  const rows = files.map(({ path, part, text }): Span[] => [
    { text: `  ${path}` },
    { text: words().size(Buffer.byteLength(text)) },
    { text: words().parts[part] },
  ]);
  const omissionLines =
    missing.length === 0 ? [] : [words().leftOut, ...missing.map(({ path, why }) => words().missing(path, why))];
  const wrapText = (text: string) => `${wrapLines(text, columns).join('\n')}\n`;
  return [
    wrapText(words().preview(sanitizeLine(dir))),
    ...formatTableLines(rows, columns, undefined).map((line) => `${formatStyledLine(line, null)}\n`),
    ...omissionLines.map((line) => `${line}\n`),
    wrapText(words().exclusions),
  ].join('');
}

function createBundleDocument({ files, missing }: Bundle, file: string, sha256: string) {
  const entries = files.map(({ path, part, text }) => ({
    path,
    size: Buffer.byteLength(text),
    what: words().parts[part],
  }));
  return { file, sha256, files: entries, missing };
}

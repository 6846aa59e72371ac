import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { catalogue, isYesAnswer } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { systemClock } from '../platform/clock.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { wrapLines } from '../platform/text.ts';
import { findDefaultDirectory, getConfigDirectory } from '../session/directories.ts';
import { type Bundle, createArchive, gatherBundle } from '../steps/bundle.ts';
import { UsageError, writeNewFile } from './shared/io.ts';
import { formatTable, type LiveIo } from './shared/live-io.ts';

const words = () => catalogue().bundle;

/**
 * `upi-wizard bundle [--dir D] [--out FILE] [--yes] [--json]`: lists the contents of a support bundle, asks, and writes
 * it.
 * @returns 0 written and complete; 2 no install directory; 4 declined, not written, or written without something that
 * could not be read; 5 the file already exists
 */
export async function bundleCommand(argv: readonly string[], io: LiveIo, version: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      out: { type: 'string' },
      yes: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (positionals[0] !== undefined)
    throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(positionals[0], 80)));
  if (!values.yes && io.ask === null) throw new UsageError(words().needsYes);
  const dir =
    values.dir === undefined
      ? findDefaultDirectory(io.cwd, getConfigDirectory({ ...io.env }))
      : resolve(io.cwd, values.dir);
  if (!existsSync(dir)) throw new UsageError(words().noDirectory(sanitizeLine(dir)));
  if (!existsSync(join(dir, '.upi-wizard'))) throw new UsageError(words().noSession(sanitizeLine(dir)));

  const now = systemClock.now();
  const file = resolve(
    io.cwd,
    values.out ?? `upi-wizard-bundle-${new Date(now).toISOString().replace(/[-:]|\..*/g, '')}.tar.gz`,
  );
  if (existsSync(file)) return refuse(io, words().alreadyExists(sanitizeLine(file)), 5);
  const bundle = await gatherBundle({ dir, env: io.env, version, now });
  const { archive, sha256 } = createArchive(bundle, now);
  io.stderr(formatContents(bundle, dir, io.columns));
  if (!values.yes) {
    const answer = (await io.ask?.(words().question(sanitizeLine(file), bundle.files.length, archive.length))) ?? '';
    if (!isYesAnswer(answer)) return refuse(io, words().declined, 4);
  }
  const failure = writeNewFile(file, archive);
  if (failure !== null) {
    const isThere = 'code' in failure && failure.code === 'EEXIST';
    const name = sanitizeLine(file);
    return isThere
      ? refuse(io, words().alreadyExists(name), 5)
      : refuse(io, words().unwritable(name, describeSystemError(failure)), 4);
  }
  if (values.json) io.stdout(formatJson(createDocument(bundle, file, sha256)));
  else io.stdout(`${words().result(sanitizeLine(file), sha256)}\n`);
  io.stderr(`${words().inspectHint(sanitizeLine(file))}\n`);
  return bundle.missing.length === 0 ? 0 : 4;
}

function refuse(io: LiveIo, message: string, code: number): number {
  io.stderr(`${message}\n`);
  return code;
}

function formatContents({ files, missing }: Bundle, dir: string, columns: number): string {
  const rows = files.map(({ path, part, text }) => [
    `  ${path}`,
    words().size(Buffer.byteLength(text)),
    words().parts[part],
  ]);
  const leftOut =
    missing.length === 0 ? [] : [words().leftOut, ...missing.map(({ path, why }) => words().missing(path, why))];
  const wrapText = (text: string) => `${wrapLines(text, columns).join('\n')}\n`;
  return [
    wrapText(words().preview(sanitizeLine(dir))),
    formatTable(rows, columns),
    ...leftOut.map((line) => `${line}\n`),
    wrapText(words().exclusions),
  ].join('');
}

function createDocument({ files, missing }: Bundle, file: string, sha256: string) {
  const entries = files.map(({ path, part, text }) => ({
    path,
    size: Buffer.byteLength(text),
    what: words().parts[part],
  }));
  return { file, sha256, files: entries, missing };
}

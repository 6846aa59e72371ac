import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../ports/clock.ts';
import { configDirectory, defaultDirectory } from '../session/directories.ts';
import { archiveOf, type Bundle, gatherBundle } from '../steps/bundle/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { systemReason } from '../text/system-reason.ts';
import { wrapLines } from '../text/width.ts';
import { saysYes } from '../text/yes.ts';
import { type LiveIo, tableText } from './shared/live-io.ts';
import { writeNew } from './shared/new-file.ts';
import { UsageError } from './shared/usage.ts';

const words = () => catalogue().bundle;

/**
 * `upi-wizard bundle [--dir D] [--out FILE] [--yes] [--json]`: lists what a support bundle will hold, asks, and writes it.
 * @returns the exit code: 0 written and complete; 2 no install directory; 4 declined, not written, or written without something that could
 * not be read; 5 the file exists already
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
    values.dir === undefined ? defaultDirectory(io.cwd, configDirectory({ ...io.env })) : resolve(io.cwd, values.dir);
  if (!existsSync(dir)) throw new UsageError(words().noDirectory(sanitizeLine(dir)));
  if (!existsSync(join(dir, '.upi-wizard'))) throw new UsageError(words().noSession(sanitizeLine(dir)));

  const now = systemClock.now();
  const file = resolve(
    io.cwd,
    values.out ?? `upi-wizard-bundle-${new Date(now).toISOString().replace(/[-:]|\..*/g, '')}.tar.gz`,
  );
  if (existsSync(file)) return refuse(io, words().isThere(sanitizeLine(file)), 5);
  const bundle = await gatherBundle({ dir, env: io.env, version, now });
  const { archive, sha256 } = archiveOf(bundle, now);
  io.stderr(listText(bundle, dir, io.columns));
  if (!values.yes) {
    const answer = (await io.ask?.(words().question(sanitizeLine(file), bundle.files.length, archive.length))) ?? '';
    if (!saysYes(answer)) return refuse(io, words().declined, 4);
  }
  const failure = writeNew(file, archive);
  if (failure !== null) {
    const isThere = 'code' in failure && failure.code === 'EEXIST';
    const name = sanitizeLine(file);
    return isThere
      ? refuse(io, words().isThere(name), 5)
      : refuse(io, words().unwritable(name, systemReason(failure)), 4);
  }
  if (values.json) io.stdout(jsonText(documentOf(bundle, file, sha256)));
  else io.stdout(`${words().wrote(sanitizeLine(file), sha256)}\n`);
  io.stderr(`${words().look(sanitizeLine(file))}\n`);
  return bundle.missing.length === 0 ? 0 : 4;
}

function refuse(io: LiveIo, said: string, code: number): number {
  io.stderr(`${said}\n`);
  return code;
}

function listText({ files, missing }: Bundle, dir: string, columns: number): string {
  const rows = files.map(({ path, part, text }) => [
    `  ${path}`,
    words().size(Buffer.byteLength(text)),
    words().parts[part],
  ]);
  const left =
    missing.length === 0 ? [] : [words().leftOut, ...missing.map(({ path, why }) => words().missing(path, why))];
  const said = (text: string) => `${wrapLines(text, columns).join('\n')}\n`;
  return [
    said(words().holds(sanitizeLine(dir))),
    tableText(rows, columns),
    ...left.map((line) => `${line}\n`),
    said(words().never),
  ].join('');
}

function documentOf({ files, missing }: Bundle, file: string, sha256: string) {
  const entries = files.map(({ path, part, text }) => ({
    path,
    size: Buffer.byteLength(text),
    what: words().parts[part],
  }));
  return { file, sha256, files: entries, missing };
}

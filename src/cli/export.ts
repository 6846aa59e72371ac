import { join, resolve } from 'node:path';
import type { Design } from '../design/model.ts';
import { parseDesign } from '../design/parse.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { exportAnsible } from '../steps/export-ansible.ts';
import { exportDownloads } from '../steps/export-downloads.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { readNamedDesign } from './shared/design-file.ts';
import { UsageError } from './shared/io.ts';
import { isErrorFree, type LiveTarget, withLiveTarget } from './shared/live-target.ts';
import { createRuntime } from './shared/runtime.ts';

const words = () => catalogue().export;

/**
 * `upi-wizard export ansible DIR [--dir D] [--force] [--json]`: exports the services of an install directory as an
 * inventory and roles.
 * @returns 4 files that need a missing credential were left out; 5 the user changed a file of an earlier export
 */
export async function ansibleCommand(
  { options, operand: target }: Arguments<'export ansible'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const dir = resolve(io.cwd, target);
  const requirements = { isFilesOnly: true };
  return await withLiveTarget(
    { dir: options.dir, isDirectoryOnly: true },
    io,
    launcher.programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { files, ...result } = await exportAnsible(session.context, dir, { force: options.force });
      const { refused, saved, kept, leftOut, written, removed } = result;
      for (const file of refused) io.stderr(words().edited(sanitizeLine(join(dir, file))));
      for (const { file, as } of saved) io.stderr(words().saved(sanitizeLine(join(dir, file)), as));
      for (const file of kept) io.stderr(words().obsoleteFile(sanitizeLine(join(dir, file))));
      for (const path of leftOut) io.stderr(words().leftOut(path));
      if (options.json) io.stdout(formatJson({ dir, files, ...result }));
      else if (refused.length > 0) io.stderr(words().stopped);
      else io.stdout(words().summary(sanitizeLine(dir), files, written.length, removed.length));
      return refused.length > 0 ? 5 : leftOut.length > 0 ? 4 : 0;
    },
    requirements,
  );
}

/**
 * `upi-wizard export downloads [FILE | --dir D] [--imageset | --json]`: prints a script that fetches what an
 * installation needs from the internet, or the same as JSON, or an ImageSetConfiguration. Uses no network.
 * @returns 3 the design has errors; 4 there is no ImageSetConfiguration for the release
 */
export async function downloadsCommand(
  { options, operand: file }: Arguments<'export downloads'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const { downloads } = words();
  if (options.imageset && options.json) throw new UsageError(downloads.jsonOrImageSet);
  if (file !== undefined && options.dir !== undefined) throw new UsageError(downloads.fileAndDirectory);
  const io = await openIo();
  const printDownloads = async (design: Design, dir: string) => {
    // A rehearsal, too, searches for the real openshift-install: its stand-in names files that do not exist.
    const { programPath, imagesDir } = createRuntime(dir);
    const format = options.imageset ? 'imageset' : options.json ? 'json' : 'script';
    io.stdout(await exportDownloads({ design, programPath, imagesDir }, format));
    return 0;
  };
  if (file === undefined) {
    const target = { dir: options.dir, isDirectoryOnly: true } as const;
    const printForTarget = async ({ design, session }: LiveTarget) =>
      session === null ? 3 : await printDownloads(design, session.context.dir);
    return await withLiveTarget(target, io, launcher.programs, printForTarget, { isFilesOnly: true });
  }
  const { name, dir, text } = readNamedDesign(file, io);
  if (text instanceof Error)
    throw new UsageError(catalogue().live.target.unreadable(name, describeSystemError(text, 'read')));
  const { design, problems } = parseDesign(text);
  return isErrorFree(design, problems, name, io) ? await printDownloads(design, dir) : 3;
}

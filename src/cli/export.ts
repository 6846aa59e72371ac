import { join, resolve } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { exportAnsible } from '../steps/export-ansible.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { withLiveTarget } from './shared/live.ts';

const words = () => catalogue().export;

/**
 * `upi-wizard export ansible DIR [--dir D] [--force] [--json]`: exports the services of an install directory as an
 * inventory and roles.
 * @returns 4 files that need a missing credential were left out; 5 the user changed a file of an earlier export
 */
export async function exportCommand(
  { options, operand: target }: Arguments<'export ansible'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const dir = resolve(io.cwd, target);
  const needs = { isFilesOnly: true };
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
    needs,
  );
}

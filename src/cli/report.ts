import { resolve } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { describeSystemError } from '../i18n/user-error.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { prepareReport, writeReportFile } from '../steps/report.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { withLiveTarget } from './shared/live.ts';

const words = () => catalogue().report.command;

/**
 * `upi-wizard report [--html FILE] [--md FILE] [--json] [--dir D]`: writes the report on the cluster of an install
 * directory to files, or prints it. While the API does not answer, it has the design and the records of the wizard.
 * @returns 0 done; 3 the design has errors; 4 a file could not be written
 */
export async function reportCommand(
  { options }: Arguments<'report'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const target = { dir: options.dir, isDirectoryOnly: true } as const;
  return await withLiveTarget(
    target,
    io,
    launcher.programs,
    async ({ session }) => {
      if (session === null) return 3;
      const { report, renderHtml, renderMarkdown } = await prepareReport(session.context);
      const files = [
        { file: options.html, render: renderHtml },
        { file: options.md, render: renderMarkdown },
      ].flatMap(({ file, render }) => (file === undefined ? [] : [{ file: resolve(io.cwd, file), render }]));
      for (const { file, render } of files) {
        try {
          await writeReportFile(file, render());
        } catch (error) {
          io.stderr(`${words().unwritable(sanitizeLine(file), describeSystemError(error))}\n`);
          return 4;
        }
        io.stderr(`${words().writtenTo(sanitizeLine(file))}\n`);
      }
      if (options.json) io.stdout(formatJson(report));
      else if (files.length === 0) io.stdout(renderMarkdown());
      return 0;
    },
    { isFilesOnly: true },
  );
}

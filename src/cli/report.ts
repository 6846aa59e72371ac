import { resolve } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { createDesignForExistingCluster, readExistingCluster } from '../infra/existing-cluster.ts';
import { replaceFile } from '../platform/files.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { prepareReport } from '../steps/report.ts';
import type { Arguments } from './commands.ts';
import { type ClusterTarget, withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { describeUnwritablePath } from './shared/io.ts';

const words = () => catalogue().report.command;

/**
 * `upi-wizard report [--html FILE] [--md FILE] [--json] [--dir D | --kubeconfig K [--design FILE]]`: writes the report
 * on a cluster to files, or prints it (also for the file `-`). While the API is down, the report of an install
 * directory has the design and the records of the wizard.
 * @returns 0 done; 3 the design has errors; 4 a file could not be written
 */
export async function reportCommand(
  { options }: Arguments<'report'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const { dir, design, kubeconfig } = options;
  const hasUserDesign = kubeconfig === undefined || design !== undefined;
  return await withClusterTarget(
    { dir, design, kubeconfig },
    io,
    launcher.programs,
    async (target) => {
      const { report, renderHtml, renderMarkdown } = await prepareReport({
        ...target,
        hasUserDesign,
      });
      const files = [
        { option: '--html', file: options.html, render: renderHtml },
        { option: '--md', file: options.md, render: renderMarkdown },
      ].flatMap(({ file, ...output }) =>
        file === undefined ? [] : [{ ...output, file: file === '-' ? null : resolve(io.cwd, file) }],
      );
      for (const { option, file, render } of files) {
        if (file === null) {
          io.stdout(render());
          continue;
        }
        try {
          await replaceFile(file, render());
        } catch (error) {
          io.stderr(`${describeUnwritablePath(file, error, option)}\n`);
          return 4;
        }
        io.stderr(`${words().writtenTo(sanitizeLine(file))}\n`);
      }
      if (options.json) io.stdout(formatJson(report));
      else if (files.length === 0) io.stdout(renderMarkdown());
      return 0;
    },
    { isFilesOnly: true, propose: hasUserDesign ? null : deriveDesign },
  );
}

/** Derives the design of a cluster that has none: its name and version. */
const deriveDesign = async (connect: ClusterTarget['connect']) =>
  createDesignForExistingCluster(await readExistingCluster(await connect()), {
    names: [],
    machineSets: null,
    autoscaler: null,
    routerReplicas: null,
  });

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().report.secrets;

/** The line that openshift-install prints at the end, also into its log. */
const PASSWORD_LINE = /and password: /;

/**
 * Lists the files that still hold secrets of the installation, each with the command that removes it, and the files to
 * keep. Names files and never shows their content.
 */
export async function listSecretLines({ dir, design }: Pick<StepContext, 'dir' | 'design'>): Promise<string[]> {
  const paths = workspace(dir);
  const { contents, line, keep, runIn } = words();
  const generated = join(paths.hostFilesDir(design.services.bastion.name), 'root', 'upi-wizard', 'install-config.yaml');
  const removal = (path: string, description: string, command = 'rm') => [path, description, command] as const;
  const logs = await findPasswordLogs([paths.installerLog, ...(await listLogs(paths.jobs))], paths.kubeadminPassword);
  const entries = [
    ...logs.map((path) => removal(path, contents.log, "sed -i '/and password: /d'")),
    removal(paths.kubeadminPassword, contents.password),
    removal(join(dir, '.openshift_install_state.json'), contents.state),
    removal(join(dir, 'bootstrap.ign'), contents.bootstrap),
    removal(join(dir, 'bootstrap-in-place-for-live-iso.ign'), contents.bootstrap),
    removal(join(dir, 'master.ign'), contents.master),
    removal(paths.workerIgnition, contents.worker),
    removal(paths.clusterWorkerIgnition, contents.worker),
    removal(paths.installConfigCopy, contents.installConfig),
    removal(paths.pastedPullSecret, contents.pasted),
    removal(paths.archiveDir, contents.movedAside, 'rm -r'),
  ];
  const lines = [
    ...entries.map(([path, description, command]) => {
      const name = relative(dir, path);
      return existsSync(path) ? [line(name, description), `  \`${command} ${quoteShellArg(name)}\``] : [];
    }),
    ...[generated, paths.kubeconfig].map((path, index) => {
      const description = index === 0 ? keep.generated : keep.kubeconfig;
      return existsSync(path) ? [line(relative(dir, path), description)] : [];
    }),
  ];
  const found = lines.flat();
  return found.length === 0 ? [] : [runIn(dir), '', ...found];
}

async function listLogs(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(() => [])).sort().map((name) => join(dir, name));
}

/** Finds the logs that hold the password of kubeadmin. */
async function findPasswordLogs(logs: readonly string[], passwordFile: string): Promise<string[]> {
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  const found = await Promise.all(
    logs.map(async (path) => {
      const text = path.endsWith('.log') ? await readFile(path, 'utf8').catch(() => '') : '';
      return PASSWORD_LINE.test(text) || (password !== '' && text.includes(password)) ? [path] : [];
    }),
  );
  return found.flat();
}

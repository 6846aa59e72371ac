import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { catalogue } from '../../text/catalogue.ts';
import type { StepContext } from '../contract.ts';
import { shellWord } from '../shared/hosts/commands.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().report.secrets;

/** What openshift-install prints at the end, into its log as well. */
const PASSWORD_LINE = /and password: /;

/**
 * Where secrets of the installation still lie, a line for each with the command that removes it, and what has to be kept.
 * Names files and never shows what is in them.
 */
export async function secretLines({ dir, design }: Pick<StepContext, 'dir' | 'design'>): Promise<string[]> {
  const paths = workspace(dir);
  const { what, line, keep, where } = words();
  const generated = join(paths.filesOf(design.services.bastion.name), 'root', 'upi-wizard', 'install-config.yaml');
  const removed = (path: string, said: string, command = 'rm') => [path, said, command] as const;
  const logs = await withPassword([paths.installerLog, ...(await logsIn(paths.jobs))], paths.kubeadminPassword);
  const places = [
    ...logs.map((path) => removed(path, what.log, "sed -i '/and password: /d'")),
    removed(paths.kubeadminPassword, what.password),
    removed(join(dir, '.openshift_install_state.json'), what.state),
    removed(join(dir, 'bootstrap.ign'), what.bootstrap),
    removed(join(dir, 'bootstrap-in-place-for-live-iso.ign'), what.bootstrap),
    removed(join(dir, 'master.ign'), what.master),
    removed(paths.workerIgnition, what.worker),
    removed(paths.clusterWorkerIgnition, what.worker),
    removed(paths.installConfigCopy, what.installConfig),
    removed(paths.pastedPullSecret, what.pasted),
    removed(paths.aside, what.aside, 'rm -r'),
  ];
  const lines = [
    ...places.map(([path, said, command]) => {
      const name = relative(dir, path);
      return existsSync(path) ? [line(name, said), `  \`${command} ${shellWord(name)}\``] : [];
    }),
    ...[generated, paths.kubeconfig].map((path, index) => {
      const said = index === 0 ? keep.generated : keep.kubeconfig;
      return existsSync(path) ? [line(relative(dir, path), said)] : [];
    }),
  ];
  const found = lines.flat();
  return found.length === 0 ? [] : [where(dir), '', ...found];
}

async function logsIn(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(() => [])).sort().map((name) => join(dir, name));
}

/** The logs that hold the password of kubeadmin. */
async function withPassword(logs: readonly string[], passwordFile: string): Promise<string[]> {
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  const found = await Promise.all(
    logs.map(async (path) => {
      const text = path.endsWith('.log') ? await readFile(path, 'utf8').catch(() => '') : '';
      return PASSWORD_LINE.test(text) || (password !== '' && text.includes(password)) ? [path] : [];
    }),
  );
  return found.flat();
}

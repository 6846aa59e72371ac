import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ReportPart } from '../../artifacts/report.ts';
import { POOL_IGNITION_NAMES } from '../../design/choices.ts';
import { needsFencingFile } from '../../design/fencing.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { StepContext } from '../contract.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().report.secrets;

/** The line that openshift-install prints at the end, also into its log. */
const PASSWORD_LINE = /and password: /;

type SecretFile = Extract<ReportPart, { readonly kind: 'files' }>['files'][number];

/**
 * Lists the files that still hold secrets of the installation, each with the command that removes it, and the files to
 * keep. Names files and never shows their content.
 */
export async function listSecretFiles({ dir, design }: Pick<StepContext, 'dir' | 'design'>): Promise<SecretFile[]> {
  const paths = workspace(dir);
  const { contents, keep, withLogins } = words();
  const describe = (text: string) => (needsFencingFile(design) ? withLogins(text) : text);
  const generatedConfig = join(
    paths.hostFilesDir(design.services.bastion.name),
    'root',
    'upi-wizard',
    'install-config.yaml',
  );
  const createRemoval = (path: string, description: string, command = 'rm') => [path, description, command] as const;
  const logs = await findPasswordLogs(
    [paths.installerLog, ...(await listLogs(paths.jobsDir))],
    paths.kubeadminPassword,
  );
  const entries: readonly (readonly [path: string, description: string, command: string | null])[] = [
    ...logs.map((path) => createRemoval(path, contents.log, "sed -i '/and password: /d'")),
    createRemoval(paths.kubeadminPassword, contents.password),
    createRemoval(join(dir, '.openshift_install_state.json'), describe(contents.state)),
    createRemoval(join(dir, 'bootstrap.ign'), describe(contents.bootstrap)),
    createRemoval(join(dir, 'bootstrap-in-place-for-live-iso.ign'), contents.bootstrap),
    ...POOL_IGNITION_NAMES.flatMap((role) => [
      createRemoval(paths.ignitionFile(role), contents[role]),
      createRemoval(paths.clusterIgnitionFile(role), contents[role]),
    ]),
    createRemoval(paths.installConfigCopy, describe(contents.installConfig)),
    createRemoval(paths.pastedPullSecret, contents.pasted),
    createRemoval(paths.archiveDir, contents.movedAside, 'rm -r'),
    [generatedConfig, describe(keep.generated), null],
    [paths.kubeconfig, keep.kubeconfig, null],
  ];
  return entries
    .filter(([path]) => existsSync(path))
    .map(([path, description, command]) => {
      const name = relative(dir, path);
      return { name, contents: description, command: command === null ? null : `${command} ${quoteShellArg(name)}` };
    });
}

async function listLogs(dir: string): Promise<string[]> {
  return (await readdir(dir).catch(() => [])).sort().map((name) => join(dir, name));
}

/** Finds the logs that hold the password of kubeadmin. */
async function findPasswordLogs(logs: readonly string[], passwordFile: string): Promise<string[]> {
  const password = (await readFile(passwordFile, 'utf8').catch(() => '')).trim();
  const pathLists = await Promise.all(
    logs.map(async (path) => {
      const text = path.endsWith('.log') ? await readFile(path, 'utf8').catch(() => '') : '';
      return PASSWORD_LINE.test(text) || (password !== '' && text.includes(password)) ? [path] : [];
    }),
  );
  return pathLists.flat();
}

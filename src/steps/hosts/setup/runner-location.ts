import { existsSync } from 'node:fs';
import { renderRunnerScript } from '../../../artifacts/hosts/install-script.ts';
import type { RunnerHost } from '../../../host/host-run.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import type { StepContext } from '../../contract.ts';
import { listHostsInSetupOrder } from '../../shared/hosts/host-roles.ts';
import { workspace } from '../../shared/workspace.ts';

const SSH_PORT = 22;

/**
 * Locates the runner of a service host: the script that runs install.sh unattended there, and reverts an unconfirmed
 * run. For the bastion it runs on this machine; for any other host, over SSH to its first address. SSH runs as this
 * user, with this user's keys, agent and configuration.
 * @throws UserErrorException `files-missing`
 */
export function locateRunner({ design, dir, manualActions, resolveEndpoint }: StepContext, name: string): RunnerHost {
  const { filesMissing } = catalogue().steps.hosts;
  const host = listHostsInSetupOrder(design).find((candidate) => candidate.name === name);
  const [address] = host?.ip ?? [];
  if (address === undefined) throw new Error(`no such host: ${name}`);
  const filesDir = workspace(dir).hostFilesDir(name);
  if (!existsSync(filesDir)) throw new UserErrorException({ code: 'files-missing', ...filesMissing(name) });
  return {
    name,
    target: name === design.services.bastion.name ? null : toSshTarget(resolveEndpoint(address, SSH_PORT)),
    filesDir,
    runnerScript: renderRunnerScript(),
    simulatedRun: manualActions.runOnHost,
  };
}

function toSshTarget({ host, port }: { readonly host: string; readonly port: number }) {
  return { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
}

import { existsSync } from 'node:fs';
import { hostRunner } from '../../../artifacts/hosts/runner.ts';
import type { RunPlace } from '../../../bastion/host-run.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { hostsInOrder } from '../../shared/hosts/order.ts';
import { workspace } from '../../shared/workspace.ts';

const SSH_PORT = 22;

/**
 * Where a service host's runner is reached: here for the bastion, over SSH by its first address for any other, as this user
 * and with this user's keys, agent and configuration.
 * @throws TroubleError `files-missing`
 */
export function runPlace({ design, dir, hands, reach }: StepContext, name: string): RunPlace {
  const { filesMissing } = catalogue().steps.hosts;
  const host = hostsInOrder(design).find((each) => each.name === name);
  const [address] = host?.ip ?? [];
  if (address === undefined) throw new Error(`no such host: ${name}`);
  const files = workspace(dir).filesOf(name);
  if (!existsSync(files)) throw new TroubleError({ code: 'files-missing', ...filesMissing(name) });
  return {
    name,
    target: name === design.services.bastion.name ? null : targetOf(reach(address, SSH_PORT)),
    files,
    runner: hostRunner(),
    played: hands.runOnHost,
  };
}

function targetOf({ host, port }: { readonly host: string; readonly port: number }) {
  return { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
}

import { serviceHosts } from '../../../design/derived-facts.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { formatUrlHost } from '../../../platform/http.ts';

import { quoteShellArg } from '../../../platform/shell-quoting.ts';

import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { isCopied } from './copy.ts';

const words = () => catalogue().steps.hosts;

/** Commands for the user to put the files of a host in place, one command a line; none if that is no manual action. */
export function listHostCommands(context: StepContext, name: string): string[] {
  const { manualActions, design, dir } = context;
  if (!manualActions.isManual) return [];
  const files = quoteShellArg(workspace(dir).hostFilesDir(name));
  if (name === design.services.bastion.name) return [words().runHere(files)];
  const address = serviceHosts(design).find((host) => host.name === name)?.ip[0] ?? name;
  if (isCopied(context, name)) return [words().runCopied(name, address)];
  return [words().copy(files, formatUrlHost(address)), words().run(name, address)];
}

/** Lists the same commands under the name of the host, each indented on a separate line. */
export function listHostInstructions(context: StepContext, name: string): string[] {
  const commands = listHostCommands(context, name);
  if (commands.length === 0) return [];
  const isHere = name === context.design.services.bastion.name;
  return [`${isHere ? words().here(name) : name}:`, ...commands.map((command) => `  ${command}`)];
}

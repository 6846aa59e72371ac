import { serviceHosts } from '../../../design/names.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { urlHost } from '../../../text/url-host.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { isCopied } from './copy.ts';

const words = () => catalogue().steps.hosts;

/** What a person types to put the files of a host in place, one command a line; none where it is not a person's task. */
export function hostCommands(context: StepContext, name: string): string[] {
  const { hands, design, dir } = context;
  if (!hands.isPerson) return [];
  const files = shellWord(workspace(dir).filesOf(name));
  if (name === design.services.bastion.name) return [words().runHere(files)];
  const address = serviceHosts(design).find((host) => host.name === name)?.ip[0] ?? name;
  if (isCopied(context, name)) return [words().runCopied(name, address)];
  return [words().copy(files, urlHost(address)), words().run(name, address)];
}

/** The same under the name of the host, each command indented on a line of its own. */
export function hostInstructions(context: StepContext, name: string): string[] {
  const commands = hostCommands(context, name);
  if (commands.length === 0) return [];
  const isHere = name === context.design.services.bastion.name;
  return [`${isHere ? words().here(name) : name}:`, ...commands.map((command) => `  ${command}`)];
}

/** One word for a shell, quoted only where necessary: most paths read better without. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

import { runOverSsh } from '../../bastion/ssh/ssh-run.ts';
import { serviceHosts } from '../../design/names.ts';
import { findProgram } from '../../installer/find.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { copyToHost } from '../shared/hosts/copy.ts';
import { noteAsPut } from '../shared/hosts/put-in-place.ts';

const words = () => catalogue().steps.removal.overSsh;
const SSH_PORT = 22;
/** How many lines of the failure we report. */
const LAST_LINES = 4;

/**
 * Copies a host's files there and runs its install.sh as root, as this user (root, or one who may use sudo without a
 * password). The script checks the files with their programs before it uses them, and restores the old ones on failure.
 * @throws TroubleError `ssh-…`, `install-failed` with the last lines
 */
export async function installOverSsh(
  context: StepContext,
  name: string,
  report: (line: string) => void,
): Promise<void> {
  await copyToHost(context, name, report);
  const address = serviceHosts(context.design).find((host) => host.name === name)?.ip[0] ?? name;
  const { host, port } = context.reach(address, SSH_PORT);
  const script = `upi-wizard/${name}/root/upi-wizard/install.sh`;
  const said: string[] = [];
  report(words().running(name));
  const { exitCode } = await runOverSsh({
    program: (await findProgram('ssh', [])) ?? 'ssh',
    target: { host, port: port === SSH_PORT ? null : port, user: null, options: [] },
    command: `if [ "$(id -u)" = 0 ]; then bash ${script}; else sudo -n bash ${script}; fi`,
    signal: context.signal,
    onLine: (line) => {
      const shown = sanitizeLine(redact(line), 300);
      said.push(shown);
      report(`${name}: ${shown}`);
    },
  });
  if (exitCode !== 0) {
    throw new TroubleError({
      code: 'install-failed',
      title: words().failed(name, exitCode),
      cause: said.slice(-LAST_LINES).join(' / ') || words().silent,
      whatToDo: words().failedFix(name, address),
    });
  }
  noteAsPut(context, [name]);
}

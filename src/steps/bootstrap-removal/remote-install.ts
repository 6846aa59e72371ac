import { serviceHosts } from '../../design/derived-facts.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/find-program.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';

import type { StepContext } from '../contract.ts';
import { copyToHost } from '../shared/hosts/copy.ts';
import { recordHostFiles } from '../shared/hosts/put-in-place.ts';

const words = () => catalogue().steps.removal.overSsh;
const SSH_PORT = 22;
/** Number of lines of a failure that are reported. */
const MAX_ERROR_LINES = 4;

/**
 * Copies the files of a host to it and runs its install.sh as root. The SSH login is this user's: root, or a user with
 * passwordless sudo. The script checks the files with their programs before it uses them, and restores the old ones on
 * failure.
 * @throws UserErrorException `ssh-…`, `install-failed` with the last lines
 */
export async function installOverSsh(
  context: StepContext,
  name: string,
  report: (line: string) => void,
): Promise<void> {
  await copyToHost(context, name, report);
  const address = serviceHosts(context.design).find((host) => host.name === name)?.ip[0] ?? name;
  const { host, port } = context.resolveEndpoint(address, SSH_PORT);
  const script = `upi-wizard/${name}/root/upi-wizard/install.sh`;
  const output: string[] = [];
  report(words().running(name));
  const { exitCode } = await runOverSsh({
    program: (await findProgram('ssh', [])) ?? 'ssh',
    target: { host, port: port === SSH_PORT ? null : port, user: null, options: [] },
    command: `if [ "$(id -u)" = 0 ]; then bash ${script}; else sudo -n bash ${script}; fi`,
    signal: context.signal,
    onLine: (line) => {
      const safeLine = sanitizeLine(redact(line), 300);
      output.push(safeLine);
      report(`${name}: ${safeLine}`);
    },
  });
  if (exitCode !== 0) {
    throw new UserErrorException({
      code: 'install-failed',
      title: words().failed(name, exitCode),
      cause: output.slice(-MAX_ERROR_LINES).join(' / ') || words().noOutput,
      remedy: words().failedFix(name, address),
    });
  }
  recordHostFiles(context, [name]);
}

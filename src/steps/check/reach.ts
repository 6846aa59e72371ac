import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { UserErrorException } from '../../i18n/user-error.ts';
import { findProgram } from '../../installer/find-program.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import type { ProbeAnswer, ProbeQuestion } from '../../probes/probe-types.ts';
import type { StepContext } from '../contract.ts';
import { resolveSshTarget } from '../shared/hosts/host-command.ts';

const words = () => catalogue().diagnosis.site.details;

/** Seconds after which a connection counts as silent; all of them are opened at once. */
const TIMEOUT = 3;

/** Asks a service host over SSH which ports it can connect to. It needs no rights there, and changes nothing. */
export async function probeReach(
  context: Pick<StepContext, 'resolveEndpoint' | 'programPath' | 'manualActions' | 'signal'>,
  { address, targets }: ProbeQuestion<'reach'>,
): Promise<ProbeAnswer<'reach'>> {
  const { programPath, manualActions, signal } = context;
  if (!manualActions.canLogIn) return { state: 'unseen', detail: words().hasNoLogin };
  const program = await findProgram('ssh', programPath);
  if (program === null) return { state: 'unseen', detail: words().noSsh };
  const connections = targets.map(
    ({ host, port }, index) =>
      `{ timeout ${TIMEOUT} bash -c ${quoteShellArg(`exec 3<>/dev/tcp/${host}/${port}`)} 2>/dev/null; echo "reach ${index} $?"; } &`,
  );
  const script = [...connections, 'wait'].join('\n');
  try {
    const target = resolveSshTarget(context, address);
    const { stdout } = await runOverSsh({ program, target, command: `bash -c ${quoteShellArg(script)}`, signal });
    const codes = new Map(
      [...stdout.matchAll(/^reach (\d+) (\d+)$/gm)].map(([, index, code]) => [Number(index), code]),
    );
    // `timeout` ends with 124; bash with 1 if the connection is refused, or no route leads there.
    const states = targets.map((_, index) => {
      const code = codes.get(index);
      return code === undefined ? null : code === '0' ? 'open' : code === '124' ? 'silent' : 'refused';
    });
    return { state: 'seen', states };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof UserErrorException)) throw error;
    return { state: 'unseen', detail: error.userError.cause };
  }
}

import { isConfigError } from '../../checks/rules/dhcp.ts';
import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { serviceHosts } from '../../design/derived-facts.ts';

import type { StepContext } from '../contract.ts';
import { readCommandOutput } from '../shared/hosts/host-command.ts';
import { SYSTEM_LOGS } from './host-files.ts';
import { parseJournalLines } from './log-lines.ts';

const PROGRAMS = /^(?:haproxy|named|dhcpd|kea-dhcp4|Keepalived\w*|keepalived)$/;
/** Message of each program after it loaded its configuration: its earlier errors are resolved. */
const CONFIG_LOADED: Readonly<Record<string, RegExp>> = {
  haproxy: /Loading success|New worker .*forked/,
  named: /all zones loaded|^running$|configuration succeeded/,
  dhcpd: /Server starting service|DHCPOFFER|DHCPACK/,
  'kea-dhcp4': /DHCP4_STARTED|DHCP4_CONFIG_COMPLETE|DHCP4_LEASE_ALLOC/,
};
/** Limit per program, so that a verbose one does not displace the others. */
const MAX_LINES_PER_PROGRAM = 100;
const MAX_LOG_BYTES = 512 * 1024;
const TAGS = 'haproxy named dhcpd kea-dhcp4 keepalived Keepalived Keepalived_vrrp';

/** Prints what the services of a host logged last, from the journal. */
const COMMAND = `root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }
for tag in ${TAGS}; do $root journalctl -q --no-pager -o short-iso --since -6h -n ${MAX_LINES_PER_PROGRAM} -t $tag 2>/dev/null; done
exit 0`;

/** Reads the latest lines of the services on the service hosts, as far as possible from here. */
export async function readServiceLines(context: StepContext): Promise<EvidenceLine[]> {
  const { design, manualActions, clock } = context;
  const reads = serviceHosts(design).map(async (host) => {
    const zone = manualActions.isManual ? '' : 'UTC';
    let text: string | null = null;
    for (const path of SYSTEM_LOGS) text ??= await manualActions.readFile(host.name, path);
    if (text === null && manualActions.isManual) text = await readCommandOutput(context, host, COMMAND);
    const own = takeLastLines((text ?? '').slice(-MAX_LOG_BYTES).split('\n'));
    return parseJournalLines(own.join('\n'), host.name, clock.now(), { zone });
  });
  return (await Promise.all(reads)).flat();
}

/** Takes the last lines of each service program, in their order. */
function takeLastLines(lines: readonly string[]): string[] {
  const remaining = new Map<string, number>();
  const selected = lines.toReversed().filter((line) => {
    const program = /^.*? (\S+?)\[\d+\]: /.exec(line)?.[1] ?? '';
    const count = remaining.get(program) ?? MAX_LINES_PER_PROGRAM;
    remaining.set(program, count - 1);
    return PROGRAMS.test(program) && count > 0;
  });
  return selected.toReversed();
}

/** Drops the configuration errors of a program that has loaded its configuration since, on the same host. */
export function dropResolvedErrors(lines: readonly EvidenceLine[]): EvidenceLine[] {
  const loadedAt = new Map<string, number>();
  for (const [index, { source, host, text }] of lines.entries())
    if (CONFIG_LOADED[source]?.test(text)) loadedAt.set(`${host} ${source}`, index);
  return lines.filter(
    ({ source, host, text }, index) => !isConfigError(text) || index > (loadedAt.get(`${host} ${source}`) ?? -1),
  );
}

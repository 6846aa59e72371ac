import { serviceHosts } from '../../design/names.ts';
import { isRefusal } from '../../diagnosis/causes/boot/service-file-broken.ts';
import type { Line } from '../../diagnosis/causes/evidence.ts';
import type { StepContext } from '../contract.ts';
import { sayThere } from '../shared/hosts/run-there.ts';
import { SYSTEM_LOGS } from './host-files.ts';
import { journalLines } from './log-lines.ts';

const PROGRAMS = /^(?:haproxy|named|dhcpd|kea-dhcp4|Keepalived\w*|keepalived)$/;
/** What each program says when it has taken its file: what it said before of an earlier one is over. */
const TAKEN: Readonly<Record<string, RegExp>> = {
  haproxy: /Loading success|New worker .*forked/,
  named: /all zones loaded|^running$|configuration succeeded/,
  dhcpd: /Server starting service|DHCPOFFER|DHCPACK/,
  'kea-dhcp4': /DHCP4_STARTED|DHCP4_CONFIG_COMPLETE|DHCP4_LEASE_ALLOC/,
};
/** Of each program: one that says much takes nothing from the others. */
const LAST = 100;
const LAST_BYTES = 512 * 1024;
const TAGS = 'haproxy named dhcpd kea-dhcp4 keepalived Keepalived Keepalived_vrrp';

/** Prints what the services of a host logged last, from the journal. */
const COMMAND = `root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }
for tag in ${TAGS}; do $root journalctl -q --no-pager -o short-iso --since -6h -n ${LAST} -t $tag 2>/dev/null; done
exit 0`;

/** What the services on the service hosts said last, as far as it can be read from here. */
export async function serviceLines(context: StepContext): Promise<Line[]> {
  const { design, hands, clock } = context;
  const seen = serviceHosts(design).map(async (host) => {
    const zone = hands.isPerson ? '' : 'UTC';
    let text: string | null = null;
    for (const path of SYSTEM_LOGS) text ??= await hands.readFile(host.name, path);
    if (text === null && hands.isPerson) text = await sayThere(context, host, COMMAND);
    const own = lastOfEach((text ?? '').slice(-LAST_BYTES).split('\n'));
    return journalLines(own.join('\n'), host.name, clock.now(), { zone });
  });
  return (await Promise.all(seen)).flat();
}

/** The last lines of each program that serves, in their order. */
function lastOfEach(lines: readonly string[]): string[] {
  const left = new Map<string, number>();
  const kept = lines.toReversed().filter((line) => {
    const program = /^.*? (\S+?)\[\d+\]: /.exec(line)?.[1] ?? '';
    const count = left.get(program) ?? LAST;
    left.set(program, count - 1);
    return PROGRAMS.test(program) && count > 0;
  });
  return kept.toReversed();
}

/** Lines without the refusals of a program that has taken its file since, on the same host. */
export function withoutOutlived(lines: readonly Line[]): Line[] {
  const takenAt = new Map<string, number>();
  for (const [index, { source, host, text }] of lines.entries())
    if (TAKEN[source]?.test(text)) takenAt.set(`${host} ${source}`, index);
  return lines.filter(
    ({ source, host, text }, index) => !isRefusal(text) || index > (takenAt.get(`${host} ${source}`) ?? -1),
  );
}

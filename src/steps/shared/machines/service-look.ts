import { askProgram } from '../../../bastion/ask-program.ts';
import { ownAddresses } from '../../../bastion/machine/facts.ts';
import { runOverSsh } from '../../../bastion/ssh-run.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';
import { lookSigns, partLine, type ServiceSigns, togetherOf } from '../../../diagnosis/boot/service-signs.ts';
import { findProgram } from '../../../installer/find.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { sanitize } from '../../../text/sanitize.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';

const words = () => catalogue().steps.boot.look;

const SSH_PORT = 22;
/** A login for each look: not more often than this (ms of the clock). */
const EVERY = 15 * SECOND;
/** One that was refused is not tried at once again. */
const EVERY_REFUSED = 60 * SECOND;
/** Real milliseconds for a look at this machine. */
const PATIENCE = 10_000;
const MOST_BYTES = 1024 * 1024;

/**
 * Prints, and changes nothing: leases of dhcpd (RHEL, Debian) and Kea, the older of its files first; what DHCP and TFTP servers
 * logged last; the neighbour table. @param root where its file system begins
 */
export function lookScript(root = ''): string {
  return `LC_ALL=C; export LC_ALL
root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }
part() { name=$1; shift; for file; do if $root test -r "$file"; then echo "$name"; $root tail -c 262144 "$file"; echo; fi; done; }
part '${partLine('dhcpd')}' ${root}/var/lib/dhcpd/dhcpd.leases ${root}/var/lib/dhcp/dhcpd.leases
for kea in ${root}/var/lib/kea ${root}/var/lib/kea/lib; do
  # The heading may be cut off: it is always the same.
  if $root test -r $kea/kea-leases4.csv; then
    echo '${partLine('kea')}'
    for file in $kea/kea-leases4.csv.2 $kea/kea-leases4.csv.1 $kea/kea-leases4.csv; do
      $root test -r $file && { $root head -n 1 $file; $root tail -c 262144 $file; }
    done
  fi
done
echo '${partLine('log')}'
said=$($root journalctl -q --no-pager -o short-unix -n 2000 -t dhcpd -t kea-dhcp4 -t in.tftpd -t tftpd 2>/dev/null)
if [ -n "$said" ]; then printf '%s\\n' "$said"; else
  for file in ${root}/var/log/messages ${root}/var/log/syslog; do
    $root test -r $file && $root tail -c 1048576 $file | grep -E '(dhcpd|kea-dhcp4|tftpd)' | tail -n 2000
  done
fi
echo '${partLine('neighbours')}'
ip neigh show 2>/dev/null
exit 0`;
}

/** What the service hosts have of machines that boot, and which of them cannot be seen from here, in words. */
export interface ServicesSeen {
  readonly signs: ServiceSigns;
  readonly unseen: readonly string[];
}

/**
 * What the DHCP server and the boot server have seen, at the last look at each: here, or over SSH with this user's keys. A look runs beside
 * the caller, which waits for none but the first of this machine.
 */
export async function serviceLooks(context: StepContext): Promise<ServicesSeen> {
  if (!context.hands.isPerson) return { signs: togetherOf([]), unseen: [] };
  const own = ownAddresses();
  const looks = await Promise.all(
    lookedAt(context).map(async (host) => {
      const isSelf = host.ip.some((address) => own.has(address));
      const known = context.recollection.serviceLooks.get(host.name);
      const isDue = known === undefined || (!known.isUnderWay && context.clock.now() >= known.nextAt);
      const running = isDue ? lookAt(context, host, isSelf) : null;
      if (isSelf) await running;
      return { host, look: context.recollection.serviceLooks.get(host.name) };
    }),
  );
  return {
    signs: togetherOf(looks.flatMap(({ look }) => look?.signs ?? [])),
    unseen: looks.flatMap(({ host, look }) => (look?.signs || !look?.why ? [] : [words().unseen(host.name, look.why)])),
  };
}

/** The hosts that see machines boot: the DHCP server and, for firmware over TFTP, the bastion. */
function lookedAt({ design }: StepContext): readonly ServiceHost[] {
  const { dhcp, boot, bastion } = design.services;
  const names = [dhcp.server, boot.kind === 'ipxe' ? bastion.name : null];
  return serviceHosts(design).filter(({ name }) => names.includes(name));
}

async function lookAt(context: StepContext, host: ServiceHost, isSelf: boolean): Promise<void> {
  const { clock, recollection } = context;
  const before = recollection.serviceLooks.get(host.name) ?? { signs: null, why: null };
  recollection.serviceLooks.set(host.name, { ...before, isUnderWay: true, nextAt: 0 });
  const found = await (isSelf ? here() : there(context, host)).catch((error: unknown) => ({
    why: asTrouble(error).cause,
  }));
  const now = clock.now();
  const seen =
    'text' in found
      ? { signs: lookSigns(sanitize(found.text, MOST_BYTES)), why: null, nextAt: now + EVERY }
      : { signs: null, why: found.why, nextAt: now + EVERY_REFUSED };
  recollection.serviceLooks.set(host.name, { ...seen, isUnderWay: false });
}

type Said = { readonly text: string } | { readonly why: string };

async function here(): Promise<Said> {
  const text = await askProgram('sh', ['-c', lookScript()], PATIENCE);
  return text === null ? { why: words().notHere } : { text };
}

async function there(context: StepContext, { ip }: ServiceHost): Promise<Said> {
  const program = await findProgram('ssh', context.programPath);
  if (program === null) return { why: words().noSsh };
  const { host, port } = context.reach(ip[0] ?? '', SSH_PORT);
  const target = { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
  const { signal } = context;
  const { stdout } = await runOverSsh({ program, target, command: lookScript(), signal, mostBytes: 2 * MOST_BYTES });
  return { text: stdout };
}

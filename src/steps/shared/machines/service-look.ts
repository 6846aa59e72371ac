import type { ServiceHost } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';
import { ONLY_OFFERED } from '../../../diagnosis/boot/dhcp-log.ts';
import { lookSigns, partLine, type ServiceSigns, togetherOf } from '../../../diagnosis/boot/service-signs.ts';
import { SECOND } from '../../../ports/clock.ts';
import { hasCome } from '../../../ports/waiting.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { sanitize } from '../../../text/sanitize.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { isSelf, runThere } from '../hosts/run-there.ts';
import { poweredOn } from './later-nodes.ts';

const words = () => catalogue().steps.boot.look;

/** A login for each look: not more often than this (ms of the clock). */
const EVERY = 15 * SECOND;
/** One that was refused is not tried at once again. */
const EVERY_REFUSED = 60 * SECOND;
const MOST_BYTES = 1024 * 1024;
/** Machines that are asked for their MAC address in one look. */
const MOST_ASKED = 64;

const AS_ROOT = `root=; [ "$(id -u)" = 0 ] || { sudo -n true 2>/dev/null && root="sudo -n"; }`;

/** Prints what DHCP and TFTP servers logged last: from the journal, or from a system log where it has nothing of them. */
export function logCommand(): string {
  return `LC_ALL=C; export LC_ALL\n${AS_ROOT}\n${logLines('')}\nexit 0`;
}

function logLines(root: string): string {
  return `last() { grep -vE '${ONLY_OFFERED}' | tail -n 2000; }
said=$($root journalctl -q --no-pager -o short-unix -n 20000 -t dhcpd -t kea-dhcp4 -t in.tftpd -t tftpd 2>/dev/null)
if [ -n "$said" ]; then printf '%s\\n' "$said" | last; else
  for file in ${root}/var/log/messages ${root}/var/log/syslog; do
    $root test -r $file && $root tail -c 1048576 $file | grep -E '(dhcpd|kea-dhcp4|tftpd)' | last
  done
fi`;
}

/**
 * Prints, and changes nothing: leases of dhcpd (RHEL, Debian) and Kea, the older of its files first; what DHCP and TFTP servers
 * logged last; the neighbour table, after one ping to each of these addresses.
 * @param root where its file system begins
 */
export function lookScript(root = '', addresses: readonly string[] = []): string {
  const asked = addresses.slice(0, MOST_ASKED).join(' ');
  return `LC_ALL=C; export LC_ALL
${AS_ROOT}
for address in ${asked}; do
  { command -v ping && ping -n -q -c 1 -W 1 "$address" || bash -c 'echo >"/dev/udp/$0/9"' "$address"; } >/dev/null 2>&1 &
done
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
${logLines(root)}
echo '${partLine('neighbours')}'
wait
# Whoever was asked without ping answers in a moment.
command -v ping >/dev/null || sleep 1
if ! ip neigh show 2>/dev/null; then echo '${partLine('arp')}'; cat /proc/net/arp 2>/dev/null; fi
exit 0`;
}

/** What the service hosts have of machines that boot, and which of them cannot be seen from here, in words. */
export interface ServicesSeen {
  readonly signs: ServiceSigns;
  readonly unseen: readonly string[];
}

/**
 * What the DHCP server and the boot server have seen, at the last look at each: here, or over SSH with this user's keys. A look runs beside
 * the caller, which waits for that of this machine only.
 * @param isToWait for whoever looks once: waits for every look
 */
export async function serviceLooks(context: StepContext, isToWait = false): Promise<ServicesSeen> {
  if (!context.hands.isPerson) return { signs: togetherOf([]), unseen: [] };
  const looks = await Promise.all(
    lookedAt(context).map(async (host) => {
      const known = context.recollection.serviceLooks.get(host.name);
      const isDue = known === undefined || (!known.isUnderWay && hasCome(context.clock, known.nextAt, EVERY_REFUSED));
      const running = isDue ? lookAt(context, host) : null;
      if (isToWait || isSelf(host)) await running;
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

/** Of machines that were powered on: their addresses answer to somebody. */
function poweredAddresses(context: StepContext): readonly string[] {
  const powered = poweredOn(context);
  return context.design.nodes.flatMap(({ name, ip }) => (powered[name] === undefined ? [] : ip));
}

async function lookAt(context: StepContext, host: ServiceHost): Promise<void> {
  const { clock, recollection } = context;
  const before = recollection.serviceLooks.get(host.name) ?? { signs: null, why: null };
  recollection.serviceLooks.set(host.name, { ...before, isUnderWay: true, nextAt: 0 });
  const found = await runThere(context, host, lookScript('', poweredAddresses(context))).catch((error: unknown) => ({
    why: asTrouble(error).cause,
  }));
  const now = clock.now();
  const seen =
    'text' in found
      ? { signs: lookSigns(sanitize(found.text, MOST_BYTES)), why: null, nextAt: now + EVERY }
      : { signs: null, why: found.why, nextAt: now + EVERY_REFUSED };
  recollection.serviceLooks.set(host.name, { ...seen, isUnderWay: false });
}

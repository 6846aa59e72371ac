import type { DebianMachineName, RealSite } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

const OLD =
  /(?:older|old(?:er)? (?:file|configuration)|not (?:been )?(?:reloaded|restarted)|has not read|started before|since it (?:started|was loaded))/i;

/** A service was started with a wrong file, and the file was corrected without telling the service. */
async function startWithOldFile(
  site: RealSite,
  machine: DebianMachineName,
  { path, edit, unit, wait = 'true' }: { path: string; edit: string; unit: string; wait?: string },
): Promise<void> {
  await site.change(
    machine,
    `cp -a ${path} /run/kept; sed -i '${edit}' ${path}; ! cmp -s ${path} /run/kept; systemctl restart ${unit}; ${wait}; sleep 1.1; cat /run/kept >${path}`,
    `systemctl restart ${unit}; ${wait}`,
  );
}

/** The installed file is right, and the process runs with an older one. */
export const OLD_PROCESS_FAULTS: readonly SiteFault[] = [
  {
    id: 'haproxy-not-reloaded',
    kind: 6,
    diagnose: 'same',
    title: 'haproxy.cfg was corrected on lb1, and HAProxy still runs with one that has no bootstrap node',
    plant: (site) =>
      startWithOldFile(site, 'lb1', { path: '/etc/haproxy/haproxy.cfg', edit: '/server bs /d', unit: 'haproxy' }),
    expects: { pattern: new RegExp(`(?:HAProxy|haproxy).*${OLD.source}|${OLD.source}.*haproxy`, 'i') },
    symptoms: /^lb-(?:members|bootstrap-present)/,
  },
  {
    id: 'named-not-reloaded',
    kind: 6,
    diagnose: 'same',
    title: 'The zone was corrected on ns1, and named still answers from the older one',
    plant: (site) =>
      startWithOldFile(site, 'ns1', {
        path: '/var/lib/bind/example.localdomain.zone',
        edit: 's/^\\(m2[.]ocp45 .*\\)172.16.0.22$/\\1172.16.0.29/',
        unit: 'named',
      }),
    expects: { pattern: new RegExp(`named.*${OLD.source}|${OLD.source}.*named`, 'i') },
    symptoms: /^dns-nodes m2/,
  },
  {
    id: 'dhcpd-not-restarted',
    kind: 6,
    title: 'dhcpd.conf was corrected on ns1, and dhcpd still offers the older address of m2',
    plant: (site) =>
      startWithOldFile(site, 'ns1', {
        path: '/etc/dhcp/dhcpd.conf',
        edit: 's/fixed-address 172.16.0.22;/fixed-address 172.16.0.29;/',
        unit: 'isc-dhcp-server',
      }),
    expects: { pattern: new RegExp(`dhcp.*${OLD.source}|${OLD.source}.*dhcp`, 'i') },
    symptoms: /^dhcp-leases m2/,
  },
  {
    id: 'nginx-not-reloaded',
    kind: 6,
    title: 'nginx.conf was corrected on the bastion, and nginx still runs with one without the images',
    plant: (site) =>
      startWithOldFile(site, 'bastion', { path: '/etc/nginx/nginx.conf', edit: 's/|images)/)/', unit: 'nginx' }),
    expects: { pattern: new RegExp(`nginx.*${OLD.source}|${OLD.source}.*nginx`, 'i') },
    symptoms: /^(?:boot-files-missing|http-artifacts)/,
  },
  {
    id: 'keepalived-not-reloaded',
    kind: 6,
    title: 'keepalived.conf was corrected on lb1, and keepalived still has an older address of api-int',
    plant: (site) =>
      site.change(
        'lb1',
        `path=/etc/keepalived/keepalived.conf; cp -a $path /run/kept; sed -i 's/172.16.0.110/172.16.0.109/' $path; systemctl restart keepalived
         for _ in $(seq 200); do ip -br addr show lan0 | grep -q 172.16.0.109/ && break; sleep 0.1; done; sleep 1.1; cat /run/kept >$path`,
        'systemctl restart keepalived; for _ in $(seq 200); do ip -br addr show lan0 | grep -q 172.16.0.110/ && break; sleep 0.1; done',
      ),
    expects: { pattern: new RegExp(`keepalived.*${OLD.source}|${OLD.source}.*keepalived`, 'i') },
    symptoms: /^lb-listens 172\.16\.0\.110/,
  },
];

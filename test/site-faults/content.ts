import { createAuthority, issueCertificate } from '../../src/rehearsal/pki.ts';
import type { RealSite } from '../support/real-site.ts';
import type { SiteFault } from './fault.ts';

const WEB = '/var/www/upi-wizard';
const DHCP = '/etc/dhcp/dhcpd.conf';
const HOUR = 3_600_000;
const API = 'api.ocp45.example.localdomain';

/** A wrong line in dhcpd.conf. */
const dhcp = (id: string, title: string, from: string, to: string, pattern: RegExp): SiteFault => ({
  id,
  kind: 2,
  title,
  file: /dhcpd\.conf/,
  plant: (site) => site.edit('ns1', DHCP, from, to, 'isc-dhcp-server'),
  expects: { pattern },
});

/** The API's certificate is replaced by another one. */
async function replaceCertificate(
  site: RealSite,
  {
    isOwn = true,
    name = API,
    from = -HOUR,
    until = 24 * HOUR,
  }: { isOwn?: boolean; name?: string; from?: number; until?: number },
): Promise<void> {
  const validity = { notBefore: Date.now() + from, notAfter: Date.now() + until };
  const authority = isOwn ? site.certificates.apiAuthority : await createAuthority(name, validity);
  const issued = await issueCertificate(authority, {
    commonName: name,
    dnsNames: [name, name.replace('api.', 'api-int.')],
    usage: 'server',
    ...validity,
  });
  await site.replaceApiCertificate(issued.certPem + issued.keyPem);
}

/** Something answers, and its content is wrong. */
export const CONTENT_FAULTS: readonly SiteFault[] = [
  {
    id: 'html-ignition',
    kind: 2,
    diagnose: 'same',
    title: 'An HTML error page was saved in place of worker.ign',
    plant: (site) =>
      site.write('bastion', `${WEB}/ignition/worker.ign`, '<!DOCTYPE html><html><body>404 Not Found</body></html>\n'),
    expects: { pattern: /worker\.ign.*HTML/i },
    symptoms: /^ignition-same worker\.ign/,
  },
  {
    id: 'cut-ignition',
    kind: 2,
    title: 'The copy of bootstrap.ign is cut off',
    plant: (site) =>
      site.change(
        'bastion',
        `truncate -s 5000 ${WEB}/ignition/bootstrap.ign`,
        `cp /tmp/lab/site/bootstrap.ign ${WEB}/ignition/; chmod 644 ${WEB}/ignition/bootstrap.ign`,
      ),
    expects: { pattern: /bootstrap\.ign.*(?:cut|truncated|incomplete|ends (?:early|before))/i },
    symptoms: /^ignition-same bootstrap\.ign/,
  },
  {
    id: 'old-ignition',
    kind: 2,
    diagnose: 'same',
    title: 'master.ign is served from an earlier run of openshift-install',
    async plant(site) {
      const text = await site.shell('bastion', `cat ${WEB}/ignition/master.ign`);
      const other = await createAuthority('root-ca', { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR });
      const encoded = Buffer.from(other.certPem).toString('base64');
      await site.write('bastion', `${WEB}/ignition/master.ign`, text.replace(/(base64,)[\w+/=]+/, `$1${encoded}`));
    },
    expects: { pattern: /master\.ign.*(?:another run|earlier run|other run|differs|not the same)/i },
    symptoms: /^ignition-same master\.ign/,
  },
  dhcp(
    'dhcp-mask',
    'The DHCP server hands out the mask of a /25',
    'subnet-mask 255.255.255.0',
    'subnet-mask 255.255.255.128',
    /^dhcp.*(?:mask.*255\.255\.255\.128|\/25)/,
  ),
  dhcp(
    'dhcp-search',
    'The search list has the domain of an earlier cluster',
    'domain-search "ocp45.example.localdomain"',
    'domain-search "ocp44.example.localdomain"',
    /^dhcp.*search.*ocp44/,
  ),
  dhcp(
    'dhcp-mtu',
    'The DHCP server hands out an MTU of 9000',
    'option ntp-servers',
    'option interface-mtu 9000;\n    option ntp-servers',
    /^dhcp.*MTU.*9000/i,
  ),
  dhcp(
    'dhcp-second-name-server',
    'A public name server is the second one that nodes get',
    'domain-name-servers 172.16.0.102',
    'domain-name-servers 172.16.0.102, 8.8.8.8',
    /^dhcp.*name server.*8\.8\.8\.8/,
  ),
  dhcp(
    'dhcp-host-name',
    'm1 and m2 get the same host name',
    'host-name "m1.',
    'host-name "m2.',
    /^dhcp.*m1.*hostname.*m2/,
  ),
  dhcp(
    'dhcp-short-lease',
    'Leases end after 60 s',
    'default-lease-time 86400',
    'default-lease-time 60',
    /^dhcp.*lease time/,
  ),
  dhcp(
    'dhcp-wrong-mac',
    'One digit of the MAC address of m1 is wrong',
    '00:50:56:96:37:c8',
    '00:50:56:96:37:c9',
    /^dhcp.*m1.*00:50:56:96:37:c8/,
  ),
  dhcp(
    'dhcp-next-server',
    'The boot program is on a server that was replaced',
    'next-server 172.16.0.101',
    'next-server 172.16.0.10',
    /^dhcp.*172\.16\.0\.10\b/,
  ),
  {
    id: 'api-self-signed',
    kind: 2,
    diagnose: 'same',
    title: 'Something with a self-signed certificate answers at 6443',
    byHand: 'the nodes have to be installed again, or the machine with their address found',
    plant: (site) => replaceCertificate(site, { isOwn: false }),
    expects: { pattern: /6443.*(?:certificate|authority|signed)/i },
  },
  {
    id: 'api-other-name',
    kind: 2,
    title: "The API's certificate is for another cluster's name",
    byHand: 'the nodes have to be installed again, or the machine with their address found',
    plant: (site) => replaceCertificate(site, { name: 'api.ocp44.example.localdomain' }),
    expects: { pattern: /certificate.*ocp44/i },
  },
  {
    id: 'api-expired',
    kind: 2,
    title: "The API's certificate has expired",
    byHand: 'new ignition files and a new start of the machines, on the pages Prepare and Boot',
    plant: (site) => replaceCertificate(site, { from: -24 * HOUR, until: -HOUR }),
    expects: { pattern: /certificate.*expired/i },
  },
  {
    id: 'haproxy-ends-tls',
    kind: 2,
    diagnose: 'same',
    title: 'HAProxy ends TLS on 6443 with a certificate of its own',
    file: /haproxy\.cfg/,
    async plant(site) {
      const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + 24 * HOUR };
      const own = await createAuthority('lb1.example.localdomain', validity);
      await site.write('lb1', '/etc/haproxy/lb.pem', own.certPem + own.keyPem);
      const path = '/etc/haproxy/haproxy.cfg';
      const text = `${await site.shell('lb1', `cat ${path}`)}\n`;
      const changed = text
        .replace(/bind (\S+):6443\n/g, 'bind $1:6443 ssl crt /etc/haproxy/lb.pem\n')
        .replace(/(server \S+ \S+:6443) check check-ssl/g, '$1 ssl check check-ssl');
      await site.write('lb1', path, changed, 'haproxy');
    },
    expects: { pattern: /6443.*(?:(?:HAProxy|load balancer).*certificate|certificate.*(?:HAProxy|load balancer))/i },
  },
  {
    id: 'rootfs-cut',
    kind: 2,
    title: 'The served root file system image is cut off',
    plant: (site) =>
      site.change(
        'bastion',
        `truncate -s 500000 ${WEB}/images/*rootfs*`,
        `cp /tmp/lab/site/images/*rootfs* ${WEB}/images/; chmod 644 ${WEB}/images/*`,
      ),
    expects: { pattern: /rootfs.*500[, ]?000/ },
  },
  {
    id: 'initramfs-other',
    kind: 2,
    diagnose: 'same',
    title: 'The served initramfs has the right length and other bytes',
    plant: (site) =>
      site.change(
        'bastion',
        `printf x | dd of="$(echo ${WEB}/images/*initramfs*)" bs=1 seek=120000 conv=notrunc status=none`,
        `cp /tmp/lab/site/images/*initramfs* ${WEB}/images/; chmod 644 ${WEB}/images/*`,
      ),
    expects: { pattern: /initramfs.*(?:sha256|checksum)/i },
  },
  {
    id: 'content-encoding',
    kind: 2,
    title: 'nginx says Content-Encoding: gzip for the images',
    plant: (site) =>
      site.edit(
        'bastion',
        '/etc/nginx/nginx.conf',
        /(location ~ \S+ \{\n)/g,
        '$1            add_header Content-Encoding gzip;\n',
        'nginx',
      ),
    expects: { pattern: /Content-Encoding/i },
  },
  {
    id: 'boot-script-edited',
    kind: 2,
    title: 'boot.ipxe names the boot server that was there before',
    plant: (site) =>
      site.edit('bastion', `${WEB}/boot.ipxe`, 'set base http://172.16.0.101', 'set base http://172.16.0.10'),
    expects: { pattern: /boot\.ipxe.*(?:as generated|generated|172\.16\.0\.10\b)/ },
  },
  {
    id: 'node-script-role',
    kind: 2,
    title: 'The boot script of w1 fetches master.ign',
    plant: (site) => site.edit('bastion', `${WEB}/ipxe/00-50-56-96-6b-da.ipxe`, 'worker.ign', 'master.ign'),
    expects: { pattern: /w1.*worker\.ign/ },
  },
  {
    id: 'zone-api-address',
    kind: 2,
    diagnose: { ids: ['api-name-wrong'], pattern: /172\.16\.0\.99/ },
    title: 'The API has the address of an earlier balancer in the zone',
    file: /example\.localdomain\.zone/,
    plant: (site) =>
      site.edit(
        'ns1',
        '/var/lib/bind/example.localdomain.zone',
        /^(api\.ocp45\s.*)172\.16\.0\.111$/gm,
        '$1172.16.0.99',
        'named',
      ),
    expects: { pattern: /^dns-api .*172\.16\.0\.99/ },
  },
];

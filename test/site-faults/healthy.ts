import type { SiteDocument, SiteOptions } from '../support/real-site.ts';
import type { HealthyVariant } from './fault.ts';

const setService = (document: SiteDocument, name: string, change: object) => {
  const services = document.services as Record<string, Record<string, unknown>>;
  services[name] = { ...services[name], ...change };
};

/** HAProxy has seen that the members are down. */
const WAIT_FOR_DOWN =
  "for _ in $(seq 600); do curl -s 'http://172.16.0.112:9000/;csv' | grep -q '^api,m3,.*,DOWN' && exit 0; sleep 0.1; done; exit 1";

/** The name server belongs to another team, and DHCP runs on the balancer. */
const EXTERNAL_DNS: SiteOptions = {
  adapt: (document) => setService(document, 'dhcp', { server: 'lb1' }),
  adaptKnown: (document) => setService(document, 'dns', { kind: 'external', forwarders: ['172.16.0.102'] }),
  withoutSsh: ['ns1'],
};

/** Sites that are different and right. Those without `options` share the site of the example. */
export const HEALTHY_VARIANTS: readonly HealthyVariant[] = [
  { id: 'nginx', title: 'nginx is the boot server, as the generated nginx.conf says' },
  {
    id: 'two-resolvers',
    title: 'The bastion has a second name server, the one of the company',
    prepare: (site) => site.write('bastion', '/etc/resolv.conf', 'nameserver 172.16.0.102\nnameserver 192.168.124.1\n'),
  },
  {
    id: 'slow-login',
    title: 'The login over SSH takes 4 s',
    prepare: (site) => site.change('lb1', 'mkdir -p /root; printf "sleep 4\\n" >/root/.bashrc', 'rm -f /root/.bashrc'),
  },
  {
    id: 'right-nftables',
    title: 'A policy of drop on ns1 and lb1 that lets in what the design needs',
    async prepare(site) {
      const filter = (rules: string) =>
        `nft 'add table inet site; add chain inet site input { type filter hook input priority 0; policy drop; }; add rule inet site input iif lo accept; add rule inet site input ct state established,related accept; add rule inet site input meta l4proto { icmp, vrrp } accept; ${rules}'`;
      const drop = 'nft delete table inet site';
      await site.change(
        'ns1',
        filter(
          'add rule inet site input ip saddr { 172.16.0.0/24, 192.168.124.0/24 } udp dport { 53, 67 } accept; add rule inet site input udp dport 67 accept; add rule inet site input tcp dport { 22, 53 } accept',
        ),
        drop,
      );
      await site.change(
        'lb1',
        filter('add rule inet site input tcp dport { 22, 80, 443, 6443, 9000, 22623 } accept'),
        drop,
      );
    },
  },
  {
    id: 'hosts-line-right',
    title: 'A right line in /etc/hosts of the bastion',
    prepare: (site) =>
      site.write('bastion', '/etc/hosts', '127.0.0.1 localhost\n172.16.0.111 api.ocp45.example.localdomain\n'),
  },
  {
    id: 'proxy-with-no-proxy',
    title: 'A proxy in the environment, with no_proxy for the cluster',
    prepare: async (site) =>
      site.setEnvironment({
        HTTPS_PROXY: 'http://192.168.124.1:3128',
        NO_PROXY: 'localhost,127.0.0.1,.example.localdomain,172.16.0.0/24,192.168.124.0/24',
        no_proxy: 'localhost,127.0.0.1,.example.localdomain,172.16.0.0/24,192.168.124.0/24',
      }),
  },
  {
    id: 'nodes-off',
    title: 'No node is switched on yet',
    async prepare(site) {
      await site.change(
        null,
        'for node in bs m1 m2 m3 w1 w2 w3 i1 i2 i3; do ip link set $node down; done',
        'for node in bs m1 m2 m3 w1 w2 w3 i1 i2 i3; do ip link set $node up; ip -n $node route replace default via 172.16.0.254; done',
      );
      await site.shell('lb1', WAIT_FOR_DOWN);
    },
  },
  { id: 'own-boot-server', title: "The wizard's own boot server", options: { hasOwnBootServer: true } },
  {
    id: 'cnames',
    title: 'api and *.apps are CNAMEs of the balancer, in a zone of other people',
    options: EXTERNAL_DNS,
    prepare: async (site) => {
      const zone = '/var/lib/bind/example.localdomain.zone';
      await site.change('ns1', `cp -a ${zone} /run/zone.kept`, `cp -a /run/zone.kept ${zone}; systemctl restart named`);
      await site.shell(
        'ns1',
        `sed -i -E 's/^((api|[*][.]apps)[.]ocp45)([ \\t]+.*)A[ \\t]+172[.]16[.]0[.]111$/\\1\\3CNAME balancer.ocp45/' ${zone}; printf 'balancer.ocp45 IN A 172.16.0.111\\n' >>${zone}; grep CNAME ${zone}; systemctl restart named`,
      );
    },
  },
  {
    id: 'external-balancer',
    title: 'The load balancer belongs to other people',
    options: {
      adaptKnown: (document) => setService(document, 'loadBalancer', { kind: 'external' }),
      withoutSsh: ['lb1'],
    },
  },
  {
    id: 'external-dns',
    title: 'The name server belongs to other people: no login there',
    options: EXTERNAL_DNS,
  },
  {
    id: 'keepalived-pair',
    title: 'Two balancers with keepalived',
    options: {
      adapt: ({ services }) => {
        services.loadBalancer.servers.push({ name: 'lb2', ip: '172.16.0.113', os: 'debian' });
      },
    },
  },
  {
    id: 'kea',
    title: 'Kea in place of dhcpd',
    options: { adapt: (document) => setService(document, 'dhcp', { kind: 'kea' }) },
  },
  {
    id: 'disconnected',
    title: 'A mirror, and a name server whose forwarder is dead',
    options: {
      adapt: (document) =>
        Object.assign(document, {
          imageDigestSources: [
            {
              source: 'quay.io/openshift-release-dev/ocp-release',
              mirrors: ['mirror.example.localdomain:8443/ocp/release'],
            },
            {
              source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
              mirrors: ['mirror.example.localdomain:8443/ocp/release'],
            },
          ],
        }),
    },
    prepare: (site) =>
      site.change(
        'company',
        "nft 'add table inet names; add chain inet names input { type filter hook input priority 0; }; add rule inet names input udp dport 53 drop; add rule inet names input tcp dport 53 drop'",
        'nft delete table inet names',
      ),
  },
];

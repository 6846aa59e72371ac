import type { SiteFault } from './fault.ts';

const RESOLV = '/etc/resolv.conf';

/** Programs resolve names otherwise than a DNS query does. */
export const RESOLVING_FAULTS: readonly SiteFault[] = [
  {
    id: 'hosts-line-api',
    kind: 3,
    diagnose: 'same',
    title: 'A line of an earlier cluster in /etc/hosts of the bastion names the API',
    plant: (site) =>
      site.write('bastion', '/etc/hosts', '127.0.0.1 localhost\n172.16.0.99 api.ocp45.example.localdomain\n'),
    expects: { pattern: /api\.ocp45.*\/etc\/hosts/ },
  },
  {
    id: 'dead-first-resolver',
    kind: 3,
    diagnose: 'same',
    title: 'The first name server of the bastion is a machine that was switched off',
    plant: (site) => site.write('bastion', RESOLV, 'nameserver 172.16.0.99\nnameserver 172.16.0.102\n'),
    expects: { pattern: /172\.16\.0\.99.*(?:does not answer|silent|no answer|5 s|slow|remove)/i },
  },
  {
    id: 'search-list-ndots',
    kind: 3,
    title: 'ndots:5 and a search domain whose wildcard answers for every name',
    plant: (site) => site.write('bastion', RESOLV, 'search corp.example\noptions ndots:5\nnameserver 172.16.0.102\n'),
    expects: { pattern: /(?:search|ndots).*corp\.example|corp\.example.*(?:search|ndots)/i },
    symptoms: /^dns-resolver /,
  },
  {
    id: 'company-resolver-first',
    kind: 3,
    title: "The company's name server is the first one of the bastion, and has an answer of its own",
    plant: (site) => site.write('bastion', RESOLV, 'nameserver 192.168.124.1\nnameserver 172.16.0.102\n'),
    expects: { pattern: /192\.168\.124\.(?:1\b|80).*(?:first|172\.16\.0\.102)/i },
    symptoms: /^dns-resolver/,
  },
  {
    id: 'nsswitch-files',
    kind: 3,
    title: 'nsswitch.conf of the bastion asks files alone',
    plant: (site) =>
      site.change(
        'bastion',
        'cp /etc/nsswitch.conf /run/nss; sed -i "s/^hosts:.*/hosts: files/" /etc/nsswitch.conf',
        'cp /run/nss /etc/nsswitch.conf',
      ),
    expects: { pattern: /nsswitch/ },
    symptoms: /api\.ocp45/,
  },
  {
    id: 'proxy-without-no-proxy',
    kind: 3,
    title: 'HTTPS_PROXY is set in the shell of the bastion, and no_proxy is not',
    plant: async (site) =>
      site.setEnvironment({
        HTTPS_PROXY: 'http://proxy.corp.example:3128',
        https_proxy: 'http://proxy.corp.example:3128',
      }),
    expects: { pattern: /HTTPS_PROXY.*no_proxy|no_proxy.*HTTPS_PROXY/is },
  },
  {
    id: 'two-default-routes',
    kind: 3,
    diagnose: 'same',
    title: 'The bastion has two default routes, the first through a router that is gone',
    async plant(site) {
      await site.change(
        'bastion',
        'ip route add default via 172.16.0.253 metric 10 2>/dev/null; ip route del default via 172.16.0.254; ip route add default via 172.16.0.254 metric 100',
        'ip route del default via 172.16.0.253; ip route del default via 172.16.0.254; ip route add default via 172.16.0.254',
      );
    },
    expects: { pattern: /default route.*172\.16\.0\.253|172\.16\.0\.253.*default route/i },
    symptoms: /^ntp-servers/,
  },
];

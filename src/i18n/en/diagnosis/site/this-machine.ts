import { joinNames } from '../../ui.ts';

interface DefaultRoute {
  readonly device: string;
  readonly gateway: string;
  readonly metric: number;
}

/** A proxy variable, and the host and port of the proxy. */
interface ProxyVariable {
  readonly name: string;
  readonly value: string;
}

interface HostsFault {
  readonly line: number;
  readonly text: string;
  readonly name: string;
  readonly address: string;
  readonly planned: readonly string[];
}

interface ServerFault {
  readonly server: string;
  readonly state: 'right' | 'wrong' | 'silent';
  readonly detail: string;
  /** The other name servers of this machine, in their order. */
  readonly others: readonly string[];
  /** The name server of the cluster that knows the name. */
  readonly correctServer: string;
  readonly usesSystemdResolved: boolean;
  readonly seconds: number;
  readonly name: string;
  readonly writer: 'NetworkManager' | 'dhclient' | 'other';
  readonly device: string | null;
  readonly baseDomain: string;
}

const escapeDots = (address: string) => address.replaceAll('.', '[.]');

/**
 * Formats the commands that make a name server the first one, or that remove one that does not answer. The commands
 * depend on the program that writes the list of name servers.
 */
function formatServerRemedy({
  usesSystemdResolved,
  writer,
  server,
  state,
  others,
  correctServer,
  device,
  baseDomain,
}: ServerFault): string {
  if (usesSystemdResolved)
    return `Let systemd-resolved query ${correctServer} for the names of the cluster: \`sudo mkdir -p /etc/systemd/resolved.conf.d; printf '[Resolve]\\nDNS=${correctServer}\\nDomains=~${baseDomain}\\n' | sudo tee /etc/systemd/resolved.conf.d/cluster.conf; sudo systemctl restart systemd-resolved\``;
  if (writer === 'NetworkManager') {
    const interfaceName = device ?? 'INTERFACE';
    return `NetworkManager writes this file. Give it ${correctServer} alone: \`sudo nmcli connection modify "$(nmcli -g GENERAL.CONNECTION device show ${interfaceName})" ipv4.ignore-auto-dns yes ipv4.dns ${correctServer}; sudo nmcli device reapply ${interfaceName}\``;
  }
  const toFile = (line: string) => `\`sudo sed -i --follow-symlinks ${line} /etc/resolv.conf\``;
  const drop = (address: string) => `-e '/^nameserver[[:space:]]*${escapeDots(address)}[[:space:]]*$/d'`;
  const dhclient =
    writer === 'dhclient'
      ? ` The DHCP client overwrites this file. To have it write the same: \`echo 'supersede domain-name-servers ${correctServer};' | sudo tee -a /etc/dhcp/dhclient.conf\``
      : '';
  if (state === 'silent' && others.includes(correctServer))
    return `Start the name server at ${server}, or remove that address from /etc/resolv.conf of this machine: ${toFile(drop(server))}${dhclient}`;
  const removed = state === 'silent' ? `${drop(server)} ` : '';
  return `Make ${correctServer} the first one in /etc/resolv.conf of this machine: ${toFile(`${removed}${drop(correctServer)} -e '1i nameserver ${correctServer}'`)}${dhclient}`;
}

/** Words about the name resolution of this machine. */
export const resolver = {
  noGetent: 'getent, which resolves names as programs do, is missing on this machine',
  asQueried: 'programs get the addresses of the design',
  noLine: 'no line maps a cluster name to another address',
  notServed: 'no name server of the cluster answers as the design says, so there is nothing to compare with',
  lookup: (
    {
      state,
      addresses,
      seconds,
    }: { readonly state: string; readonly addresses: readonly string[]; readonly seconds: number },
    planned: readonly string[],
  ) => {
    const got =
      state === 'answered'
        ? `programs get ${joinNames(addresses)}`
        : state === 'timeout'
          ? `no answer within ${Math.round(seconds)} s`
          : 'programs do not find it';
    return `${got}; the design says ${joinNames(planned)}`;
  },
  compare: (name: string, server: string) =>
    `Compare what programs get with what the name server of the cluster answers: \`getent ahosts ${name}; dig +short @${server} ${name}; cat /etc/resolv.conf; grep ^hosts /etc/nsswitch.conf\``,
  hosts: {
    title: (lines: readonly HostsFault[]) =>
      `/etc/hosts of this machine maps ${lines[0]?.name ?? ''} to another address`,
    detail: (lines: readonly HostsFault[]) =>
      lines
        .slice(0, 3)
        .map(({ line, text, planned }) => `/etc/hosts, line ${line}: "${text}"; the design says ${joinNames(planned)}`)
        .join('; '),
    remedy: (lines: readonly HostsFault[]) => {
      const numbers = [...new Set(lines.map(({ line }) => line))];
      const own = numbers.map((line) => `-e '${line}s/^/# /'`).join(' ');
      return `Comment out ${numbers.length > 1 ? 'these lines' : 'this line'}: \`sudo sed -i --follow-symlinks ${own} /etc/hosts\` The name servers are queried only for names that are not in this file.`;
    },
  },
  sources: {
    title: (name: string) => `/etc/nsswitch.conf lets no program on this machine query a name server for ${name}`,
    detail: (sources: string) => `its line for hostnames is "hosts: ${sources}"`,
    remedy:
      'Let programs query name servers after the hosts file: `sudo sed -i --follow-symlinks "s/^hosts:.*/hosts: files dns myhostname/" /etc/nsswitch.conf`',
  },
  noServer: {
    title: '/etc/resolv.conf of this machine has no name server',
    detail: 'programs cannot resolve any name',
    remedy: (server: string) =>
      `Enter the name server of the cluster: \`echo 'nameserver ${server}' | sudo tee -a /etc/resolv.conf\``,
  },
  server: {
    title: ({ server, state, usesSystemdResolved }: ServerFault) => {
      const which = usesSystemdResolved
        ? `${server}, which systemd-resolved of this machine queries,`
        : `${server}, the first name server of this machine,`;
      return state === 'silent' ? `${which} does not answer` : `${which} does not resolve the names of the cluster`;
    },
    detail: ({ server, state, detail, others, correctServer, seconds, name, usesSystemdResolved }: ServerFault) => {
      const place = usesSystemdResolved ? '/run/systemd/resolve/resolv.conf' : '/etc/resolv.conf';
      if (state === 'silent') {
        const next = others[0] === undefined ? '' : ` before ${others[0]} is queried`;
        return `${place} lists ${server} first: each lookup waits ${Math.round(seconds)} s for it${next}`;
      }
      const rest = others.includes(correctServer)
        ? `${correctServer} has it, and is queried only if ${server} does not answer`
        : `${correctServer} has it, and is not queried`;
      return `${server} answers for ${name}: ${detail}; ${rest}`;
    },
    remedy: (fault: ServerFault) => formatServerRemedy(fault),
  },
  search: {
    title: (domain: string) =>
      `this machine appends the search domain ${domain} to names of the cluster before it looks them up`,
    detail: (
      name: string,
      {
        domain,
        answers,
        ndots,
      }: { readonly domain: string; readonly answers: readonly string[]; readonly ndots: number },
    ) =>
      `with "options ndots:${ndots}" in /etc/resolv.conf, programs look up ${name}.${domain} first, and a wildcard answers ${joinNames(answers)}`,
    remedy:
      'Let programs look up the full name first: `sudo sed -i --follow-symlinks "s/ndots:[0-9]*/ndots:1/" /etc/resolv.conf` If NetworkManager writes this file, remove the option from its connection, too (ipv4.dns-options).',
  },
};

const formatRoute = ({ gateway, device, metric }: DefaultRoute) => `${gateway} on ${device}, metric ${metric}`;

/** Words about proxies and routes of a machine. */
export const network = {
  thisMachine: 'this machine',
  noProxy: 'no proxy variable is set',
  excluded: 'no_proxy contains the names of the cluster',
  noRoute: 'there is no default route',
  route: formatRoute,
  routes: {
    title: ({ gateway, device }: DefaultRoute, isDead: boolean) =>
      isDead
        ? `the default route that is used leads to ${gateway} on ${device}, where no machine answers`
        : `there are several default routes, and the one through ${gateway} on ${device} is used`,
    detail: (routes: readonly DefaultRoute[]) =>
      `default routes, the one in use first: ${routes.map(formatRoute).join('; ')}`,
    remedy: (surplus: readonly DefaultRoute[]) => {
      const remove = surplus.map(
        ({ gateway, device, metric }) => `sudo ip route del default via ${gateway} dev ${device} metric ${metric}`,
      );
      const [device = ''] = surplus.map((route) => route.device);
      return `Keep one default route. Remove every other default route that you do not need: \`${remove.join('; ')}\` Then remove the gateway from the connection that sets it, or it comes back: \`nmcli -f NAME,DEVICE connection show --active; nmcli -g ipv4.gateway,ipv4.routes connection show "$(nmcli -g GENERAL.CONNECTION device show ${device})"\``;
    },
  },
  proxy: {
    title: (variable: string, affectsGoPrograms: boolean) =>
      affectsGoPrograms
        ? `${variable} is set, and no_proxy lacks names of the cluster`
        : `${variable} is set, and no_proxy lacks names of the cluster: curl sends requests for them to the proxy`,
    detail: (proxies: readonly ProxyVariable[], file: string | null, missing: readonly string[]) =>
      [
        proxies.map(({ name, value }) => `${name} is ${value}`).join(', ') + (file === null ? '' : ` (${file})`),
        `missing in no_proxy: ${joinNames(missing)}`,
      ].join('; '),
    remedy: (list: string, file: string | null) =>
      `Enter this in the shell in which you start the wizard and the installer, and add it to ${file ?? 'the file that sets the proxy'}: \`export no_proxy=${list} NO_PROXY=${list}\``,
  },
};

import { isRecord, listAt, textAt } from '../api/objects.ts';
import { isInNetwork } from './dhcp.ts';

/** dhcpd.conf or kea-dhcp4.conf without the host name that it gives the machine with this MAC. */
export function dropHostName(text: string, mac: string): string {
  if (isKea(text)) {
    return changeKea(text, (entry) => {
      if (textAt(entry, 'hw-address').toLowerCase() !== mac) return;
      delete entry.hostname;
      entry['option-data'] = listAt(entry, 'option-data').filter((option) => textAt(option, 'name') !== 'host-name');
    });
  }
  return text.replace(/^host \S+ \{[^}]*\}/gm, (block) =>
    block.toLowerCase().includes(mac) ? block.replace(/\n\s*option host-name [^;]*;/, '') : block,
  );
}

/** The configuration with another router than the gateway of each machine network: its neighbour, which is no router. */
export function wrongGateway(
  text: string,
  networks: readonly { readonly cidr: string; readonly gateway: string | null }[],
): string {
  const neighbours = new Map(
    networks.flatMap(({ cidr, gateway }): [string, string][] =>
      gateway === null || gateway.includes(':') ? [] : [[gateway, neighbourOf(gateway, cidr)]],
    ),
  );
  if (isKea(text)) {
    return changeKea(text, (entry) => {
      if (textAt(entry, 'name') === 'routers') entry.data = neighbours.get(textAt(entry, 'data')) ?? entry.data;
    });
  }
  return text.replace(/(?<=option routers )[^;]+/g, (gateway) => neighbours.get(gateway.trim()) ?? gateway);
}

const isKea = (text: string) => text.includes('"Dhcp4"');

/** The configuration with every object in it changed in place. */
function changeKea(text: string, change: (entry: Record<string, unknown>) => void): string {
  const config: unknown = JSON.parse(text);
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isRecord(value)) {
      change(value);
      Object.values(value).forEach(visit);
    }
  };
  visit(config);
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The address before or behind another one in the same network. */
function neighbourOf(address: string, cidr: string): string {
  const [network = '', prefix = '24'] = cidr.split('/');
  const last = Number(address.split('.')[3]);
  const before = address.replace(/\d+$/, String(last - 1));
  return last > 1 && isInNetwork(before, network, Number(prefix)) ? before : address.replace(/\d+$/, String(last + 1));
}
